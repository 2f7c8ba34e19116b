//! Two people with an app each talk through one server, in any order: they greet alike, share
//! examples, edit, swipe, ask again, retry, call tools and cut their histories. No word of one ever
//! reaches the other's model, every word is kept once and under its own chat, and no time moves.
//!
//! Every step is drawn from a seed, so that a failure can be run again: `CASE` of the message.

use std::collections::{BTreeMap, BTreeSet};

use everwhen::memory::{Address, Name};
use everwhen::ports::{EntryQuery, Which};
use everwhen_store::{SqliteOptions, Synchronous};
use jiff::SignedDuration;
use serde_json::json;

use crate::phrased::{Line, Wire};
use crate::recorder::Script;
use crate::stage::Stage;

/// Random courses that are played.
const CASES: u64 = 1_000;
/// Things that are done in each.
const DEEDS: usize = 7;
/// Everything that is added is on, and every language is answered.
const SETTINGS: &str = r#"
[[upstream]]
base_url = "UPSTREAM/v1"
[[upstream]]
kind = "ollama"
base_url = "UPSTREAM"
[[upstream]]
kind = "anthropic"
base_url = "UPSTREAM"
[proxy]
deadline_ms = 60000
"#;
const GREETINGS: [&str; 3] = ["hi", "ok", "go on"];
const ANSWERS: [&str; 3] = ["Hello!", "Noted.", "Why?"];

/// Numbers from a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % sides
    }

    fn one_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == 0
    }
}

/// One chat as its app keeps it.
struct Talk {
    number: usize,
    wire: Wire,
    lines: Vec<Line>,
    /// Replies that were swiped away, each with the number of lines before it.
    swiped: Vec<(usize, Line)>,
    /// What the answers called it.
    name: Option<String>,
    /// The stamp of every text that is said only once.
    stamps: BTreeMap<String, String>,
    /// What was answered here, with the words it answered.
    delivered: BTreeSet<(String, String)>,
}

/// A person with an app.
struct Person {
    called: &'static str,
    headers: Vec<(&'static str, &'static str)>,
    talks: Vec<Talk>,
}

/// One course of events.
struct Course<'s> {
    stage: &'s Stage,
    case: u64,
    vault: String,
    dice: Dice,
    people: [Person; 2],
    /// The number of unique texts so far.
    made: usize,
    talks: usize,
    /// Every such text that the upstream was sent, and the chat it belongs to.
    said: BTreeMap<String, usize>,
}

impl<'s> Course<'s> {
    fn new(stage: &'s Stage, case: u64) -> Self {
        let mut dice = Dice((case + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        // What keeps them apart: a credential, a user, or only the program. Nothing can tell the
        // last that they are two, so they say that a chat is not to be told about others.
        let (ana, ben) = match dice.roll(3) {
            0 => (("authorization", "Bearer a"), ("authorization", "Bearer b")),
            1 => (("x-openwebui-user-id", "ana"), ("x-openwebui-user-id", "ben")),
            _ => (("x-everwhen-reach", "memory"), ("x-everwhen-reach", "memory")),
        };
        let person = |called, sign, agent| Person {
            called,
            headers: vec![sign, ("user-agent", agent)],
            talks: Vec::new(),
        };
        let people = [person("ana", ana, "OpenAI/Python 2.1"), person("ben", ben, "ollama/0.9")];
        let vault = format!("case {case}");
        Self { stage, case, vault, dice, people, made: 0, talks: 0, said: BTreeMap::new() }
    }

    async fn play(mut self) {
        for _ in 0..DEEDS {
            let who = self.dice.roll(2);
            let minutes = self.dice.roll(40);
            self.stage.wait(i64::try_from(minutes).unwrap());
            if self.people[who].talks.is_empty() || self.dice.one_in(4) {
                self.open(who).await;
                continue;
            }
            let at = self.dice.roll(self.people[who].talks.len());
            self.deed((who, at)).await;
        }
        self.check_kept().await;
    }

    /// Begins a chat: with examples that both use, or with a greeting, or with words of its own.
    async fn open(&mut self, who: usize) {
        let wire = Wire::ALL[self.dice.roll(4)];
        let mut lines = Vec::new();
        if self.dice.one_in(4) {
            let examples = ["I love it", "positive", "I hate it", "negative"].map(str::to_owned);
            let [one, yes, two, no] = examples;
            let example =
                [Line::User(one), Line::Assistant(yes), Line::User(two), Line::Assistant(no)];
            lines.extend(example);
        }
        self.talks += 1;
        self.people[who].talks.push(Talk {
            number: self.talks,
            wire,
            lines,
            swiped: Vec::new(),
            name: None,
            stamps: BTreeMap::new(),
            delivered: BTreeSet::new(),
        });
        self.say((who, self.people[who].talks.len() - 1)).await;
    }

    async fn deed(&mut self, place: (usize, usize)) {
        match self.dice.roll(8) {
            0 => self.answer_again(place).await,
            1 => self.swipe(place),
            2 => self.edit_last(place).await,
            3 => self.edit_earlier(place),
            4 => self.cut_front(place),
            _ => self.say(place).await,
        }
    }

    fn talk(&mut self, (who, at): (usize, usize)) -> &mut Talk {
        &mut self.people[who].talks[at]
    }

    /// A unique text of this person.
    fn own_text(&mut self, who: usize) -> String {
        self.made += 1;
        format!("{} says secret{}x about the garden", self.people[who].called, self.made)
    }

    fn words(&mut self, who: usize) -> String {
        match self.dice.one_in(2) {
            true => GREETINGS[self.dice.roll(3)].to_owned(),
            false => self.own_text(who),
        }
    }

    fn reply(&mut self, who: usize) -> String {
        match self.dice.one_in(2) {
            true => ANSWERS[self.dice.roll(3)].to_owned(),
            false => self.own_text(who),
        }
    }

    /// Says something, perhaps with tools in between, and gets an answer.
    async fn say(&mut self, place: (usize, usize)) {
        let text = self.words(place.0);
        self.talk(place).lines.push(Line::User(text));
        self.fail(place).await;
        while self.dice.one_in(3) {
            self.made += 1;
            // Ids of a server that makes them up, and of one that numbers them.
            let numbers = self.dice.one_in(2) && self.talk(place).wire != Wire::Responses;
            let id = match numbers {
                true => "call_0".to_owned(),
                false => format!("call_qK{}zXbW{}vRtYpL3", self.made, self.case),
            };
            self.exchange(place, Line::Call(id)).await;
            let result = format!("result {}", self.made);
            self.talk(place).lines.push(Line::Result(result));
        }
        let reply = self.reply(place.0);
        self.exchange(place, Line::Assistant(reply)).await;
    }

    /// Now and then the upstream fails first, and the client tries again.
    async fn fail(&mut self, place: (usize, usize)) {
        while self.dice.one_in(6) {
            let error = Script::json(502, &json!({ "error": { "message": "try again" } }));
            self.send(place, error).await;
        }
    }

    /// Asks for another answer to the last thing said. That of the first exchange would be a new
    /// chat: nothing was delivered before it.
    async fn answer_again(&mut self, place: (usize, usize)) {
        let talk = self.talk(place);
        let Some(Line::Assistant(_)) = talk.lines.last() else { return };
        let rest = &talk.lines[..talk.lines.len() - 1];
        if !talk.has_proof(rest) {
            return;
        }
        let dropped = talk.lines.pop().unwrap();
        talk.swiped.push((talk.lines.len(), dropped));
        let reply = self.reply(place.0);
        self.exchange(place, Line::Assistant(reply)).await;
    }

    /// Goes back to an answer that was swiped away.
    fn swipe(&mut self, place: (usize, usize)) {
        let talk = self.talk(place);
        let last = talk.lines.len().saturating_sub(1);
        let Some(at) = talk.swiped.iter().position(|(before, _)| *before == last) else { return };
        if !talk.is_distinct(&talk.lines[..last]) {
            return;
        }
        let (_, back) = talk.swiped.remove(at);
        let gone = std::mem::replace(&mut talk.lines[last], back);
        talk.swiped.push((last, gone));
    }

    /// Says the last thing otherwise.
    async fn edit_last(&mut self, place: (usize, usize)) {
        let talk = self.talk(place);
        let last = talk.lines.iter().rposition(|line| matches!(line, Line::User(_)));
        let may = |last: &usize| {
            talk.has_proof(&talk.lines[..*last]) && talk.is_distinct(&talk.lines[..*last])
        };
        let Some(last) = last.filter(may) else { return };
        talk.lines.truncate(last);
        talk.swiped.clear();
        self.say(place).await;
    }

    /// Changes something said earlier, and leaves what came after it.
    fn edit_earlier(&mut self, place: (usize, usize)) {
        let talk = self.talk(place);
        let users: Vec<usize> =
            (0..talk.lines.len()).filter(|at| matches!(talk.lines[*at], Line::User(_))).collect();
        // The last pair stays, so that the chat can be recognised.
        if users.len() < 3 {
            return;
        }
        let at = users[self.dice.roll(users.len() - 2)];
        let text = self.own_text(place.0);
        let talk = self.talk(place);
        let mut edited = talk.lines.clone();
        edited[at] = Line::User(text);
        if talk.has_own_proof(&edited) {
            talk.lines = edited;
        }
    }

    /// Leaves out what was said first.
    fn cut_front(&mut self, place: (usize, usize)) {
        let talk = self.talk(place);
        let users: Vec<usize> =
            (0..talk.lines.len()).filter(|at| matches!(talk.lines[*at], Line::User(_))).collect();
        if users.len() > 2 && talk.is_distinct(&talk.lines[users[1]..]) {
            talk.lines.drain(..users[1]);
            talk.swiped.clear();
        }
    }

    /// Sends a chat and gets this answer.
    async fn exchange(&mut self, place: (usize, usize), answer: Line) {
        let script = self.talk(place).wire.answer(&answer);
        self.send(place, script).await;
        let talk = self.talk(place);
        if let (Line::Assistant(text), Some(asked)) = (&answer, words(&talk.lines).last()) {
            talk.delivered.insert(((*asked).to_owned(), text.clone()));
        }
        talk.lines.push(answer);
    }

    /// Sends a chat, and looks at what reaches the upstream and what the client gets.
    async fn send(&mut self, place: (usize, usize), script: Script) {
        let (stage, vault) = (self.stage, self.vault.clone());
        stage.upstream.answers(script);
        let person = &self.people[place.0];
        let talk = &person.talks[place.1];
        let mut ask = stage.post(talk.wire.path(), &talk.wire.request(&talk.lines));
        ask = ask.header("x-everwhen-vault", &vault);
        for (name, value) in &person.headers {
            ask = ask.header(name, value);
        }
        let response = ask.response().await;
        stage.state.settle().await;
        assert_eq!(response.header("x-everwhen-degraded"), None, "case {}", self.case);
        let sent = stage.upstream.last().body;
        let stranger = format!("{} says", self.people[1 - place.0].called);
        assert!(!sent.contains(&stranger), "case {}: a stranger's words in {sent}", self.case);
        let name = response.header("x-everwhen-memory").unwrap().to_owned();
        self.check_sent(place, &name, &sent);
    }

    /// The name and the times stay what they were, as long as something in the chat was delivered to
    /// it and to no other.
    fn check_sent(&mut self, place: (usize, usize), name: &str, sent: &str) {
        let case = self.case;
        let talk = self.talk(place);
        let (number, texts) = (talk.number, own_texts(&talk.lines));
        let is_sure = talk.has_own_proof(&talk.lines);
        if let Some(known) = talk.name.clone().filter(|_| is_sure) {
            assert_eq!(known, name, "case {case}: the chat is called otherwise now\n{sent}");
        }
        talk.name = Some(name.to_owned());
        for text in &texts {
            let stamp = stamp_before(sent, text);
            let stamp =
                stamp.unwrap_or_else(|| panic!("case {case}: no stamp at {text} in {sent}"));
            let known = talk.stamps.entry(text.clone()).or_insert_with(|| stamp.clone());
            assert_eq!(*known, stamp, "case {case}: the time of {text} moved in {sent}");
        }
        for text in texts {
            let owner = *self.said.entry(text.clone()).or_insert(number);
            assert_eq!(owner, number, "case {case}: {text} belongs to another chat");
        }
    }

    /// Every text that was said once is kept once, in a memory that holds no other chat's.
    async fn check_kept(&self) {
        let vault = Address::Name(Name::new("vault", &self.vault).unwrap());
        let vault = self.stage.engine.vault(vault).await.unwrap();
        let mut kept: BTreeMap<String, usize> = BTreeMap::new();
        for memory in vault.memories(None, None).await.unwrap().data {
            let all = EntryQuery { which: Which::All, limit: Some(1_000), ..EntryQuery::default() };
            let entries = vault.entries(memory.id.into(), None, all).await.unwrap().data;
            let texts = entries.iter().map(|entry| entry.content.as_str());
            let texts: Vec<&str> = texts.filter(|text| is_own(text)).collect();
            let chats: BTreeSet<_> = texts.iter().filter_map(|text| self.said.get(*text)).collect();
            assert!(
                chats.len() < 2,
                "case {}: chats {chats:?} in one memory: {texts:?}",
                self.case
            );
            for text in texts {
                *kept.entry(text.to_owned()).or_default() += 1;
            }
        }
        for text in self.said.keys() {
            assert_eq!(kept.get(text), Some(&1), "case {}: {text} is not kept once", self.case);
        }
    }
}

impl Talk {
    /// Whether something that was delivered here stands in these lines.
    fn has_proof(&self, lines: &[Line]) -> bool {
        self.pairs(lines).any(|pair| self.delivered.contains(&pair))
    }

    /// Whether something in these lines was delivered to this chat and cannot have been to another:
    /// an answer of its own, or one to words of its own.
    fn has_own_proof(&self, lines: &[Line]) -> bool {
        self.pairs(lines)
            .any(|pair| self.delivered.contains(&pair) && (is_own(&pair.0) || is_own(&pair.1)))
    }

    /// Whether these lines can be told from those of any other chat, or nothing in them is its own.
    fn is_distinct(&self, lines: &[Line]) -> bool {
        self.has_own_proof(lines) || own_texts(lines).is_empty()
    }

    /// Answers in these lines, with the words before them.
    fn pairs(&self, lines: &[Line]) -> impl Iterator<Item = (String, String)> {
        let words: Vec<String> = words(lines).map(str::to_owned).collect();
        words
            .windows(2)
            .map(|pair| (pair[0].clone(), pair[1].clone()))
            .collect::<Vec<_>>()
            .into_iter()
    }
}

fn is_own(text: &str) -> bool {
    text.contains("says secret")
}

/// What was said in these lines.
fn words(lines: &[Line]) -> impl Iterator<Item = &str> {
    let says = |line: &&Line| matches!(line, Line::User(_) | Line::Assistant(_));
    lines.iter().filter(says).map(Line::text)
}

/// The unique texts in these lines.
fn own_texts(lines: &[Line]) -> Vec<String> {
    words(lines).filter(|text| is_own(text)).map(str::to_owned).collect()
}

/// The stamp before a text in a body.
fn stamp_before(body: &str, text: &str) -> Option<String> {
    let stamp = |(at, _): (usize, &str)| {
        let before = body[..at].strip_suffix(") ")?;
        let opens = before.rfind('(')?;
        Some(before[opens + 1..].to_owned())
    };
    body.match_indices(text).find_map(stamp)
}

async fn play(cases: std::ops::Range<u64>) {
    let options = SqliteOptions { synchronous: Synchronous::Normal, ..SqliteOptions::default() };
    for from in cases.clone().step_by(50) {
        let stage = Stage::over(SETTINGS, options).await;
        for case in from..(from + 50).min(cases.end) {
            Course::new(&stage, case).play().await;
            stage.clock.advance(SignedDuration::from_hours(2));
        }
    }
}

#[tokio::test]
async fn no_word_of_one_ever_reaches_the_other() {
    play(0..CASES / 2).await;
}

#[tokio::test]
async fn no_word_of_one_ever_reaches_the_other_either() {
    play(CASES / 2..CASES).await;
}

/// The test itself: two people in one memory do hear of each other, and that is noticed.
#[tokio::test]
#[should_panic(expected = "a stranger's words")]
async fn words_that_cross_are_noticed() {
    let stage = Stage::over(SETTINGS, SqliteOptions::default()).await;
    for case in 0..20 {
        let mut course = Course::new(&stage, case);
        for person in &mut course.people {
            person.headers = vec![("x-everwhen-memory", "shared")];
        }
        course.play().await;
    }
}

//! `everwhen bench exam`: a fixed exam of recall, made from tables in this repository.
//!
//! A fictional user mentions forty things to an assistant over a year, among other topics. Each thing is
//! asked for in its own words, in other words, by the day on which it was mentioned, and by its month with
//! the kind of thing. The same tables and the same seed give the same exam on every machine, so that a
//! change of recall shows at once. It is easier than real conversations, so its figures are a lower bound.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use jiff::civil::{Date, date};
use jiff::{Timestamp, ToSpan, tz::TimeZone};
use serde::Serialize;

use crate::EmbedderChoice;
use crate::quality::locomo::{self, LocomoAnswered, LocomoDialogue, LocomoQuestion, LocomoTurn};

/// The things that are mentioned and asked for.
const TABLE: &str = include_str!("../../data/exam.tsv");
/// Other topics of the conversations.
const FILLER: &str = include_str!("../../data/exam_filler.txt");
/// The number of users, each with all things in a different order.
const DIALOGUES: u64 = 3;
/// Days between two conversations.
const DAYS_APART: i64 = 9;
/// When the first conversation takes place.
const FIRST_DAY: Date = date(2023, 1, 9);

/// The numbers of one kind of question, in percent.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ExamScores {
    /// The number of questions.
    pub n: usize,
    /// The conversation comes first.
    pub conversation_1: f64,
    /// The conversation is among five.
    pub conversation_5: f64,
    /// The entry comes first.
    pub entry_1: f64,
    /// The entry is among five.
    pub entry_5: f64,
}

/// The result, by kind of question.
#[derive(Debug, Serialize)]
pub struct ExamReport {
    /// The embedder used.
    pub embedder: String,
    /// Numbers by kind of question.
    pub kinds: BTreeMap<String, ExamScores>,
}

/// One line of the table.
struct Thing<'t> {
    kind: &'t str,
    statement: &'t str,
    same_words: &'t str,
    other_words: &'t str,
}

/// The kinds of questions, by the category of the question.
const KINDS: [&str; 4] = ["same words", "other words", "day", "month and kind"];

/// Runs the exam; `step` is called after each question with the number done and the total.
pub async fn run(
    embedder: &EmbedderChoice,
    step: &(dyn Fn(usize, usize) + Sync),
) -> Result<ExamReport> {
    let things: Vec<Thing<'_>> = things()?;
    let dialogues: Result<Vec<_>> = (1..=DIALOGUES).map(|seed| dialogue(&things, seed)).collect();
    let (answered, _) = locomo::ask_all(&dialogues?, embedder, step).await?;
    let kinds = (1u64..).zip(KINDS).map(|(category, kind)| {
        let of_kind = answered.iter().filter(|one| one.category == category.to_string());
        (kind.to_owned(), scores(&of_kind.collect::<Vec<_>>()))
    });
    Ok(ExamReport { embedder: embedder.as_str().into(), kinds: kinds.collect() })
}

fn scores(answered: &[&LocomoAnswered]) -> ExamScores {
    let judged: Vec<_> = answered.iter().map(|one| one.judged()).collect();
    let mean = |value: &dyn Fn(usize) -> f64| {
        100.0 * (0..judged.len()).map(value).sum::<f64>() / judged.len().max(1) as f64
    };
    ExamScores {
        n: judged.len(),
        conversation_1: mean(&|one| judged[one].0.any(1)),
        conversation_5: mean(&|one| judged[one].0.any(5)),
        entry_1: mean(&|one| judged[one].1.any(1)),
        entry_5: mean(&|one| judged[one].1.any(5)),
    }
}

fn things() -> Result<Vec<Thing<'static>>> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let mut columns = line.split('\t');
            let mut next = || columns.next().with_context(|| format!("too few columns: {line}"));
            let (kind, _thing) = (next()?, next()?);
            Ok(Thing { kind, statement: next()?, same_words: next()?, other_words: next()? })
        })
        .collect()
}

/// One user who mentions all things in a random order, a conversation each.
fn dialogue(things: &[Thing<'_>], seed: u64) -> Result<LocomoDialogue> {
    let filler: Vec<&str> = FILLER.lines().collect();
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut order: Vec<usize> = (0..things.len()).collect();
    for place in (1..order.len()).rev() {
        order.swap(place, random.below(place + 1));
    }
    let (mut turns, mut questions) = (Vec::new(), Vec::new());
    for (number, thing) in (1..).zip(order.iter().map(|place| &things[*place])) {
        let day = FIRST_DAY.checked_add((DAYS_APART * number + random.below(3) as i64).days())?;
        let time = day.at(18, 30, 0, 0).to_zoned(TimeZone::UTC)?.timestamp();
        let place = random.below(3);
        for turn in 0..3 {
            let other = filler[random.below(filler.len())];
            let text = if turn == place { thing.statement } else { other };
            turns.extend(exchange(number, 2 * turn as i64 + 1, text, time));
        }
        let gold = format!("D{number}:{}", 2 * place + 1);
        questions.extend(asked(thing, day, &gold));
    }
    Ok(LocomoDialogue { name: format!("exam-{seed}"), turns, questions })
}

/// What the user says, and what the assistant replies.
fn exchange(session: i64, turn: i64, text: &str, time: Timestamp) -> [LocomoTurn; 2] {
    let reply = format!("Thanks for telling me. About \"{text}\": here is what I can add.");
    [("user", text.to_owned(), turn), ("assistant", reply, turn + 1)].map(
        |(speaker, text, turn)| LocomoTurn {
            id: format!("D{session}:{turn}"),
            session: format!("D{session}"),
            speaker: speaker.into(),
            text,
            time,
        },
    )
}

fn asked(thing: &Thing<'_>, day: Date, gold: &str) -> [LocomoQuestion; 4] {
    let month = day.strftime("%B %Y");
    let texts = [
        thing.same_words.to_owned(),
        thing.other_words.to_owned(),
        format!("What did I tell you on {}?", day.strftime("%-d %B %Y")),
        format!("What did I say about my {} in {month}?", thing.kind),
    ];
    let mut category = 0;
    texts.map(|text| {
        category += 1;
        LocomoQuestion { text, category, answer: None, gold: vec![gold.to_owned()] }
    })
}

/// A seeded random number generator (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % end
    }
}

impl std::fmt::Display for ExamReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "Exam · embedder {}", self.embedder)?;
        write!(f, "{:<16}     n  conv@1  conv@5 entry@1 entry@5", "")?;
        for (kind, one) in &self.kinds {
            let ExamScores { n, conversation_1, conversation_5, entry_1, entry_5 } = one;
            write!(
                f,
                "\n{kind:<16} {n:>5} {conversation_1:>7.1} {conversation_5:>7.1} {entry_1:>7.1} {entry_5:>7.1}"
            )?;
        }
        Ok(())
    }
}

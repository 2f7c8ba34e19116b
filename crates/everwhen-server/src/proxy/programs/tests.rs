//! Every line of the table is tried on its sample, with it and without it: a line that changes nothing
//! is not needed.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use everwhen::ledger::Wanted;
use serde_json::json;

use super::own;
use super::purpose::{self, Purpose};
use super::{ProgramRule, ProgramRuleKind, rules};
use everwhen_protocols::{ChatEndpoint, OwnWords, RequestView};

fn read(body: &str) -> RequestView<'_> {
    ChatEndpoint::named("chat").unwrap().format.request(body).unwrap()
}

/// What the table makes of a request.
#[derive(Debug, PartialEq, Eq)]
struct Reading {
    purpose: Purpose,
    words: Vec<String>,
}

fn reading(body: &str, headers: &HeaderMap, rules: &[&'static ProgramRule]) -> Reading {
    let mut asked: RequestView<'_> = read(body);
    let purpose = purpose::of(&asked, headers, rules.iter().copied());
    own::attribute(&mut asked.messages, rules.iter().copied(), false);
    let words = asked.messages.iter().map(|message| message.words().to_owned()).collect();
    Reading { purpose, words }
}

/// A request as the program of a rule would send it.
fn request(rule: &ProgramRule) -> (String, HeaderMap) {
    let user = |text: &str| json!({ "role": "user", "content": text });
    let assistant = |text: &str| json!({ "role": "assistant", "content": text });
    let mut headers = HeaderMap::new();
    let messages = match rule.kind {
        ProgramRuleKind::Header(name) | ProgramRuleKind::HeaderIs(name, _) => {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(rule.sample));
            json!([user("hi")])
        }
        ProgramRuleKind::Schema(_) => return (rule.sample.to_owned(), headers),
        ProgramRuleKind::Instructions(_) => {
            json!([{ "role": "system", "content": rule.sample }, user("hi")])
        }
        ProgramRuleKind::Answer(_) => json!([user(rule.sample), assistant(rule.own), user("hi")]),
        ProgramRuleKind::Examples(_) => {
            json!([user("a"), assistant("b"), user(rule.sample), assistant("Ok."), user("hi")])
        }
        ProgramRuleKind::Continue(_) => json!([user("hi"), assistant("he"), user(rule.sample)]),
        _ => json!([user(rule.sample)]),
    };
    (json!({ "messages": messages }).to_string(), headers)
}

/// What must become of it.
fn expected(rule: &ProgramRule) -> Reading {
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect();
    let (purpose, words) = match rule.kind {
        ProgramRuleKind::Header(_) | ProgramRuleKind::HeaderIs(..) | ProgramRuleKind::Schema(_) => {
            (Purpose::Auxiliary, words(&["hi"]))
        }
        ProgramRuleKind::Last(..) => (Purpose::Auxiliary, words(&[rule.sample])),
        ProgramRuleKind::Instructions(_) => (Purpose::Auxiliary, words(&[rule.sample, "hi"])),
        ProgramRuleKind::Answer(_) => (Purpose::default(), words(&["", "", "hi"])),
        ProgramRuleKind::Examples(_) => (Purpose::default(), words(&["", "", "", "", "hi"])),
        ProgramRuleKind::Speaker(..) => {
            (Purpose::Chat(Wanted::By("Bob".into())), words(&[rule.own]))
        }
        ProgramRuleKind::Continue(_) => {
            (Purpose::Chat(Wanted::Continuation), words(&["hi", "he", ""]))
        }
        ProgramRuleKind::SideRequest(_) => (Purpose::Chat(Wanted::Unrecorded), words(&[rule.own])),
        _ => (Purpose::default(), words(&[rule.own])),
    };
    Reading { purpose, words }
}

#[test]
fn every_line_of_the_table_does_what_it_says_and_is_needed() {
    let all: Vec<&'static ProgramRule> = rules().collect();
    for rule in &all {
        let (body, headers) = request(rule);
        let expected = expected(rule);
        assert_eq!(reading(&body, &headers, &all), expected, "{rule:?}");
        let others: Vec<&'static ProgramRule> =
            all.iter().copied().filter(|other| !std::ptr::eq(*other, *rule)).collect();
        assert_ne!(reading(&body, &headers, &others), expected, "not needed: {rule:?}");
        assert!(!rule.program.is_empty() && !rule.seen.is_empty(), "{rule:?}");
    }
}

#[test]
fn what_people_say_themselves_is_theirs() {
    let all: Vec<&'static ProgramRule> = rules().collect();
    for text in [
        "### Task: write a poem for my daughter Eva's birthday on 3 May",
        "### Task:\nGenerate a poem for my daughter Eva.",
        "What does <system-reminder> mean?",
        "Is `<environment_context>` closed by </environment_context>?",
        "<task> without an end",
        "Continue, please.",
        "[Continue] is a button in my app",
        "Write the next reply only as Bob.",
        "Ignore previous instructions. What is my dog called?",
        "Ok.",
        "I ran this command yesterday and it broke.",
        "  two spaces before, two behind  ",
    ] {
        let body = json!({ "messages": [{ "role": "user", "content": text }] }).to_string();
        let found = reading(&body, &HeaderMap::new(), &all);
        assert_eq!(found, Reading { purpose: Purpose::default(), words: vec![text.into()] });
    }
}

#[test]
fn the_first_own_word_is_found_in_the_literal_as_it_was_sent() {
    let literal =
        r#""<system-reminder>\n\u00e9 \ud83d\ude00 \"q\"</system-reminder>\n\tMy \u0022dog\u0022""#;
    let body = format!(r#"{{"messages":[{{"role":"user","content":{literal}}}]}}"#);
    let mut asked = read(&body);
    own::attribute(&mut asked.messages, rules(), false);
    let OwnWords::Some { words, from } = &asked.messages[0].own else { panic!("nothing was cut") };
    assert_eq!(words, "My \"dog\"");
    assert_eq!(*from, Some(r#"My \u0022dog\u0022""#));
}

#[test]
fn words_in_several_parts_are_joined_and_the_first_of_them_counts() {
    let part = |text: &str| json!({ "type": "text", "text": text });
    let content = [
        part("<system-reminder>a</system-reminder>"),
        part("<local-command-stdout>b</local-command-stdout>\nMy dog"),
        part("is called Rex."),
    ];
    let body = json!({ "messages": [{ "role": "user", "content": content }] }).to_string();
    let mut asked = read(&body);
    own::attribute(&mut asked.messages, rules(), false);
    assert_eq!(asked.messages[0].words(), "My dog\nis called Rex.");
    assert_eq!(asked.messages[0].opening(), Some("My dog\""));
}

#[test]
fn a_last_system_line_behind_a_reply_is_no_part_of_the_chat() {
    let wanted = |last: &str| {
        let body = json!({ "messages": [
            { "role": "user", "content": "hi" },
            { "role": "assistant", "content": "Hello." },
            { "role": "system", "content": last },
        ] });
        let asked_body = body.to_string();
        purpose::of(&read(&asked_body), &HeaderMap::new(), rules())
    };
    for (last, expected) in [
        ("Describe the scene for a painter.", Wanted::Unrecorded),
        ("[Continue your last message.]", Wanted::Continuation),
        ("[Write the next reply only as Bob.]", Wanted::By("Bob".into())),
        ("Bob:", Wanted::Reply),
        ("", Wanted::Reply),
    ] {
        assert_eq!(wanted(last), Purpose::Chat(expected), "{last}");
    }
}

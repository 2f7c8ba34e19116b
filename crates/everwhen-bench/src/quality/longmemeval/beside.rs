//! Other systems on the same sessions and questions, judged as Everwhen is.
//!
//! A system that ranks entries ranks a session by the best of them.

use std::collections::HashSet;

use anyhow::Result;

use super::data::{LongMemEvalItem, LongMemEvalSession};
use super::{ABSTENTION, end_of_day, pooled, turns};
use crate::peers::{self, PeerAnswers, PeerChoice, PeerEntry, PeerMemory, PeerQuestion};
use crate::report::{Ingest, Latency, OnProgress, PeerSummary};
use crate::score::{Judged, Scores};

/// Entries that a system is asked for: enough for ten different sessions.
const ENTRIES: usize = 50;

/// Has every chosen system answer the asked questions, each in its own haystack or all in one.
pub(super) fn measure(
    choice: &PeerChoice,
    all: &[LongMemEvalItem],
    asked: &[&LongMemEvalItem],
    in_one: bool,
    on_progress: OnProgress<'_>,
) -> Result<Vec<PeerSummary>> {
    let pool = if in_one { pooled(all) } else { Vec::new() };
    let haystacks: Vec<Haystack<'_>> = if in_one {
        vec![Haystack::new(&pool, asked)?]
    } else {
        asked.iter().map(|item| Haystack::new(&item.haystack, &[*item])).collect::<Result<_>>()?
    };
    let (sessions, memories): (Vec<_>, Vec<_>) =
        haystacks.into_iter().map(|one| (one.sessions, one.memory)).unzip();
    let answers = peers::answers(choice, &memories, ENTRIES, on_progress)?;
    let entries = PeerMemory::entries_of(&memories);
    let of_question = |number: usize| if in_one { &sessions[0] } else { &sessions[number] };
    Ok(answers.into_iter().map(|one| summary(one, asked, entries, of_question)).collect())
}

/// A memory with the session of each entry, which the system is not told.
struct Haystack<'h> {
    sessions: Vec<&'h str>,
    memory: PeerMemory<'h>,
}

impl<'h> Haystack<'h> {
    fn new(sessions: &'h [LongMemEvalSession], asked: &[&LongMemEvalItem]) -> Result<Self> {
        let of_session = |session: &'h LongMemEvalSession| {
            turns(session).map(move |(_, turn)| {
                let (text, second) = (turn.content.as_str().into(), session.date.as_second());
                (session.id.as_str(), PeerEntry { text, second })
            })
        };
        let (sessions, entries): (Vec<_>, Vec<_>) = sessions.iter().flat_map(of_session).unzip();
        let question = |item: &&LongMemEvalItem| {
            let end = end_of_day(item.asked_at)?.as_second();
            let leaves_out = entries.iter().any(|entry: &PeerEntry<'_>| entry.second >= end);
            Ok(PeerQuestion { text: item.text.clone(), before: leaves_out.then_some(end) })
        };
        let questions = asked.iter().map(question).collect::<Result<_>>()?;
        Ok(Self { sessions, memory: PeerMemory { entries, questions } })
    }
}

fn summary<'s>(
    answers: PeerAnswers,
    asked: &[&LongMemEvalItem],
    entries: usize,
    sessions: impl Fn(usize) -> &'s Vec<&'s str>,
) -> PeerSummary {
    let numbered = answers.found.iter().zip(asked).enumerate();
    let answerable = numbered.filter(|(_, (_, item))| !item.id.ends_with(ABSTENTION));
    let judged: Vec<Judged> = answerable
        .map(|(number, (found, item))| Judged::new(ranked(found, sessions(number)), &item.gold))
        .collect();
    PeerSummary {
        name: answers.name,
        scores: Scores::of(&judged.iter().collect::<Vec<_>>()),
        latency_ms: Latency::of(answers.latencies),
        ingest: Ingest { entries, seconds: answers.ingest_seconds },
    }
}

/// The sessions of entries, each at the place of its best entry.
fn ranked<'s>(found: &[usize], sessions: &[&'s str]) -> Vec<&'s str> {
    let mut seen = HashSet::new();
    found.iter().map(|place| sessions[*place]).filter(|session| seen.insert(*session)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Timestamp;

    use super::super::data::LongMemEvalTurn;
    use super::*;

    fn session(id: &str, second: i64, content: &str) -> LongMemEvalSession {
        let turn = |content: &str| LongMemEvalTurn {
            role: "user".into(),
            content: content.into(),
            has_answer: false,
        };
        let turns = Arc::new(vec![turn(content), turn("Thanks, and the ferry?")]);
        let date = Timestamp::from_second(second).expect("a time");
        LongMemEvalSession { id: id.into(), date, turns }
    }

    fn item(id: &str, gold: &str, haystack: Vec<LongMemEvalSession>) -> LongMemEvalItem {
        LongMemEvalItem {
            id: id.into(),
            kind: "single".into(),
            text: "When does the ferry to Naxos leave?".into(),
            asked_at: Timestamp::from_second(86_400).expect("a time"),
            answer: None,
            gold: vec![gold.into()],
            haystack,
            repeated: Vec::new(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn a_system_is_judged_by_the_sessions_of_the_entries_it_found() {
        let (ferry, rain) = ("The ferry to Naxos leaves at nine.", "It rains.");
        let both = || vec![session("dull", 10, rain), session("right", 20, ferry)];
        // The next has its gold later than the question, so it cannot be found.
        let late = vec![session("dull", 10, rain), session("late", 900_000, ferry)];
        let all = [
            item("one", "right", both()),
            item("two", "late", late),
            item("three_abs", "right", both()),
        ];
        let asked: Vec<&LongMemEvalItem> = all.iter().collect();
        for in_one in [false, true] {
            let peers =
                measure(&PeerChoice::default(), &all, &asked, in_one, &|_| ()).expect("runs");
            let [fts] = &peers[..] else { panic!("one system, not {peers:?}") };
            assert_eq!((fts.scores.n, fts.scores.any_1, fts.scores.any_10), (2, 50.0, 50.0));
            assert_eq!(fts.ingest.entries, if in_one { 6 } else { 12 });
        }
    }
}

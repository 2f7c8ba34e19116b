//! The dataset of a run: questions with their sessions, in one of three formats.
//!
//! LongMemEval (one JSON array, or packed), LoCoMo, and a form of one's own: JSON lines, one
//! question each, with `question_id`, `question`, `question_date`, optionally `question_type`,
//! `answer`, `abstention`, `answer_session_ids`, and `sessions` of `id`, `date` and `turns` of
//! `role`, `content` and optionally `speaker`. Dates are RFC 3339, or `2023/01/08 (Sun) 12:49`.

use std::path::Path;

use anyhow::{Context, Result, bail};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{locomo, longmemeval};

/// Which form the data has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// LongMemEval.
    Longmemeval,
    /// LoCoMo.
    Locomo,
    /// One's own JSON lines.
    Dialogue,
}

/// One question.
#[derive(Debug, Clone)]
pub(super) struct Question {
    /// Its id.
    pub(super) id: String,
    /// Its type.
    pub(super) kind: String,
    /// The question.
    pub(super) text: String,
    /// When it is asked.
    pub(super) asked_at: Timestamp,
    /// The right answer, if the data says it.
    pub(super) answer: Option<String>,
    /// Whether the right answer is that nothing was said about it.
    pub(super) abstention: bool,
    /// Sessions that hold the answer.
    pub(super) gold: Vec<String>,
    /// All sessions, in the order of ingestion.
    pub(super) sessions: Vec<Session>,
}

/// One session and its own date.
#[derive(Debug, Clone)]
pub(super) struct Session {
    /// Its id, which never reaches indexed text.
    pub(super) id: String,
    /// When it took place.
    pub(super) date: Timestamp,
    /// What was said.
    pub(super) turns: Vec<Turn>,
}

/// One thing said.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Turn {
    /// `user` or `assistant`.
    pub(super) role: String,
    /// What was said.
    pub(super) content: String,
    /// Who said it, where there are several.
    #[serde(default)]
    pub(super) speaker: Option<String>,
}

#[derive(Deserialize)]
struct OwnQuestion {
    question_id: String,
    question: String,
    question_date: String,
    #[serde(default = "plain")]
    question_type: String,
    answer: Option<serde_json::Value>,
    #[serde(default)]
    abstention: bool,
    #[serde(default)]
    answer_session_ids: Vec<String>,
    sessions: Vec<OwnSession>,
}

#[derive(Deserialize)]
struct OwnSession {
    id: String,
    date: String,
    turns: Vec<Turn>,
}

fn plain() -> String {
    "plain".into()
}

/// Reads all questions.
pub(super) fn read(form: Form, path: &Path) -> Result<Vec<Question>> {
    let questions = match form {
        Form::Longmemeval => longmemeval::read(path)?.into_iter().map(from_longmemeval).collect(),
        Form::Locomo => locomo::read(path)?.iter().flat_map(from_locomo).collect(),
        Form::Dialogue => read_own(path)?,
    };
    let mut known = std::collections::HashSet::new();
    if let Some(twice) = questions.iter().find(|one: &&Question| !known.insert(one.id.clone())) {
        bail!("{}: two questions have the id {:?}", path.display(), twice.id);
    }
    Ok(questions)
}

fn read_own(path: &Path) -> Result<Vec<Question>> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            from_own(line).with_context(|| format!("{}, line {}", path.display(), at + 1))
        })
        .collect()
}

fn from_own(line: &str) -> Result<Question> {
    let own: OwnQuestion = serde_json::from_str(line).context("not a question as JSON")?;
    let session =
        |one: OwnSession| Ok(Session { date: read_date(&one.date)?, id: one.id, turns: one.turns });
    Ok(Question {
        id: own.question_id,
        kind: own.question_type,
        text: own.question,
        asked_at: read_date(&own.question_date)?,
        answer: own.answer.as_ref().and_then(longmemeval::answer_text),
        abstention: own.abstention,
        gold: own.answer_session_ids,
        sessions: own.sessions.into_iter().map(session).collect::<Result<_>>()?,
    })
}

fn from_longmemeval(item: longmemeval::LongMemEvalItem) -> Question {
    let turn = |turn: &longmemeval::LongMemEvalTurn| Turn {
        role: turn.role.clone(),
        content: turn.content.clone(),
        speaker: None,
    };
    let session = |one: longmemeval::LongMemEvalSession| Session {
        id: one.id,
        date: one.date,
        turns: one.turns.iter().map(turn).collect(),
    };
    Question {
        abstention: item.id.ends_with("_abs"),
        id: item.id,
        kind: item.kind,
        text: item.text,
        asked_at: item.asked_at,
        answer: item.answer,
        gold: item.gold,
        sessions: item.haystack.into_iter().map(session).collect(),
    }
}

/// Each question of a dialogue, asked after its end.
fn from_locomo(dialogue: &locomo::LocomoDialogue) -> Vec<Question> {
    let mut sessions: Vec<Session> = Vec::new();
    for turn in &dialogue.turns {
        if sessions.last().is_none_or(|last| last.id != turn.session) {
            let (id, date) = (turn.session.clone(), turn.time);
            sessions.push(Session { id, date, turns: Vec::new() });
        }
        let speaker = Some(turn.speaker.clone());
        let said = Turn { role: "user".into(), content: turn.text.clone(), speaker };
        sessions.last_mut().into_iter().for_each(|last| last.turns.push(said.clone()));
    }
    let numbered = dialogue.questions.iter().enumerate();
    let question = |(number, one): (usize, &locomo::LocomoQuestion)| {
        let mut gold: Vec<String> = one.gold.iter().map(|turn| locomo::session_of(turn)).collect();
        gold.dedup();
        Question {
            id: format!("{}_q{number}", dialogue.name),
            kind: format!("category {}", one.category),
            text: one.text.clone(),
            asked_at: dialogue.end(),
            answer: one.answer.clone(),
            abstention: one.category == 5,
            gold,
            sessions: sessions.clone(),
        }
    };
    numbered.map(question).collect()
}

/// RFC 3339, or LongMemEval's way, which is taken as UTC.
fn read_date(text: &str) -> Result<Timestamp> {
    match text.parse() {
        Ok(date) => Ok(date),
        Err(_) => longmemeval::read_date(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_either_kind_are_read_and_stay_with_their_session() {
        let line = serde_json::json!({
            "question_id": "q", "question": "?", "question_date": "2023-02-01T10:00:00+01:00",
            "answer": 7, "answer_session_ids": ["b"],
            "sessions": [
                {"id": "b", "date": "2023/01/08 (Sun) 12:49",
                 "turns": [{"role": "user", "content": "x"}]},
                {"id": "a", "date": "2022-12-01T00:00:00Z", "turns": []},
            ],
        });
        let question = from_own(&line.to_string()).unwrap();
        assert_eq!(question.asked_at.to_string(), "2023-02-01T09:00:00Z");
        assert_eq!(question.answer.as_deref(), Some("7"));
        let dates: Vec<String> =
            question.sessions.iter().map(|one| format!("{} {}", one.id, one.date)).collect();
        assert_eq!(dates, ["b 2023-01-08T12:49:00Z", "a 2022-12-01T00:00:00Z"]);
        assert!(from_own("{}").is_err());
    }

    /// What a file of a form gives: question, type, date, answer, gold, and sessions with their dates.
    fn told(form: Form, text: &serde_json::Value) -> Vec<String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data.json");
        std::fs::write(&path, text.to_string()).unwrap();
        let told = |one: Question| {
            let sessions = one.sessions.iter().map(|session| {
                let roles: Vec<&str> =
                    session.turns.iter().map(|turn| turn.role.as_str()).collect();
                format!("{} {} {roles:?}", session.id, session.date)
            });
            let sessions: Vec<String> = sessions.collect();
            let Question { id, kind, asked_at, answer, gold, abstention, .. } = one;
            format!("{id} {kind} {asked_at} {answer:?} {gold:?} {abstention} {sessions:?}")
        };
        read(form, &path).unwrap().into_iter().map(told).collect()
    }

    #[test]
    fn longmemeval_and_locomo_give_questions_with_their_sessions() {
        let turns = serde_json::json!([{ "role": "user", "content": "x" }]);
        let row = serde_json::json!({
            "question_id": "q_abs", "question_type": "t", "question": "?", "answer": 3,
            "question_date": "2023/05/30 (Tue) 20:36", "answer_session_ids": ["b"],
            "haystack_dates": ["2023/05/21 (Sun) 03:29", "2023/05/20 (Sat) 03:29"],
            "haystack_session_ids": ["a", "b"], "haystack_sessions": [turns, turns],
        });
        assert_eq!(
            told(Form::Longmemeval, &serde_json::json!([row])),
            [
                r#"q_abs t 2023-05-30T20:36:00Z Some("3") ["b"] true ["a 2023-05-21T03:29:00Z [\"user\"]", "b 2023-05-20T03:29:00Z [\"user\"]"]"#
            ]
        );
        let dialogue = serde_json::json!({
            "sample_id": "c",
            "conversation": {
                "speaker_a": "Ana", "speaker_b": "Ben",
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_1": [{ "speaker": "Ana", "dia_id": "D1:1", "text": "Hello" }],
            },
            "qa": [{ "question": "?", "answer": "Hello", "category": 4, "evidence": ["D1:1"] }],
        });
        assert_eq!(
            told(Form::Locomo, &serde_json::json!([dialogue])),
            [
                r#"c_q0 category 4 2023-05-08T13:56:00Z Some("Hello") ["D1"] false ["D1 2023-05-08T13:56:00Z [\"user\"]"]"#
            ]
        );
    }
}

//! The dataset of a run: questions with their sessions, in one of three formats.
//!
//! LongMemEval (one JSON array, or packed), LoCoMo, and a form of one's own: JSON lines, one
//! question each, with `question_id`, `question`, `question_date`, optionally `question_type`,
//! `answer`, `abstention`, `answer_session_ids`, and `sessions` of `id`, `date` and `turns` of
//! `role`, `content` and optionally `speaker`. Dates are RFC 3339, `2023/01/08 (Sun) 12:49` or a
//! day alone; a session without one is taken in at the date of the question. Sessions of one id
//! are all kept. Only turns of user and assistant that say something are taken in.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use anyhow::{Context, Result, bail};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::quality::{locomo, longmemeval};

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
    /// All sessions, in the order of ingestion, each with an id of its own.
    pub(super) sessions: Vec<Session>,
    /// What a reader of results should know about the data of this question.
    pub(super) notes: Vec<String>,
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
    #[serde(default)]
    date: Option<String>,
    turns: Vec<Turn>,
}

fn plain() -> String {
    "plain".into()
}

/// Reads all questions.
pub(super) fn read(form: Form, path: &Path) -> Result<Vec<Question>> {
    let mut questions: Vec<Question> = match form {
        Form::Longmemeval => longmemeval::read(path)?.into_iter().map(from_longmemeval).collect(),
        Form::Locomo => locomo::read(path)?.iter().flat_map(from_locomo).collect(),
        Form::Dialogue => read_own(path)?,
    };
    questions.iter_mut().for_each(tidy);
    let mut known = HashSet::new();
    if let Some(twice) = questions.iter().find(|one: &&Question| !known.insert(one.id.clone())) {
        bail!("{}: two questions have the id {:?}", path.display(), twice.id);
    }
    Ok(questions)
}

/// Gives every session an id of its own, and leaves only what user and assistant said.
fn tidy(question: &mut Question) {
    let mut listed: HashMap<String, usize> = HashMap::new();
    let mut left_out = 0;
    for session in &mut question.sessions {
        let times = listed.entry(session.id.clone()).or_default();
        *times += 1;
        if *times > 1 {
            let (id, times) = (&session.id, *times);
            question.notes.push(format!("session {id} is listed {times} times; each is taken in"));
            session.id = format!("{id}{AGAIN}{times}");
        }
        let before = session.turns.len();
        session.turns.retain(is_said);
        left_out += before - session.turns.len();
    }
    if left_out > 0 {
        let what = "turns are empty or of neither user nor assistant and are left out";
        question.notes.push(format!("{left_out} {what}"));
    }
}

fn is_said(turn: &Turn) -> bool {
    matches!(turn.role.as_str(), "user" | "assistant") && !turn.content.trim().is_empty()
}

/// What stands between the id of a session that is listed again and how often it was listed.
const AGAIN: &str = "#again-";

/// The sessions of a ranking under the ids of the data, each once.
pub(super) fn by_data_id(ranked: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    let id = |name: String| name.split_once(AGAIN).map_or(name.clone(), |(id, _)| id.to_owned());
    ranked.into_iter().map(id).filter(|id| seen.insert(id.clone())).collect()
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
    let id = own.question_id;
    let asked_at =
        read_date(&own.question_date).with_context(|| format!("question {id}: question_date"))?;
    let mut notes = Vec::new();
    let mut session = |one: OwnSession| {
        let date = match &one.date {
            Some(date) => {
                read_date(date).with_context(|| format!("question {id}, session {}", one.id))?
            }
            None => {
                notes.push(longmemeval::undated(&one.id));
                asked_at
            }
        };
        Ok(Session { date, id: one.id, turns: one.turns })
    };
    let sessions = own.sessions.into_iter().map(&mut session).collect::<Result<_>>()?;
    Ok(Question {
        sessions,
        notes,
        id,
        kind: own.question_type,
        text: own.question,
        asked_at,
        answer: own.answer.as_ref().and_then(longmemeval::answer_text),
        abstention: own.abstention,
        gold: own.answer_session_ids,
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
        sessions: item.haystack.into_iter().chain(item.repeated).map(session).collect(),
        notes: item.notes,
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
            notes: Vec::new(),
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

    #[test]
    fn bug_8_sessions_of_one_id_and_without_a_date_are_kept_and_noted() {
        let said = serde_json::json!([
            {"role": "user", "content": "x"}, {"role": "system", "content": "y"},
            {"role": "user", "content": " "},
        ]);
        let line = serde_json::json!({
            "question_id": "q", "question": "?", "question_date": "2023-02-01",
            "sessions": [
                {"id": "a", "date": "2023-01-08", "turns": said},
                {"id": "a", "turns": said},
            ],
        });
        let mut question = from_own(&line.to_string()).unwrap();
        tidy(&mut question);
        let lines: Vec<String> = question
            .sessions
            .iter()
            .map(|one| format!("{} {} {}", one.id, one.date, one.turns.len()))
            .collect();
        assert_eq!(lines, ["a 2023-01-08T00:00:00Z 1", "a#again-2 2023-02-01T00:00:00Z 1"]);
        assert_eq!(question.notes.len(), 3, "{:?}", question.notes);
        let ranked = ["a#again-2", "b", "a"].map(str::to_owned).to_vec();
        assert_eq!(by_data_id(ranked), ["a", "b"]);
        let wrong = line.to_string().replace("2023-01-08", "8 January");
        let message = format!("{:#}", from_own(&wrong).unwrap_err());
        assert!(message.starts_with("question q, session a: cannot read the date"), "{message}");
    }

    /// What a file of a form gives: question, type, date, answer, gold, and sessions with their dates.
    fn lines_of(form: Form, text: &serde_json::Value) -> Vec<String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data.json");
        std::fs::write(&path, text.to_string()).unwrap();
        let line_of = |one: Question| {
            let sessions = one.sessions.iter().map(|session| {
                let roles: Vec<&str> =
                    session.turns.iter().map(|turn| turn.role.as_str()).collect();
                format!("{} {} {roles:?}", session.id, session.date)
            });
            let sessions: Vec<String> = sessions.collect();
            let Question { id, kind, asked_at, answer, gold, abstention, .. } = one;
            format!("{id} {kind} {asked_at} {answer:?} {gold:?} {abstention} {sessions:?}")
        };
        read(form, &path).unwrap().into_iter().map(line_of).collect()
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
            lines_of(Form::Longmemeval, &serde_json::json!([row])),
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
            lines_of(Form::Locomo, &serde_json::json!([dialogue])),
            [
                r#"c_q0 category 4 2023-05-08T13:56:00Z Some("Hello") ["D1"] false ["D1 2023-05-08T13:56:00Z [\"user\"]"]"#
            ]
        );
    }
}

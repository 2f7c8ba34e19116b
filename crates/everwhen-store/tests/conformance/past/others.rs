//! What others do in the histories: a model, another system with its chapters, and an agent with its graph and files.

use everwhen_engine::chapters::{ChapterKind, ImportedChapter, ImportedChapters};
use everwhen_engine::memory::Provenance;
use everwhen_engine::{Entity, Error, FileCommand, GraphChange, GraphRelation, Vault};
use everwhen_testkit::{ScriptedLlm, block_on};
use jiff::Timestamp;

use super::SAID;
use crate::rows::{at, name};
use crate::talk::memory;

/// How many things an agent may do.
pub(super) const DONE_BY_AGENTS: usize = 11;

/// A model that writes something else each time, quotes the first line of the user, and is away for every fourth
/// call.
pub(super) fn model() -> ScriptedLlm {
    let mut calls = 0;
    ScriptedLlm::new(move |prompt| {
        calls += 1;
        if calls % 4 == 0 {
            return Err(Error::unavailable("the model is down"));
        }
        let shown = &prompt.messages[1].content;
        let first = shown.split_once("User: ").and_then(|(_, rest)| rest.lines().next());
        let said = first.unwrap_or_default();
        Ok(match prompt.schema.as_ref().map(|schema| schema.name) {
            Some("facts") => format!(
                r#"{{"facts": [{{"line": 1, "quote": "{said}", "statement": "They said: {said}",
                    "matter": "home", "value": "{said}", "tags": ["general"]}}]}}"#
            ),
            Some(_) => format!(
                r#"{{"title": "Talk about {said} {calls}", "summary": "They spoke {calls} times.",
                    "entities": ["Anna"], "key_phrases": ["{said}"]}}"#
            ),
            None => format!("All of it, {calls} times."),
        })
    })
}

/// All chapters that the other system has when it has this many.
pub(super) fn chapters(count: usize) -> ImportedChapters {
    let chapter = |number: usize| ImportedChapter {
        kind: ChapterKind::Imported,
        title: None,
        text: format!("{} ({count})", SAID[number]),
        entities: Vec::new(),
        key_phrases: Vec::new(),
        until: at(number as i64 - 900),
        last_message: None,
        provenance: Provenance {
            source_id: Some(name(&format!("chapter{number}"))),
            ..Provenance::stated(name("wilmer"))
        },
        metadata: None,
    };
    let chapters = (0..count).map(chapter).collect();
    ImportedChapters { chapters, summary: None, is_complete: true }
}

/// Does one of a few things to the graph or the files. What is refused changes nothing.
pub(super) fn act(vault: &Vault, what: usize) {
    let anna = || "Anna".to_owned();
    let plays = || vec![(anna(), vec!["plays the cello".to_owned()])];
    let works =
        || GraphRelation { from: anna(), to: "Acme".to_owned(), kind: "works_at".to_owned() };
    let entity = |kind: &str| {
        vec![Entity { name: anna(), kind: kind.to_owned(), observations: vec!["speaks".into()] }]
    };
    let (path, text) = ("/memories/notes.md".to_owned(), "The garden\nneeds water".to_owned());
    let graph = |change| drop(block_on(vault.change_graph(memory(), change)));
    let file = |command| drop(block_on(vault.run_file_command(memory(), command, None, None)));
    match what {
        0 => graph(GraphChange::AddEntities(entity("person"))),
        1 => graph(GraphChange::AddEntities(entity("gardener"))),
        2 => graph(GraphChange::AddObservations(plays())),
        3 => graph(GraphChange::RemoveObservations(plays())),
        4 => graph(GraphChange::AddRelations(vec![works()])),
        5 => graph(GraphChange::RemoveRelations(vec![works()])),
        6 => graph(GraphChange::RemoveEntities(vec![anna()])),
        7 => file(FileCommand::Create { path, text }),
        8 => file(FileCommand::Replace { path, old: "water".into(), new: "no water".into() }),
        9 => file(FileCommand::Rename { from: path, to: "/memories/garden.md".into() }),
        _ => file(FileCommand::Delete { path: "/memories/garden.md".into() }),
    }
}

/// The directory of the files and those in it, as they were.
pub(super) fn files(vault: &Vault, then: Timestamp) -> String {
    let view = |path: &str| {
        let command = FileCommand::View { path: path.to_owned(), lines: None };
        format!("{:?}", block_on(vault.run_file_command(memory(), command, Some(then), None)))
    };
    ["/memories", "/memories/notes.md", "/memories/garden.md"].map(view).join("\n")
}

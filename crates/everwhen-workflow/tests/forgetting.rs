//! A forget while a workflow runs: nothing that the run has read before is kept after it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use everwhen::job::JobKind;
use everwhen::memory::{Address, EntryId, MemoryId, Name, NewEntry, Role, Said};
use everwhen::ports::PromptMessage;
use everwhen::time::Zone;
use everwhen::{Engine, Forget, Vault};
use everwhen_store::{SqliteOptions, SqliteStore};
use everwhen_testkit::{block_on, engine_over};
use everwhen_workflow::{Chat, MemoryPlace, RunObserver, Trace, Workflows};
use tempfile::TempDir;

/// What is forgotten.
const SECRET: &str = "I like zanzibarium tea";

/// A node before the responder, the responder, and nodes behind it.
const NODES: &str = r#"[
    {"type": "StaticResponse", "content": "read"},
    {"type": "StaticResponse", "content": "Noted.", "returnToUser": true},
    {"type": "SaveCustomFile", "filepath": "note.txt", "content": "{chat_user_prompt_last_one}"}]"#;

/// Writes a summary after the answer.
const SUMMARY: &str = r#"[
    {"type": "StaticResponse", "content": "Noted.", "returnToUser": true},
    {"type": "WriteCurrentSummaryToFileAndReturnIt", "input": "{chat_user_prompt_last_one}"}]"#;

struct Stage {
    directory: TempDir,
    engine: Engine,
    vault: Vault,
    workflows: Workflows,
}

fn memory() -> Address<MemoryId> {
    Address::Name(Name::new("memory", "m").unwrap())
}

impl Stage {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let flows = directory.path().join("flows");
        std::fs::create_dir(&flows).unwrap();
        std::fs::write(flows.join("w.json"), NODES).unwrap();
        std::fs::write(flows.join("s.json"), SUMMARY).unwrap();
        let store = SqliteStore::open(&directory.path().join("e.db"), SqliteOptions::default());
        let (engine, _) = engine_over(Arc::new(store.unwrap()));
        let vault = Address::Name(Name::new("vault", "ana").unwrap());
        let vault = block_on(engine.vault_to_write(vault)).unwrap();
        let workflows = Workflows::read(&flows, &directory.path().join("files"), &[]);
        Self { directory, engine, vault, workflows }
    }

    /// Says something in a memory, and returns its id.
    fn say(&self, memory: Address<MemoryId>, text: &str) -> EntryId {
        let entry = NewEntry::new(Role::User, Said::new(text).unwrap());
        block_on(self.vault.remember(memory.clone(), vec![entry], None)).unwrap();
        let page = block_on(self.vault.entries(memory, None, Default::default())).unwrap();
        page.data.last().unwrap().id
    }

    fn chat(&self) -> Chat {
        let message = PromptMessage { role: Role::User, content: SECRET.into() };
        Chat::unknown(vec![message], self.engine.now(), Zone::utc())
    }

    fn place(&self) -> MemoryPlace {
        MemoryPlace { engine: self.engine.clone(), vault: self.vault.clone(), memory: memory() }
    }

    /// The number of workflows of which something is left to do.
    fn left(&self) -> usize {
        let jobs = block_on(self.engine.jobs(99)).unwrap();
        jobs.iter().filter(|job| job.kind == JobKind::Workflow).count()
    }

    /// Whether any file has the words that are forgotten.
    fn is_anywhere(&self) -> bool {
        let files = std::fs::read_dir(self.directory.path()).unwrap();
        files
            .map(|file| std::fs::read(file.unwrap().path()).unwrap_or_default())
            .any(|bytes| bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes()))
    }
}

/// Forgets once a node has run.
struct Forgetful(Option<Box<dyn FnOnce() + Send>>);

impl RunObserver for Forgetful {
    fn on_text(&mut self, _piece: &str) {}

    fn ran(&mut self, _trace: Trace) {
        if let Some(forget) = self.0.take() {
            std::thread::spawn(forget).join().unwrap();
        }
    }
}

fn forgetful(vault: &Vault, memory: Address<MemoryId>, what: Forget) -> Forgetful {
    let vault = vault.clone();
    Forgetful(Some(Box::new(move || drop(block_on(vault.forget(memory, what, None)).unwrap()))))
}

#[tokio::test]
async fn what_a_run_has_yet_to_do_is_not_kept_if_something_was_forgotten_meanwhile() {
    for whole in [false, true] {
        let stage = Stage::new();
        let secret = stage.say(memory(), SECRET);
        stage.say(memory(), "I like birds");
        let what = if whole { Forget::Memory } else { Forget::Entry(secret) };
        let mut forgetful = forgetful(&stage.vault, memory(), what);
        let (chat, place) = (stage.chat(), stage.place());
        let answered = stage.workflows.answer("w", &chat, Some(&place), &mut forgetful).await;
        assert_eq!(answered.unwrap(), "Noted.", "the chat goes on");
        assert_eq!(stage.left(), 0);
        assert!(!stage.is_anywhere());
    }
}

#[tokio::test]
async fn what_a_run_has_yet_to_do_is_kept_if_something_else_was_forgotten() {
    let stage = Stage::new();
    let other = Address::Name(Name::new("memory", "other").unwrap());
    stage.say(memory(), SECRET);
    stage.say(other.clone(), "I like birds");
    let mut forgetful = forgetful(&stage.vault, other, Forget::Memory);
    let (chat, place) = (stage.chat(), stage.place());
    stage.workflows.answer("w", &chat, Some(&place), &mut forgetful).await.unwrap();
    assert_eq!(stage.left(), 1);
}

#[tokio::test]
async fn a_summary_of_what_was_forgotten_meanwhile_is_refused() {
    let stage = Stage::new();
    let secret = stage.say(memory(), SECRET);
    stage.say(memory(), "I like birds");
    let mut forgetful = forgetful(&stage.vault, memory(), Forget::Entry(secret));
    let played = stage.workflows.play("s", &stage.chat(), &stage.place(), &mut forgetful).await;
    let refused = played.unwrap_err().to_string();
    assert!(refused.contains("something was forgotten"), "{refused}");
    assert!(!stage.is_anywhere());
}

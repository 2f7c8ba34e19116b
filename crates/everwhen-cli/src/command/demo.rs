//! `everwhen demo`: a fictional year in a memory of its own, played with the clock of the story, so that
//! both times of everything are those of that year.

mod story;

use std::path::PathBuf;
use std::sync::Arc;

use everwhen::memory::Chance;
use everwhen::time::{Clock, ManualClock, Zone, read_time_in};
use everwhen::{Config, Environment, Everwhen, Flags, SystemChance, World};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use self::story::{Act, Story};
use super::{EPHEMERAL, serve};
use crate::args::{CommonArgs, DemoArgs, ServeArgs};
use crate::client::{Client, Request, escape};
use crate::console::{rows, rows_of, text};
use crate::failure::{Failure, Result};
use crate::output;

/// The year.
const YEAR: &str = include_str!("../../demo/year.story");
/// The vault it is stored in.
const VAULT: &str = "demo";
/// Conversations have ended this long after their last words, and what is made of them is ready.
const AFTERWARDS: SignedDuration = SignedDuration::from_hours(2);

/// Fills the directory and serves it.
pub(crate) fn run(environment: &Environment, common: &CommonArgs, args: &DemoArgs) -> Result<()> {
    let directory = Directory::of(named(environment, common, args.fill)?)?;
    let flags = Flags {
        data: Some(directory.path.display().to_string()),
        listen: Some(args.listen.clone().unwrap_or_else(|| "127.0.0.1:0".into())),
        upstream: args.upstream.clone(),
        vault: Some(VAULT.into()),
        log: Some("warn".into()),
        ..Flags::default()
    };
    let config = Config::load(environment, &flags)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let entries = runtime.block_on(fill(&config))?;
    drop(runtime);
    output::note(&format!(
        "a fictional year of {entries} entries is in {}",
        config.data.value.display()
    ));
    if args.fill {
        return Ok(());
    }
    output::note("look at it with the address below, and /ui/ behind it; Ctrl-C ends it");
    serve::run(&config, &ServeArgs::default(), common.json)
}

/// The directory that is meant. What is only looked at does not go into the usual one.
fn named<'n>(
    environment: &'n Environment,
    common: &'n CommonArgs,
    fills: bool,
) -> Result<Option<&'n str>> {
    let is_kept = |named: &&str| *named != EPHEMERAL;
    let named = common.data.as_deref();
    if !fills || named.is_some_and(|named| is_kept(&named)) {
        return Ok(named.filter(is_kept));
    }
    let usual = environment.get("EVERWHEN_DATA").filter(|_| named.is_none()).filter(is_kept);
    usual.map(Some).ok_or_else(|| Failure::usage("--fill needs the directory to fill: --data DIR"))
}

/// Where the demo is kept; a directory that was not asked for goes with the command.
struct Directory {
    path: PathBuf,
    is_ours: bool,
}

impl Directory {
    fn of(named: Option<&str>) -> Result<Self> {
        if let Some(named) = named {
            let path = PathBuf::from(named);
            if path.join(everwhen::DATABASE_FILE).exists() {
                return Err(Failure::usage(format!(
                    "{named} holds a memory already; name a directory that does not exist yet"
                )));
            }
            return Ok(Self { path, is_ours: false });
        }
        let mut name = [0; 8];
        SystemChance.fill(&mut name);
        let name = format!("everwhen-demo-{:016x}", u64::from_be_bytes(name));
        Ok(Self { path: std::env::temp_dir().join(name), is_ours: true })
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        if self.is_ours {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

/// A clock that the player moves.
struct StoryClock(Arc<ManualClock>);

impl Clock for StoryClock {
    fn now(&self) -> Timestamp {
        self.0.now()
    }
}

/// Plays the year; answers how many entries it has.
async fn fill(config: &Config) -> Result<usize> {
    let story = Story::read(YEAR).map_err(Failure::new)?;
    let mut player = Player::new(config, &story).await?;
    for event in &story.events {
        player.pass_until(event.at).await?;
        player.act(&event.memory, &event.act).await?;
    }
    player.pass_until(player.clock.now() + AFTERWARDS).await?;
    player.client.finish().await?;
    Ok(story.events.iter().filter(|event| matches!(event.act, Act::Say { .. })).count())
}

struct Player {
    client: Client,
    clock: Arc<ManualClock>,
    zone: Zone,
}

impl Player {
    async fn new(config: &Config, story: &Story) -> Result<Self> {
        let zone = Zone::named(&story.zone)?;
        let clock = Arc::new(ManualClock::new(story.events[0].at));
        let world = World {
            clock: Box::new(StoryClock(Arc::clone(&clock))),
            chance: Box::new(SystemChance),
        };
        let everwhen = Everwhen::open_in_world(config, world)?;
        let client = Client::local(everwhen, config).await?;
        let player = Self { client, clock, zone };
        let vault = json!({ "name": VAULT, "zone": story.zone, "description": "A fictional year" });
        player.send(Request::post("/v1/vaults", &vault)).await?;
        for (name, description) in &story.memories {
            let memory = json!({ "name": name, "description": description });
            let path = format!("/v1/vaults/{VAULT}/memories");
            player.send(Request::post(path, &memory)).await?;
        }
        Ok(player)
    }

    async fn send(&self, request: Request) -> Result<Value> {
        self.client.send(request).await?.value()
    }

    /// Lets time pass. What falls due after a conversation is done soon after it, not when a user
    /// speaks again.
    async fn pass_until(&mut self, at: Timestamp) -> Result<()> {
        let soon = self.clock.now() + AFTERWARDS;
        for time in [soon, at].into_iter().filter(|time| *time <= at) {
            self.clock.set(time);
            self.client.settle().await?;
        }
        Ok(())
    }

    async fn act(&self, memory: &str, act: &Act) -> Result<()> {
        let path = |rest: &str| format!("/v1/vaults/{VAULT}/memories/{}{rest}", escape(memory));
        let request = match act {
            Act::Say { role, words, tags, at } => {
                let at = at.as_deref().map(|at| read_time_in(at, &self.zone)).transpose()?;
                let at = at.unwrap_or_else(|| self.clock.now()).to_string();
                let entry = json!({
                    "role": role, "content": words, "tags": tags, "conversation_time": at,
                });
                Request::post(path("/entries"), &entry)
            }
            Act::End { reason } => {
                Request::post(path("/conversations/end"), &json!({ "reason": reason }))
            }
            Act::Context { text } => Request::put(path("/context"), &json!({ "content": text })),
            Act::Correct { start, words, reason } => {
                let entry = self.entry(&path("/entries"), start).await?;
                let correction = json!({ "content": words, "reason": reason });
                Request::post(
                    path(&format!("/entries/{}/correction", text(&entry["id"]))),
                    &correction,
                )
            }
            Act::Fork { start } => {
                let entry = self.entry(&path("/entries"), start).await?;
                let conversation = escape(text(&entry["conversation_id"]));
                let fork = json!({ "after": entry["id"] });
                Request::post(path(&format!("/conversations/{conversation}/fork")), &fork)
            }
            Act::Pin { start } => return self.pin(&path("/facts"), start).await,
        };
        self.send(request).await.map(drop)
    }

    /// The last entry that starts like this.
    async fn entry(&self, path: &str, start: &str) -> Result<Value> {
        let page = Request::get(path).with("order", Some("desc")).with("limit", Some("1000"));
        let page = self.send(page).await?;
        let found = rows(&page).iter().find(|entry| text(&entry["content"]).starts_with(start));
        found.cloned().ok_or_else(|| Failure::new(format!("no entry of the story starts: {start}")))
    }

    /// Facts are found when the conversation is over.
    async fn pin(&self, path: &str, start: &str) -> Result<()> {
        let now = self.clock.now();
        self.clock.set(now + AFTERWARDS);
        self.client.settle().await?;
        let page = self.send(Request::get(path).with("limit", Some("1000"))).await?;
        let facts = rows_of(&page["data"]).iter();
        let mut facts = facts.filter(|fact| text(&fact["statement"]).starts_with(start));
        let fact = facts
            .next()
            .ok_or_else(|| Failure::new(format!("no fact of the story starts: {start}")))?;
        let pin = format!("{path}/{}/pin", text(&fact["id"]));
        self.send(Request::post(pin, &json!({ "pinned": true }))).await.map(drop)
    }
}

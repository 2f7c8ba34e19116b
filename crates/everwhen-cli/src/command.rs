//! Every command, one file each. [`run`] loads the configuration and connects to the API for the commands
//! that need them.

mod backup;
mod bench;
mod chapters;
mod completions;
mod config;
mod connect;
mod context;
mod conversation;
mod conversations;
mod correct;
mod demo;
mod doctor;
mod end;
mod entries;
mod entry;
mod export;
mod export_smarthole;
mod export_vault;
mod facts;
mod forget;
mod fork;
mod health;
mod help;
mod hint;
mod hook;
mod import;
mod key_file;
mod keys;
mod man;
mod mcp;
mod memories;
mod migrate;
mod models;
mod next;
mod place;
mod prompt;
mod recall;
mod reference;
mod remember;
mod restore;
mod retrospection;
mod serve;
mod server_tasks;
mod service;
mod shutdown;
mod store;
mod tags;
mod tail;
mod timeline;
mod ui;
mod usage;
mod vaults;
mod wait;
mod watch;
mod wilmer;
mod wilmer_export;
mod wilmer_times;
mod workflow;

use everwhen::{Config, Environment, Flags};

use self::hint::explained;
pub(crate) use self::hook::discard_input;
use crate::args::{
    AloneCommand, ApiCommand, Cli, Command, CommonArgs, ConfiguredCommand, ExportTarget,
};
use crate::console::Console;
use crate::failure::Result;
use crate::output;

/// The data directory that keeps nothing beyond the command or the server.
const EPHEMERAL: &str = ":memory:";

/// A command's configuration and common flags.
struct Setup {
    config: Config,
    environment: Environment,
    common: CommonArgs,
}

/// What a command is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    /// What was stored before: the command makes no data directory.
    WhatIsThere,
    /// Also what it stores itself.
    Anything,
}

impl Setup {
    /// Connects to the API, runs the command, and runs the jobs it caused.
    async fn with_console(&self, run: impl AsyncFnOnce(&Console) -> Result<()>) -> Result<()> {
        let console = Console::open(&self.config, &self.environment, &self.common).await?;
        run(&console).await?;
        console.close().await
    }
}

/// Runs a command.
pub(crate) fn run(cli: Cli) -> Result<()> {
    let Cli { common, command } = cli;
    let flags = flags(&common, command.as_ref());
    let about = match command.as_ref().is_some_and(Command::is_about_what_is_there) {
        true => About::WhatIsThere,
        false => About::Anything,
    };
    match command {
        Some(Command::Alone(command)) => run_alone(common, command),
        Some(Command::Configured(command)) => {
            configured(common, flags, about, |setup| run_configured(setup, command))
        }
        Some(Command::Api(command)) => configured(common, flags, about, |setup| {
            runtime()?.block_on(setup.with_console(async |console| ask(console, command).await))
        }),
        None => configured(common, flags, about, |setup| {
            runtime()?.block_on(next::run(&setup.config, &setup.environment, &setup.common))
        }),
    }
}

fn run_alone(common: CommonArgs, command: AloneCommand) -> Result<()> {
    match command {
        AloneCommand::Hook(args) => {
            hook::run(common, &args);
            Ok(())
        }
        AloneCommand::Completions(args) => completions::run(&args),
        AloneCommand::Man(args) => man::run(&args),
        AloneCommand::Help(args) => help::run(&args),
        AloneCommand::Version => version(common.json),
    }
}

/// Loads the configuration and runs a command with it.
fn configured(
    common: CommonArgs,
    flags: Flags,
    about: About,
    run: impl FnOnce(Setup) -> Result<()>,
) -> Result<()> {
    let common = of_project(common)?;
    let flags = Flags { memory: common.memory.clone(), ..flags };
    let environment = Environment::of_process()?;
    let config = Config::load(&environment, &flags)?;
    let ephemeral = ephemeral(&config)?;
    if about == About::WhatIsThere && ephemeral.is_none() {
        place::require(&config, &environment, &common)?;
    }
    let config = match &ephemeral {
        Some(directory) => {
            let data = Some(directory.path().display().to_string());
            Config::load(&environment, &Flags { data, ..flags })?
        }
        None => config,
    };
    let done = run(Setup { config, environment, common });
    // What was kept there goes with it.
    drop(ephemeral);
    done
}

/// A directory of its own for `--data :memory:`, in memory where the system has such a place.
fn ephemeral(config: &Config) -> Result<Option<tempfile::TempDir>> {
    if config.data.value.file_name().is_none_or(|name| name != EPHEMERAL) {
        return Ok(None);
    }
    let in_memory = std::path::Path::new("/dev/shm");
    let named = tempfile::Builder::new().prefix("everwhen-").to_owned();
    let made = if in_memory.is_dir() { named.tempdir_in(in_memory) } else { named.tempdir() };
    Ok(Some(made?))
}

fn run_configured(setup: Setup, command: ConfiguredCommand) -> Result<()> {
    let Setup { config, environment, common } = &setup;
    let json = common.json;
    match command {
        ConfiguredCommand::Serve(args) => serve::run(config, &args, json),
        ConfiguredCommand::Health(args) => {
            runtime()?.block_on(health::run(config, environment, common, &args))
        }
        ConfiguredCommand::Ui(args) => ui::run(config, environment, common, &args),
        ConfiguredCommand::Demo(args) => demo::run(environment, common, &args),
        ConfiguredCommand::Mcp(args) => {
            mcp::run(setup.config, setup.environment, setup.common, &args)
        }
        ConfiguredCommand::Connect(args) => connect::connect(config, environment, common, &args),
        ConfiguredCommand::Disconnect(args) => {
            connect::disconnect(config, environment, common, &args)
        }
        ConfiguredCommand::Service(args) => service::run(config, environment, &args),
        ConfiguredCommand::Config(args) => config::run(config, environment, &args, json),
        ConfiguredCommand::Models(args) => runtime()?.block_on(models::run(config, args, json)),
        ConfiguredCommand::Workflow(args) => {
            runtime()?.block_on(workflow::run(config, &args, json))
        }
        ConfiguredCommand::Migrate(args) => migrate::run(&args, json),
        ConfiguredCommand::Backup(args) => backup::run(config, &args, json),
        ConfiguredCommand::Store(args) => runtime()?.block_on(store::run(config, &args, json)),
        ConfiguredCommand::Bench(args) => {
            // Here --data names a dataset, not the data directory.
            let flags = Flags { config: common.config.clone(), ..Flags::default() };
            let config = Config::load(environment, &flags)?;
            runtime()?.block_on(bench::run(&config, common, &args))
        }
        ConfiguredCommand::Keys(args) => runtime()?.block_on(keys::run(&setup, args)),
        ConfiguredCommand::Doctor(args) => runtime()?.block_on(
            setup.with_console(async |console| doctor::run(console, config, &args).await),
        ),
        ConfiguredCommand::Watch(args) => runtime()?
            .block_on(setup.with_console(async |console| watch::run(console, config, &args).await)),
    }
}

/// Whether a command shows what jobs make: facts, titles, summaries, chapters, context documents.
fn shows_what_jobs_make(command: &ApiCommand) -> bool {
    matches!(
        command,
        ApiCommand::Facts(_)
            | ApiCommand::Profile(_)
            | ApiCommand::Conversations(_)
            | ApiCommand::Conversation(_)
            | ApiCommand::Retrospection(_)
            | ApiCommand::Chapters(_)
            | ApiCommand::Summary(_)
            | ApiCommand::Context(_)
            | ApiCommand::Prompt
            | ApiCommand::Recall(_)
    )
}

/// Runs a command that is a request to the API.
async fn ask(console: &Console, command: ApiCommand) -> Result<()> {
    if shows_what_jobs_make(&command) {
        console.catch_up().await?;
    }
    match command {
        ApiCommand::Remember(args) => remember::run(console, *args).await,
        ApiCommand::Entries(args) => explained(console, entries::run(console, &args).await).await,
        ApiCommand::Entry(args) => entry::run(console, &args).await,
        ApiCommand::Correct(args) => correct::run(console, args).await,
        ApiCommand::Tags(args) => tags::run(console, &args).await,
        ApiCommand::Forget(args) => forget::run(console, &args).await,
        ApiCommand::Import(args) => import::run(console, &args).await,
        ApiCommand::Export(args) => export_to(console, args.target).await,
        ApiCommand::Conversations(args) => conversations::run(console, &args).await,
        ApiCommand::Conversation(args) => conversation::run(console, &args).await,
        ApiCommand::End(args) => end::run(console, &args).await,
        ApiCommand::Fork(args) => fork::run(console, &args).await,
        ApiCommand::Restore(args) => restore::run(console, &args).await,
        ApiCommand::Retrospection(args) => retrospection::run(console, &args).await,
        ApiCommand::Prompt => prompt::run(console).await,
        ApiCommand::Context(args) => context::run(console, args).await,
        ApiCommand::Timeline(args) => explained(console, timeline::run(console, &args).await).await,
        ApiCommand::Facts(args) => explained(console, facts::run(console, &args).await).await,
        ApiCommand::Pin(args) => facts::pin(console, &args).await,
        ApiCommand::Profile(args) => facts::profile(console, &args).await,
        ApiCommand::Chapters(args) => chapters::run(console, &args).await,
        ApiCommand::Summary(args) => chapters::summary(console, &args).await,
        ApiCommand::Regenerate => chapters::regenerate(console).await,
        ApiCommand::Distill(args) => chapters::distill(console, &args).await,
        ApiCommand::Recall(args) => explained(console, recall::run(console, &args).await).await,
        ApiCommand::Usage(args) => usage::run(console, &args).await,
        ApiCommand::Vaults(args) => vaults::run(console, args).await,
        ApiCommand::Memories(args) => memories::run(console, args).await,
        ApiCommand::Tail(_) => tail::run(console).await,
    }
}

/// Exports in the format of another program.
async fn export_to(console: &Console, target: ExportTarget) -> Result<()> {
    match target {
        ExportTarget::Vault(args) => export_vault::run(console, &args).await,
        ExportTarget::Messages(args) => export::messages(console, &args).await,
        ExportTarget::Markdown(args) => export::markdown(console, &args).await,
        ExportTarget::Chatgpt(args) => export_vault::chats(console, "chatgpt", &args).await,
        ExportTarget::Claude(args) => export_vault::chats(console, "claude", &args).await,
        ExportTarget::OpenWebui(args) => export_vault::chats(console, "open-webui", &args).await,
        ExportTarget::Sillytavern(args) => export_vault::chats(console, "sillytavern", &args).await,
        ExportTarget::Wilmer(args) => wilmer_export::run(console, &args).await,
        ExportTarget::WilmerTimestamps(args) => wilmer_times::export(console, &args).await,
        ExportTarget::Smarthole(args) => export_smarthole::run(console, &args).await,
    }
}

/// Prints the version.
fn version(json: bool) -> Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    if json {
        return output::json(&serde_json::json!({ "version": version }).to_string());
    }
    output::line(&format!("everwhen {version}"))
}

/// `--project` as the name of a memory.
fn of_project(mut common: CommonArgs) -> Result<CommonArgs> {
    if common.project {
        common.memory = Some(crate::project::memory_name(&std::env::current_dir()?));
    }
    Ok(common)
}

/// The command-line flags that set configuration values.
fn flags(common: &CommonArgs, command: Option<&Command>) -> Flags {
    let mut flags = Flags {
        config: common.config.clone(),
        data: common.data.clone(),
        store: common.store.clone(),
        vault: common.vault.clone(),
        memory: common.memory.clone(),
        ..Flags::default()
    };
    if let Some(Command::Configured(ConfiguredCommand::Serve(args))) = command {
        flags.listen = args.listen.clone();
        flags.zone = args.zone.clone();
        flags.log = args.log.clone();
        flags.log_format = args.log_format.clone();
        flags.embedder = args.embedder.clone();
        flags.upstream = args.upstream.clone();
        flags.stamps = args.stamps.clone();
    }
    flags
}

/// One thread is enough for one command.
fn runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?)
}

//! Every command, one file each. [`run`] loads the configuration, connects to the API, runs the
//! command, and runs the jobs it caused.

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
mod prompt;
mod recall;
mod reference;
mod remember;
mod restore;
mod retrospection;
mod serve;
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
use crate::args::{Cli, Command, CommonArgs, ExportTarget, KeysAction, KeysArgs};
use crate::console::Console;
use crate::failure::Result;
use crate::output;

/// The data directory that keeps nothing beyond the command or the server.
const EPHEMERAL: &str = ":memory:";

/// Runs a command.
pub(crate) fn run(cli: Cli) -> Result<()> {
    let Cli { common, command } = cli;
    match &command {
        Some(Command::Completions(args)) => return completions::run(args),
        Some(Command::Man(args)) => return man::run(args),
        Some(Command::Help(args)) => return help::run(args),
        Some(Command::Version) => return version(common.json),
        Some(Command::Hook(args)) => {
            hook::run(common, args);
            return Ok(());
        }
        _ => {}
    }
    let common = of_project(common)?;
    let environment = Environment::of_process()?;
    let flags = flags(&common, command.as_ref());
    let config = Config::load(&environment, &flags)?;
    let ephemeral = ephemeral(&config)?;
    let config = match &ephemeral {
        Some(directory) => {
            let data = Some(directory.path().display().to_string());
            Config::load(&environment, &Flags { data, ..flags })?
        }
        None => config,
    };
    let done = match command {
        Some(command) => run_with(common, command, environment, config),
        None => runtime()?.block_on(next::run(&config, &environment, &common)),
    };
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

/// Runs a command with its configuration.
fn run_with(
    common: CommonArgs,
    command: Command,
    environment: Environment,
    config: Config,
) -> Result<()> {
    match command {
        Command::Serve(args) => serve::run(&config, &args, common.json),
        Command::Health(args) => {
            runtime()?.block_on(health::run(&config, &environment, &common, &args))
        }
        Command::Ui(args) => ui::run(&config, &environment, &common, &args),
        Command::Demo(args) => demo::run(&environment, &common, &args),
        Command::Mcp(args) => mcp::run(config, environment, common, &args),
        Command::Connect(args) => connect::connect(&config, &environment, &common, &args),
        Command::Disconnect(args) => connect::disconnect(&config, &environment, &common, &args),
        Command::Service(args) => service::run(&config, &environment, &args),
        Command::Config(args) => config::run(&config, &environment, &args, common.json),
        Command::Models(args) => runtime()?.block_on(models::run(&config, args, common.json)),
        Command::Workflow(args) => runtime()?.block_on(workflow::run(&config, &args, common.json)),
        Command::Migrate(args) => migrate::run(&args, common.json),
        Command::Backup(args) => backup::run(&config, &args, common.json),
        Command::Store(args) => runtime()?.block_on(store::run(&config, &args, common.json)),
        Command::Bench(args) => {
            // Here --data names a dataset, not the data directory.
            let flags = Flags { config: common.config.clone(), ..Flags::default() };
            let config = Config::load(&environment, &flags)?;
            runtime()?.block_on(bench::run(&config, &common, &args))
        }
        Command::Keys(KeysArgs { action: Some(KeysAction::Ensure(args)) }) => {
            runtime()?.block_on(key_file::ensure(&config, &args, common.json))
        }
        command => runtime()?.block_on(ask(&config, &environment, &common, command)),
    }
}

/// Runs a command that needs the API.
async fn ask(
    config: &Config,
    environment: &Environment,
    common: &CommonArgs,
    command: Command,
) -> Result<()> {
    let console = Console::open(config, environment, common).await?;
    if shows_what_jobs_make(&command) {
        console.catch_up().await?;
    }
    match command {
        Command::Doctor(args) => doctor::run(&console, config, &args).await?,
        Command::Watch(args) => watch::run(&console, config, &args).await?,
        command => dispatch(&console, command).await?,
    }
    console.close().await
}

/// Whether a command shows what jobs make: facts, titles, summaries, chapters, context documents.
fn shows_what_jobs_make(command: &Command) -> bool {
    matches!(
        command,
        Command::Facts(_)
            | Command::Profile(_)
            | Command::Conversations(_)
            | Command::Conversation(_)
            | Command::Retrospection(_)
            | Command::Chapters(_)
            | Command::Summary(_)
            | Command::Context(_)
            | Command::Prompt
            | Command::Recall(_)
    )
}

async fn dispatch(console: &Console, command: Command) -> Result<()> {
    match command {
        Command::Remember(args) => remember::run(console, *args).await,
        Command::Entries(args) => explained(console, entries::run(console, &args).await).await,
        Command::Entry(args) => entry::run(console, &args).await,
        Command::Correct(args) => correct::run(console, args).await,
        Command::Tags(args) => tags::run(console, &args).await,
        Command::Forget(args) => forget::run(console, &args).await,
        Command::Import(args) => import::run(console, &args).await,
        Command::Export(args) => export_to(console, args.target).await,
        Command::Conversations(args) => conversations::run(console, &args).await,
        Command::Conversation(args) => conversation::run(console, &args).await,
        Command::End(args) => end::run(console, &args).await,
        Command::Fork(args) => fork::run(console, &args).await,
        Command::Restore(args) => restore::run(console, &args).await,
        Command::Retrospection(args) => retrospection::run(console, &args).await,
        Command::Prompt => prompt::run(console).await,
        Command::Context(args) => context::run(console, args).await,
        Command::Timeline(args) => explained(console, timeline::run(console, &args).await).await,
        Command::Facts(args) => explained(console, facts::run(console, &args).await).await,
        Command::Pin(args) => facts::pin(console, &args).await,
        Command::Profile(args) => facts::profile(console, &args).await,
        Command::Chapters(args) => chapters::run(console, &args).await,
        Command::Summary(args) => chapters::summary(console, &args).await,
        Command::Regenerate => chapters::regenerate(console).await,
        Command::Distill(args) => chapters::distill(console, &args).await,
        Command::Recall(args) => explained(console, recall::run(console, &args).await).await,
        Command::Usage(args) => usage::run(console, &args).await,
        Command::Vaults(args) => vaults::run(console, args).await,
        Command::Memories(args) => memories::run(console, args).await,
        Command::Keys(args) => keys::run(console, args).await,
        Command::Tail(_) => tail::run(console).await,
        Command::Serve(_)
        | Command::Health(_)
        | Command::Ui(_)
        | Command::Demo(_)
        | Command::Mcp(_)
        | Command::Connect(_)
        | Command::Disconnect(_)
        | Command::Hook(_)
        | Command::Backup(_)
        | Command::Migrate(_)
        | Command::Store(_)
        | Command::Doctor(_)
        | Command::Watch(_)
        | Command::Config(_)
        | Command::Models(_)
        | Command::Workflow(_)
        | Command::Bench(_)
        | Command::Service(_)
        | Command::Completions(_)
        | Command::Man(_)
        | Command::Help(_)
        | Command::Version => {
            unreachable!("these commands have run before")
        }
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
    if let Some(Command::Serve(args)) = command {
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

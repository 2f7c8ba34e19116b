//! Commands and flags. Their doc comments are the `--help` texts: one line of purpose, then examples.

mod agents;
mod backup;
mod bench;
mod conversations;
mod entries;
mod facts;
mod groups;
mod help;
mod import;
mod mcp;
mod models;
mod recall;
mod ui;
mod upkeep;
mod vaults;
mod watch;
mod workflow;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub(crate) use agents::{AgentName, ConnectArgs, ConnectScope, DisconnectArgs, HookArgs};
pub(crate) use backup::BackupArgs;
pub(crate) use bench::{
    BenchArgs, BenchTopic, CompareArgs, DatasetArgs, DistillBenchArgs, ExamArgs, ImportBenchArgs,
    LogsArgs, LongMemEvalArgs, McpBenchArgs, ModeArg, OverheadArgs, PlanArgs, ProxyBenchArgs,
    RecallBenchArgs, RunArgs, StoreBenchArgs, TuneArgs, VerifyArgs, WorkflowBenchArgs,
};
pub(crate) use conversations::{
    ContextAction, ContextArgs, ConversationArgs, ConversationsArgs, EndArgs, ForkArgs,
    RestoreArgs, RetrospectionArgs, TimelineArgs,
};
pub(crate) use entries::{CorrectArgs, EntriesArgs, EntryArgs, ForgetArgs, RememberArgs, TagsArgs};
pub(crate) use facts::{ChaptersArgs, DistillArgs, FactsArgs, PinArgs, ProfileArgs, SummaryArgs};
pub(crate) use groups::{command, plain_command};
pub(crate) use help::{
    HelpArgs, ManArgs, ServiceAction, ServiceArgs, ServiceInstallArgs, ServiceScopeArgs,
};
pub(crate) use import::{
    ExportArgs, ExportChatsArgs, ExportFileArgs, ExportFolderArgs, ExportTarget, ExportTimesArgs,
    ExportVaultArgs, ImportArgs, ImportFileArgs, ImportPathsArgs, ImportSource, ImportTimesArgs,
    ImportWilmerArgs,
};
pub(crate) use mcp::McpArgs;
pub(crate) use models::{CalibrateArgs, ModelsAction, ModelsArgs, PullArgs, UsageArgs};
pub(crate) use recall::RecallArgs;
pub(crate) use ui::{DemoArgs, UiArgs};
pub(crate) use upkeep::{
    CompletionsArgs, ConfigAction, ConfigArgs, DoctorArgs, HealthArgs, MigrateArgs, ServeArgs,
    StoreAction, StoreArgs, TailArgs,
};
pub(crate) use vaults::{
    EnsureKeyArgs, KeysAction, KeysArgs, MemoriesAction, MemoriesArgs, MemoryArgs, NewKeyArgs,
    NewVaultArgs, RulesArgs, VaultChangeArgs, VaultsAction, VaultsArgs,
};
pub(crate) use watch::WatchArgs;
pub(crate) use workflow::{WorkflowAction, WorkflowArgs, WorkflowRunArgs};

/// Memory that knows when.
///
/// Everwhen stores what is said together with when it was said, splits it into conversations at
/// real pauses, and answers questions about it by time. Commands use the server that holds the data
/// directory if one is running, and open the directory themselves otherwise.
#[derive(Debug, Parser)]
#[command(name = "everwhen", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(after_help = "\
EXAMPLES
  everwhen remember \"I went to the museum\" --at \"2023-01-08 12:49\"
  everwhen entries --after 2023-01-01
  everwhen timeline
  everwhen serve

TIMES are RFC 3339 (2023-01-08T12:49:00+01:00), or 2023-01-08 12:49, or 2023-01-08 in the vault's zone.
EXIT CODES: 0 success, 1 failure, 2 invalid arguments, settings or files, 3 not found, 4 conflict.")]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct CommonArgs {
    /// Print the API's JSON response instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Vault, by name or id [default: default]
    #[arg(long, global = true, value_name = "VAULT")]
    pub(crate) vault: Option<String>,
    /// Memory in the vault, by name or id [default: default]
    #[arg(long, global = true, value_name = "MEMORY")]
    pub(crate) memory: Option<String>,
    /// Memory of the project in the current folder, as connected agents use it
    #[arg(long, global = true, conflicts_with = "memory")]
    pub(crate) project: bool,
    /// Data directory
    #[arg(long, global = true, value_name = "DIR", conflicts_with = "server")]
    pub(crate) data: Option<String>,
    /// PostgreSQL database to use instead of the data directory
    #[arg(long, global = true, value_name = "URL", conflicts_with = "server")]
    pub(crate) store: Option<String>,
    /// Configuration file
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Send requests to the server at this URL [environment: EVERWHEN_SERVER]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// API key for that server [environment: EVERWHEN_KEY]
    #[arg(long, global = true, value_name = "KEY")]
    pub(crate) key: Option<String>,
}

/// The commands, by what they need before they run. Each command stands in one of the groups; `--help`
/// shows them all, in an order of its own.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Alone(AloneCommand),
    #[command(flatten)]
    Configured(ConfiguredCommand),
    #[command(flatten)]
    Api(ApiCommand),
}

impl Command {
    /// The action of the command, as the rest of "could not …".
    pub(crate) fn purpose(&self) -> &'static str {
        match self {
            Self::Alone(command) => command.purpose(),
            Self::Configured(command) => command.purpose(),
            Self::Api(command) => command.purpose(),
        }
    }

    /// Whether the command shows or changes what is there already, so that it makes no data directory.
    pub(crate) fn is_about_what_is_there(&self) -> bool {
        match self {
            Self::Alone(_) => false,
            Self::Configured(command) => command.is_about_what_is_there(),
            Self::Api(command) => command.is_about_what_is_there(),
        }
    }
}

/// Commands that need no configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum AloneCommand {
    Hook(HookArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
    Help(HelpArgs),
    /// Print the version
    #[command(after_help = "\
EXAMPLES
  everwhen version
  everwhen version --json")]
    Version,
}

impl AloneCommand {
    fn purpose(&self) -> &'static str {
        match self {
            Self::Hook(_) => "answer the event",
            Self::Completions(_) => "write completions",
            Self::Man(_) => "write the manual",
            Self::Help(_) => "help",
            Self::Version => "print the version",
        }
    }
}

/// Commands that need the configuration, and connect to the API themselves where they need it.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfiguredCommand {
    Serve(ServeArgs),
    Health(HealthArgs),
    Ui(UiArgs),
    Demo(DemoArgs),
    Mcp(McpArgs),
    Connect(ConnectArgs),
    Disconnect(DisconnectArgs),
    Service(ServiceArgs),
    Config(ConfigArgs),
    Models(ModelsArgs),
    Workflow(WorkflowArgs),
    Migrate(MigrateArgs),
    Backup(BackupArgs),
    Store(StoreArgs),
    Bench(BenchArgs),
    Keys(KeysArgs),
    Doctor(DoctorArgs),
    Watch(WatchArgs),
}

impl ConfiguredCommand {
    fn purpose(&self) -> &'static str {
        match self {
            Self::Serve(_) => "serve",
            Self::Health(_) => "find a healthy server",
            Self::Ui(_) => "open the web interface",
            Self::Demo(_) => "show the demo",
            Self::Mcp(_) => "run the MCP server",
            Self::Connect(_) => "connect the agent",
            Self::Disconnect(_) => "disconnect the agent",
            Self::Service(_) => "manage the service",
            Self::Config(_) => "show the configuration",
            Self::Models(args) => args.purpose(),
            Self::Workflow(_) => "use the workflows",
            Self::Migrate(_) => "migrate",
            Self::Backup(args) => args.purpose(),
            Self::Store(_) => "manage the store",
            Self::Bench(_) => "measure",
            Self::Keys(args) => args.purpose(),
            Self::Doctor(_) => "pass all checks",
            Self::Watch(_) => "follow folders",
        }
    }

    fn is_about_what_is_there(&self) -> bool {
        match self {
            Self::Doctor(_) => true,
            Self::Keys(args) => args.is_about_what_is_there(),
            _ => false,
        }
    }
}

/// Commands that are requests to the API.
#[derive(Debug, Subcommand)]
pub(crate) enum ApiCommand {
    Tail(TailArgs),
    Remember(Box<RememberArgs>),
    Entries(EntriesArgs),
    Entry(EntryArgs),
    Correct(CorrectArgs),
    Tags(TagsArgs),
    Forget(ForgetArgs),
    Import(ImportArgs),
    Export(ExportArgs),
    Conversations(ConversationsArgs),
    Conversation(ConversationArgs),
    End(EndArgs),
    Fork(ForkArgs),
    Restore(RestoreArgs),
    Retrospection(RetrospectionArgs),
    /// Show the current and the latest conversations as text for a model
    #[command(after_help = "\
EXAMPLES
  everwhen prompt
  everwhen prompt --memory project-x | llm \"What did we decide?\"")]
    Prompt,
    Context(ContextArgs),
    Timeline(TimelineArgs),
    Facts(FactsArgs),
    Pin(PinArgs),
    Profile(ProfileArgs),
    Chapters(ChaptersArgs),
    Summary(SummaryArgs),
    /// Derive facts, chapters, summaries and titles from the entries again, with the same dates
    #[command(after_help = "\
EXAMPLES
  everwhen regenerate
  everwhen regenerate --memory project-x; everwhen distill")]
    Regenerate,
    Distill(DistillArgs),
    Recall(RecallArgs),
    Usage(UsageArgs),
    Vaults(VaultsArgs),
    Memories(MemoriesArgs),
}

impl ApiCommand {
    fn purpose(&self) -> &'static str {
        match self {
            Self::Tail(_) => "watch the proxy",
            Self::Remember(_) => "remember",
            Self::Entries(_) => "list entries",
            Self::Entry(_) => "show the entry",
            Self::Correct(_) => "correct the entry",
            Self::Tags(args) if args.id.is_some() => "change the tags",
            Self::Tags(_) => "list tags",
            Self::Forget(_) => "forget",
            Self::Import(_) => "import",
            Self::Export(_) => "export",
            Self::Conversations(_) => "list conversations",
            Self::Conversation(_) => "show the conversation",
            Self::End(_) => "end the conversation",
            Self::Fork(_) => "fork the conversation",
            Self::Restore(_) => "restore the conversation",
            Self::Retrospection(_) => "look back at conversations",
            Self::Prompt => "write the prompt",
            Self::Context(args) => args.purpose(),
            Self::Timeline(_) => "show the timeline",
            Self::Facts(args) => args.purpose(),
            Self::Pin(_) => "pin the fact",
            Self::Profile(_) => "show the profile",
            Self::Chapters(_) => "show chapters",
            Self::Summary(_) => "show the summary",
            Self::Regenerate => "regenerate",
            Self::Distill(_) => "distill",
            Self::Recall(_) => "recall",
            Self::Usage(_) => "show usage",
            Self::Vaults(args) => args.purpose(),
            Self::Memories(args) => args.purpose(),
        }
    }

    fn is_about_what_is_there(&self) -> bool {
        match self {
            Self::Remember(_) | Self::Import(_) => false,
            Self::Context(args) => !matches!(args.action, Some(ContextAction::Put { .. })),
            Self::Vaults(args) => !matches!(args.action, Some(VaultsAction::Add(_))),
            Self::Memories(args) => !matches!(args.action, Some(MemoriesAction::Add { .. })),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definitions_do_not_contradict_each_other() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_says_what_it_is_for_and_shows_examples() {
        for command in Cli::command().get_subcommands() {
            let name = command.get_name();
            assert!(command.get_about().is_some(), "{name} has no purpose");
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("EXAMPLES\n  everwhen "), "{name} has no examples");
        }
    }

    #[test]
    fn every_example_can_be_typed() {
        let main = Cli::command();
        for command in std::iter::once(&main).chain(main.get_subcommands()) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let examples = help.lines().filter_map(|line| line.strip_prefix("  everwhen "));
            for example in examples {
                let typed = example.split([';', '|', '>', '<']).next().unwrap();
                let words = std::iter::once("everwhen".to_owned()).chain(split(typed));
                let parsed = Cli::try_parse_from(words);
                assert!(parsed.is_ok(), "{example}: {}", parsed.unwrap_err());
            }
        }
    }

    #[test]
    fn help_texts_use_the_words_of_the_field() {
        let mut commands = vec![Cli::command()];
        while let Some(mut command) = commands.pop() {
            let help = command.render_long_help().to_string();
            let found: Vec<String> = everwhen_testkit::phrases::found(&help).collect();
            assert!(found.is_empty(), "{}: {found:?}", command.get_name());
            commands.extend(command.get_subcommands().cloned());
        }
    }

    /// Words as a shell would see them, quotes understood.
    fn split(line: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut quote = None;
        for letter in line.trim().chars() {
            match (quote, letter) {
                (Some(open), _) if letter == open => quote = None,
                (None, '"' | '\'') => quote = Some(letter),
                (None, ' ') => words.push(String::new()),
                _ => words.last_mut().unwrap().push(letter),
            }
        }
        words
    }
}

//! `everwhen connect` and `disconnect`: an agent's own configuration files, changed and restored.
//!
//! All new texts are made before the first file is written. What a file was before is kept in the data
//! directory, so that a file that has not changed since is restored byte by byte.

mod agents;
mod change;
mod json_text;
mod record;

use std::path::{Path, PathBuf};

use everwhen::{Config, Environment};

use self::agents::{Commands, Places, changes};
use self::change::FileChange;
use self::record::{Record, RecordedFile, hash};
use crate::args::{AgentName, CommonArgs, ConnectArgs, ConnectScope, DisconnectArgs};
use crate::failure::{Failure, Result};
use crate::{output, project};

/// A file before and after.
struct Rewrite {
    path: PathBuf,
    now: Option<String>,
    next: Option<String>,
}

/// Connects an agent.
pub(crate) fn connect(
    config: &Config,
    environment: &Environment,
    common: &CommonArgs,
    args: &ConnectArgs,
) -> Result<()> {
    let places = places(environment, args.scope)?;
    let commands = commands(config, environment, common)?;
    let mut record = Record::open(config, args.agent, args.scope, &places.project);
    let (mut rewrites, mut files) = (Vec::new(), Vec::new());
    for change in changes(args.agent, &places, &commands) {
        let (path, now) = read(&change.path)?;
        let known = record.of(&path);
        if known.is_none() && now.as_deref().is_some_and(|text| change.has_another(text)) {
            return Err(taken(args.agent, &path));
        }
        let before = before(&change, known, now.as_deref())?;
        let next = change.added(before.as_deref())?;
        let old_folders = known.map(|known| known.folders.clone());
        files.push(RecordedFile {
            before,
            written: hash(&next),
            folders: old_folders.unwrap_or_else(|| missing_folders(&path)),
            path: path.clone(),
        });
        rewrites.push(Rewrite { path, now, next: Some(next) });
    }
    show(&rewrites, args.print)?;
    if args.print {
        return Ok(());
    }
    record.files = files;
    // First, so that an interruption leaves nothing that cannot be undone.
    record.keep()?;
    write(&rewrites)?;
    output::line(&closing(args.agent, &commands))
}

/// Undoes [`connect`].
pub(crate) fn disconnect(
    config: &Config,
    environment: &Environment,
    common: &CommonArgs,
    args: &DisconnectArgs,
) -> Result<()> {
    let places = places(environment, args.scope)?;
    let commands = commands(config, environment, common)?;
    let record = Record::open(config, args.agent, args.scope, &places.project);
    let mut rewrites = Vec::new();
    for change in changes(args.agent, &places, &commands) {
        let (path, now) = read(&change.path)?;
        let next = match &now {
            Some(text) => undone(&change, record.of(&path), text)?,
            None => None,
        };
        rewrites.push(Rewrite { path, now, next });
    }
    show(&rewrites, args.print)?;
    if args.print {
        return Ok(());
    }
    write(&rewrites)?;
    for folder in record.files.iter().flat_map(|file| file.folders.iter().rev()) {
        // One that has something in it by now stays.
        let _ = std::fs::remove_dir(folder);
    }
    record.drop_file()?;
    output::line(&format!("{} is disconnected; what was remembered stays", args.agent.name()))
}

/// What was added by hand is the user's: taking its place would lose it.
fn taken(agent: AgentName, path: &Path) -> Failure {
    let (path, agent) = (path.display(), agent.name());
    Failure::new(format!(
        "{path}: \"everwhen\" is there already and runs something else; nothing was changed. \
         Remove it, by hand or with `everwhen disconnect {agent}`, and connect again"
    ))
}

/// The file without our additions, before they are made (again).
fn before(
    change: &FileChange,
    known: Option<&RecordedFile>,
    now: Option<&str>,
) -> Result<Option<String>> {
    match now {
        Some(text) => undone(change, known, text),
        None => Ok(None),
    }
}

fn undone(change: &FileChange, known: Option<&RecordedFile>, text: &str) -> Result<Option<String>> {
    match known {
        Some(known) if known.written == hash(text) => Ok(known.before.clone()),
        Some(known) => change.removed(text, known.before.as_deref()),
        None => change.removed(text, None),
    }
}

/// A file by its real path, and its text.
fn read(path: &Path) -> Result<(PathBuf, Option<String>)> {
    // A link to a file is kept, and the file it leads to is changed.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok((path, Some(text))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok((path, None)),
        Err(error) => Err(Failure::new(format!("{}: {error}", path.display()))),
    }
}

fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let missing = path.ancestors().skip(1).take_while(|folder| !folder.exists());
    let mut folders: Vec<PathBuf> = missing.map(Path::to_owned).collect();
    folders.reverse();
    folders
}

fn write(rewrites: &[Rewrite]) -> Result<()> {
    for Rewrite { path, now, next } in rewrites {
        let written = match next {
            next if next == now => Ok(()),
            Some(text) => replace(path, text),
            None => std::fs::remove_file(path),
        };
        written.map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    }
    Ok(())
}

/// Replaces a file at once; a new one, which may hold a key, is its owner's alone.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    match path.exists() {
        true => everwhen_platform::replace_file(path, text.as_bytes()),
        false => everwhen_platform::replace_private_file(path, text.as_bytes()),
    }
}

/// Prints what changes, file by file.
fn show(rewrites: &[Rewrite], is_trial: bool) -> Result<()> {
    let mut lines = Vec::new();
    for Rewrite { path, now, next } in rewrites {
        let path = path.display();
        let (old, new) = (now.as_deref().unwrap_or_default(), next.as_deref().unwrap_or_default());
        let title = match (now, next) {
            (now, next) if now == next => format!("{path}: nothing to change"),
            (_, None) => format!("{path}: removed"),
            (None, _) => format!("{path}: new"),
            _ => format!("{path}:"),
        };
        lines.push(output::bold(&title));
        let (sign, kept, longer) =
            if new.len() < old.len() { ("-", new, old) } else { ("+", old, new) };
        let extra = extra_lines(kept, longer).into_iter();
        lines.extend(extra.map(|line| output::plain(&format!("{sign} {line}"))));
    }
    lines.extend(is_trial.then(|| "nothing was written".to_owned()));
    output::announce(lines)
}

/// The lines of `longer` that are not in `shorter`, which has the same lines otherwise.
fn extra_lines<'t>(shorter: &str, longer: &'t str) -> Vec<&'t str> {
    let mut kept = shorter.lines().peekable();
    let bare = |line: &str| line.trim_end().trim_end_matches(',').to_owned();
    let is_extra = |line: &&str| match kept.peek() {
        Some(next) if bare(next) == bare(line) => {
            kept.next();
            false
        }
        _ => true,
    };
    longer.lines().filter(is_extra).collect()
}

fn closing(agent: AgentName, commands: &Commands) -> String {
    let which = match commands.per_project {
        true => "each project has its own memory; see it there with: everwhen timeline --project",
        false => "all projects share the named memory",
    };
    let more = match agent {
        AgentName::Codex => "; Codex asks once whether the hooks may run (/hooks)",
        _ => "",
    };
    format!("{} is connected: {which}{more}", agent.name())
}

fn places(environment: &Environment, scope: ConnectScope) -> Result<Places> {
    let home = environment.get("HOME").or_else(|| environment.get("USERPROFILE"));
    let home = home.ok_or_else(|| Failure::new("HOME is not set"))?;
    let folder = |name: &str| environment.get(name).map(PathBuf::from);
    Ok(Places {
        home: PathBuf::from(home),
        project: project::top(&std::env::current_dir()?),
        scope,
        claude: folder("CLAUDE_CONFIG_DIR"),
        codex: folder("CODEX_HOME"),
        config: folder("XDG_CONFIG_HOME"),
    })
}

/// What agents are to run: this program, with the options of this command.
fn commands(config: &Config, environment: &Environment, common: &CommonArgs) -> Result<Commands> {
    if common.key.is_some() {
        return Err(Failure::usage(
            "a key does not belong into other programs' files; set EVERWHEN_KEY for the agent instead",
        ));
    }
    let absolute = |path: &Path| std::path::absolute(path).map(|path| path.display().to_string());
    let data = common.data.as_ref().map(|_| absolute(&config.data.value)).transpose()?;
    let file = common.config.as_deref().map(absolute).transpose()?;
    let given = [
        ("--data", data),
        ("--config", file),
        ("--store", common.store.clone()),
        ("--server", common.server.clone()),
        ("--vault", common.vault.clone()),
        ("--memory", common.memory.clone()),
    ];
    let given = given.into_iter().filter_map(|(flag, value)| Some([flag.to_owned(), value?]));
    Ok(Commands {
        program: program(environment)?,
        options: given.flatten().collect(),
        per_project: common.memory.is_none(),
    })
}

/// `everwhen` if a shell finds this program by that name, else its path.
fn program(environment: &Environment) -> Result<String> {
    let own = std::env::current_exe()?;
    let real = own.canonicalize().unwrap_or_else(|_| own.clone());
    let path = environment.get("PATH").unwrap_or_default();
    let found = std::env::split_paths(path).find_map(|folder| {
        let candidate = folder.join(format!("everwhen{}", std::env::consts::EXE_SUFFIX));
        candidate.canonicalize().ok().filter(|one| one.is_file())
    });
    match found {
        Some(found) if found == real => Ok("everwhen".to_owned()),
        _ => Ok(own.display().to_string()),
    }
}

//! `everwhen service`: the server as a service of systemd or launchd.
//!
//! A [`Manager`] says where a service file stands, what is in it, and which programs start, stop and
//! describe the service. This file does what all have in common.

mod launchd;
mod systemd;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use everwhen::{Config, Environment, Origin};

use crate::args::{ServiceAction, ServiceArgs, ServiceInstallArgs, ServiceScopeArgs};
use crate::failure::{Failure, Result};
use crate::output;

/// What a service runs.
struct ServedCommand {
    /// This program.
    program: PathBuf,
    /// The configuration file, if one is in use.
    config: Option<PathBuf>,
    /// The data directory, if it is not the usual one.
    data: Option<PathBuf>,
}

/// A program of the system that runs services.
trait Manager {
    /// The service file.
    fn file(&self) -> &Path;
    /// Its text.
    fn text(&self, served: &ServedCommand) -> String;
    /// Starts the service, now and later.
    fn start(&self) -> Vec<Vec<String>>;
    /// Stops the service, now and later, while its file is still there.
    fn stop(&self) -> Vec<Vec<String>>;
    /// What is to be run when the file is gone.
    fn forget(&self) -> Vec<Vec<String>>;
    /// Succeeds if the service runs.
    fn probe(&self) -> Vec<String>;
}

/// Runs the action.
pub(crate) fn run(config: &Config, environment: &Environment, args: &ServiceArgs) -> Result<()> {
    match &args.action {
        ServiceAction::Install(args) => {
            let manager = manager(environment, args.scope)?;
            install(&*manager, &served(config, args.scope)?, args)
        }
        ServiceAction::Remove(scope) => remove(&*manager(environment, *scope)?),
        ServiceAction::Status(scope) => status(&*manager(environment, *scope)?),
    }
}

fn manager(environment: &Environment, scope: ServiceScopeArgs) -> Result<Box<dyn Manager>> {
    let home = || {
        let home = environment.get("HOME").map(PathBuf::from);
        home.ok_or_else(|| Failure::new("HOME is not set, so there is no place for a service file"))
    };
    match (std::env::consts::OS, scope.system) {
        ("linux", true) => Ok(Box::new(systemd::Systemd::of_machine())),
        ("linux", false) => {
            let config = environment.get("XDG_CONFIG_HOME").map(PathBuf::from);
            let config = config.map_or_else(|| home().map(|home| home.join(".config")), Ok)?;
            Ok(Box::new(systemd::Systemd::of_user(&config)))
        }
        ("macos", false) => Ok(Box::new(launchd::Launchd::of_user(&home()?))),
        ("macos", true) => {
            Err(Failure::usage("on macOS a service belongs to a user; leave out --system"))
        }
        (other, _) => Err(Failure::new(format!(
            "services of {other} are not known; let the system run `everwhen serve` by its own means"
        ))),
    }
}

/// What the service is to run, by the configuration of this command.
fn served(config: &Config, scope: ServiceScopeArgs) -> Result<ServedCommand> {
    let is_usual = matches!(config.data.from, Origin::Default);
    let absolute = |path: &PathBuf| std::path::absolute(path);
    Ok(ServedCommand {
        program: std::env::current_exe()?,
        config: config.file.as_ref().map(absolute).transpose()?,
        // A service of the machine has a directory of its own.
        data: (!is_usual && !scope.system).then(|| absolute(&config.data.value)).transpose()?,
    })
}

fn install(manager: &dyn Manager, served: &ServedCommand, args: &ServiceInstallArgs) -> Result<()> {
    let (file, text) = (manager.file(), manager.text(served));
    if args.print {
        return output::line(text.trim_end());
    }
    let failed = |error: std::io::Error| {
        let hint = if args.scope.system { "; try it with sudo" } else { "" };
        Failure::new(format!("cannot write {}: {error}{hint}", file.display()))
    };
    if let Some(directory) = file.parent() {
        std::fs::create_dir_all(directory).map_err(failed)?;
    }
    std::fs::write(file, text).map_err(failed)?;
    output::announce([format!("wrote {}", file.display())])?;
    if args.no_start {
        return output::line(&format!("start it with: {}", shown(&manager.start())));
    }
    run_all(&manager.start())?;
    output::line("the service runs; see it with: everwhen service status")
}

fn remove(manager: &dyn Manager) -> Result<()> {
    let file = manager.file();
    if !file.exists() {
        return Err(not_installed(file));
    }
    // A service that does not run cannot be stopped; its file goes all the same.
    if let Err(failure) = run_all(&manager.stop()) {
        output::note(&failure.message.unwrap_or_default());
    }
    std::fs::remove_file(file)
        .map_err(|error| Failure::new(format!("cannot remove {}: {error}", file.display())))?;
    if let Err(failure) = run_all(&manager.forget()) {
        output::note(&failure.message.unwrap_or_default());
    }
    output::line(&format!("removed {}; data stays where it is", file.display()))
}

fn status(manager: &dyn Manager) -> Result<()> {
    let file = manager.file();
    if !file.exists() {
        return Err(not_installed(file));
    }
    output::line(&format!("installed: {}", file.display()))?;
    if run_one(&manager.probe()).is_err() {
        return Err(Failure::new(format!(
            "it does not run; start it with: {}",
            shown(&manager.start())
        )));
    }
    output::line("running")
}

fn not_installed(file: &Path) -> Failure {
    Failure::new(format!(
        "the service is not installed ({} does not exist); install it with: everwhen service install",
        file.display()
    ))
}

fn run_all(commands: &[Vec<String>]) -> Result<()> {
    commands.iter().try_for_each(|command| run_one(command))
}

/// Runs a program of the system without showing what it prints, unless it fails.
fn run_one(command: &[String]) -> Result<()> {
    let [program, arguments @ ..] = command else { return Ok(()) };
    let mut child = Command::new(program);
    let ran = child.args(arguments).stdin(Stdio::null()).output();
    let problem = match ran {
        Ok(done) if done.status.success() => return Ok(()),
        Ok(done) => String::from_utf8_lossy(&done.stderr).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    Err(Failure::new(format!("`{}` failed: {}", command.join(" "), output::plain(&problem))))
}

fn shown(commands: &[Vec<String>]) -> String {
    let lines: Vec<String> = commands.iter().map(|command| command.join(" ")).collect();
    lines.join(" && ")
}

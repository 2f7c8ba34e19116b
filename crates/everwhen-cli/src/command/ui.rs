//! `everwhen ui`: opens the web interface of the running server, with a key.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use everwhen::{Config, Environment, Everwhen, Opened};
use everwhen_platform::private_file;

use super::place::is_new;
use crate::args::{CommonArgs, UiArgs};
use crate::client::{escape, server_url};
use crate::failure::{Failure, Result};
use crate::output;

/// A page that leads on to the server, in the data directory.
const PAGE: &str = "ui.html";

/// Where the page is, what to show it, and the directory of the server if it is ours.
struct Found {
    url: String,
    key: Option<String>,
    directory: Option<PathBuf>,
}

/// Opens it.
pub(crate) fn run(
    config: &Config,
    environment: &Environment,
    common: &CommonArgs,
    args: &UiArgs,
) -> Result<()> {
    let found = find(config, environment, common)?;
    let address = match &found.key {
        Some(key) => format!("{}/ui/#key={}", found.url, escape(key)),
        None => format!("{}/ui/", found.url),
    };
    if args.print {
        return output::line(&address);
    }
    // Other users of this machine can read the arguments of programs, but not this file.
    let target = match &found.directory {
        Some(directory) => leading_page(directory, &address)?,
        None => address,
    };
    if open(&target) {
        return output::line(&format!("opened {}/ui/ in the browser", found.url));
    }
    output::line(&format!(
        "no browser could be started; open {}/ui/ yourself, or print the address with the key: \
         everwhen ui --print",
        found.url
    ))
}

fn find(config: &Config, environment: &Environment, common: &CommonArgs) -> Result<Found> {
    let key = common.key.clone().or_else(|| environment.get("EVERWHEN_KEY").map(Into::into));
    let is_named = common.data.is_some() || common.store.is_some();
    let usual = environment.get("EVERWHEN_SERVER").filter(|_| !is_named);
    if let Some(url) = common.server.as_deref().or(usual) {
        return Ok(Found { url: server_url(url)?, key, directory: None });
    }
    if !is_new(config, environment, common)
        && let Opened::Elsewhere(holder) = Everwhen::open_or_find(config)?
        && let Some(server) = holder.server
    {
        let directory = Some(config.data.value.clone());
        return Ok(Found { url: server.url, key: Some(key.unwrap_or(server.token)), directory });
    }
    Err(Failure::new(
        "no server runs on this data directory; start one with: everwhen serve (or look at a \
         fictional year with: everwhen demo)",
    ))
}

/// A page, readable by its owner only, that leads to the address.
fn leading_page(directory: &Path, address: &str) -> Result<String> {
    let path = directory.join(PAGE);
    let mut file = private_file().truncate(true).open(&path)?;
    let page = format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Everwhen</title>\n\
         <meta http-equiv=\"refresh\" content=\"0; url={address}\">\n"
    );
    file.write_all(page.as_bytes())?;
    Ok(path.canonicalize()?.display().to_string())
}

/// Asks the system to open this; says whether it took it.
fn open(target: &str) -> bool {
    let programs: &[&[&str]] = if cfg!(target_os = "macos") {
        &[&["open"]]
    } else if cfg!(windows) {
        &[&["cmd", "/c", "start", ""]]
    } else {
        &[&["xdg-open"], &["sensible-browser"]]
    };
    programs.iter().any(|program| {
        let mut command = Command::new(program[0]);
        command.args(&program[1..]).arg(target);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    })
}

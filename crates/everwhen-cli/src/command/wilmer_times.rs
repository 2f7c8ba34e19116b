//! Times of messages as WilmerAI keeps them: one JSON map per discussion, from the SHA-256 of a text to
//! `(Saturday, 2025-09-20 18:31:21)` on the clock of the machine.
//!
//! A discussion is a memory. Its file is `DISCUSSION/timestamps.json`, or in older installations
//! `DISCUSSION_timestamps.json`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use everwhen::ledger::{absolute, read_absolute};
use everwhen::limits;
use everwhen::time::Zone;
use serde_json::{Map, Value, json};

use crate::args::{ExportTimesArgs, ImportTimesArgs};
use crate::client::{Request, escape};
use crate::console::{Console, text};
use crate::failure::{Failure, Result};
use crate::input::file_or_stdin;
use crate::{output, show};

/// A placeholder for the reply that is being generated.
const PLACEHOLDER: &str = "PLACEHOLDER_TIMESTAMP_HASH_0000";
/// The name of a file in the folder of its discussion.
const NESTED: &str = "timestamps.json";
/// What the name of a file beside others ends in.
const FLAT: &str = "_timestamps.json";
/// How deep folders are looked through: discussions may lie in a folder for each key.
const DEPTH: usize = 3;

/// One file and the memory it belongs to.
struct TimesFile {
    path: PathBuf,
    memory: String,
}

/// Imports files.
pub(crate) async fn import(console: &Console, args: &ImportTimesArgs) -> Result<()> {
    let mut sources = Vec::new();
    for path in &args.paths {
        find(path, console.memory(), DEPTH, &mut sources)?;
    }
    if sources.is_empty() {
        let places: Vec<String> =
            args.paths.iter().map(|path| path.display().to_string()).collect();
        return Err(Failure::usage(format!("no {NESTED} or *{FLAT} in {}", places.join(", "))));
    }
    let zone = console.zone().await?;
    let read = |source: &TimesFile| read(source, zone);
    let bodies = sources.iter().map(read).collect::<Result<Vec<Value>>>()?;
    let mut answers = Vec::new();
    for (source, body) in sources.iter().zip(&bodies) {
        if !args.dry_run {
            put(console, &source.memory, body).await?;
        }
        answers.push(json!({
            "file": source.path.display().to_string(),
            "memory": source.memory,
            "times": rows_of(&body["texts"]).len(),
        }));
    }
    if console.json {
        return output::json(&json!({ "dry_run": args.dry_run, "imported": answers }).to_string());
    }
    let times = answers.iter().filter_map(|one| one["times"].as_u64()).sum();
    let verb = if args.dry_run { "Would import" } else { "Imported" };
    let times = show::count(times, "time", "times");
    let memories = show::count(answers.len() as u64, "memory", "memories");
    output::line(&format!("{verb} {times} into {memories}"))
}

/// Exports the memory to a file.
pub(crate) async fn export(console: &Console, args: &ExportTimesArgs) -> Result<()> {
    let (path, count) = write_file(console, args).await?;
    if console.json {
        let file = path.display().to_string();
        return output::json(&json!({ "file": file, "times": count }).to_string());
    }
    let times = show::count(count as u64, "time", "times");
    output::line(&format!("Wrote {times} to {}", path.display()))
}

/// Writes the file; says where it is and how many times are in it.
pub(super) async fn write_file(
    console: &Console,
    args: &ExportTimesArgs,
) -> Result<(PathBuf, usize)> {
    let request = Request::get(console.in_memory("/times"));
    let times = console.send(request).await?.value()?;
    let map = write(&times, console.zone().await?)?;
    let name = console.memory();
    if name.contains(['/', '\\']) {
        return Err(Failure::usage(format!("{name:?} cannot be the name of a file")));
    }
    let path = match args.flat {
        true => args.folder.join(format!("{name}{FLAT}")),
        false => args.folder.join(name).join(NESTED),
    };
    save(&path, &map)?;
    Ok((path, map.len()))
}

/// Finds files, in folders too. A file with a name of its own is for the memory that is meant.
fn find(path: &Path, meant: &str, depth: usize, found: &mut Vec<TimesFile>) -> Result<()> {
    if !path.is_dir() {
        let memory = memory_of(path).unwrap_or_else(|| meant.to_owned());
        found.push(TimesFile { path: path.to_owned(), memory });
        return Ok(());
    }
    if depth == 0 {
        return Ok(());
    }
    let mut inside: Vec<PathBuf> =
        std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    inside.sort();
    for path in inside {
        if path.is_dir() || memory_of(&path).is_some() {
            find(&path, meant, depth - 1, found)?;
        }
    }
    Ok(())
}

/// The discussion a file belongs to, by its name or that of its folder.
fn memory_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    if name == NESTED {
        return Some(path.parent()?.file_name()?.to_str()?.to_owned());
    }
    name.strip_suffix(FLAT).filter(|id| !id.is_empty()).map(str::to_owned)
}

/// A file as the API takes it.
fn read(source: &TimesFile, zone: &Zone) -> Result<Value> {
    let shown = source.path.display();
    let document = file_or_stdin(&source.path.to_string_lossy())?;
    let map: Map<String, Value> = serde_json::from_str(&document).map_err(|_| {
        Failure::usage(format!("{shown} is not a JSON object of hashes and times, or is encrypted"))
    })?;
    let map = map.iter().map(|(key, value)| (key.clone(), text(value).to_owned())).collect();
    match body(&map, zone) {
        (body, wrong) if wrong.is_empty() => Ok(body),
        (_, wrong) => Err(Failure::usage(format!("{shown}: {}", wrong[0]))),
    }
}

/// Times as the API takes them, and what is wrong with those that it does not.
pub(super) fn body(map: &BTreeMap<String, String>, zone: &Zone) -> (Value, Vec<String>) {
    let mut body = json!({ "texts": [] });
    let (mut texts, mut wrong) = (Vec::new(), Vec::new());
    for (key, value) in map {
        let time = match read_absolute(value, zone) {
            Ok(time) => time.to_string(),
            Err(error) => {
                wrong.push(format!("{key}: {}", error.message()));
                continue;
            }
        };
        match key.as_str() {
            PLACEHOLDER => body["reply_began"] = json!(time),
            hash => texts.push(json!({ "text_hash": hash, "conversation_time": time })),
        }
    }
    body["texts"] = Value::Array(texts);
    (body, wrong)
}

/// How many times there are.
pub(super) fn count(body: &Value) -> usize {
    rows_of(&body["texts"]).len()
}

/// Sends a file, in parts if it is long.
pub(super) async fn put(console: &Console, memory: &str, body: &Value) -> Result<()> {
    let path = console.in_vault(&format!("/memories/{}/times", escape(memory)));
    let reply_began = &body["reply_began"];
    let parts: Vec<&[Value]> = rows_of(&body["texts"]).chunks(limits::IMPORT_ENTRIES).collect();
    for texts in if parts.is_empty() { vec![&[][..]] } else { parts } {
        let part = json!({ "texts": texts, "reply_began": reply_began });
        console.send(Request::put(path.clone(), &part)).await?;
    }
    Ok(())
}

fn rows_of(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Vec::as_slice)
}

/// The answer of the API as such a map.
fn write(times: &Value, zone: &Zone) -> Result<Map<String, Value>> {
    let shown = |time: &Value| -> Result<Value> {
        let time = everwhen::time::read_time(text(time))?;
        Ok(Value::String(absolute(zone, time)))
    };
    let mut map = Map::new();
    for one in rows_of(&times["texts"]) {
        map.insert(text(&one["text_hash"]).to_owned(), shown(&one["conversation_time"])?);
    }
    if times["reply_began"].is_string() {
        map.insert(PLACEHOLDER.to_owned(), shown(&times["reply_began"])?);
    }
    Ok(map)
}

/// Writes the file, and makes its folder.
fn save(path: &Path, map: &Map<String, Value>) -> Result<()> {
    let lines: Vec<String> =
        map.iter().map(|(key, value)| format!("    \"{key}\": {value}")).collect();
    let document = format!("{{\n{}\n}}", lines.join(",\n"));
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    Ok(everwhen_platform::replace_file(path, document.as_bytes())?)
}

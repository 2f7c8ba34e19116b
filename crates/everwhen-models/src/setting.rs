//! Which embedder a configuration means, and how it is opened.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use everwhen_engine::memory::Chance;
use everwhen_engine::ports::Embedder;
use everwhen_engine::{Error, Result};

use crate::{Cached, Remote, RemoteSetting, StaticTable, Transformer};

/// Which embedder to use.
#[derive(Debug, Clone, Default)]
pub enum EmbedderSetting {
    /// The table inside the binary.
    #[default]
    Static,
    /// A transformer in a directory.
    Directory {
        /// Where it is.
        path: PathBuf,
        /// Threads it runs on; without it, as many as there are cores.
        workers: Option<usize>,
    },
    /// An endpoint of OpenAI's or Ollama's kind.
    Remote(Box<RemoteSetting>),
    /// None: what is asked is found by its words alone.
    None,
}

impl EmbedderSetting {
    /// The embedder, ready to use. With a cache directory, what a transformer or an endpoint has
    /// embedded is kept there; the table is faster than any disk.
    pub async fn open(
        self,
        cache: Option<&Path>,
        chance: Arc<dyn Chance>,
    ) -> Result<Option<Arc<dyn Embedder>>> {
        let embedder: Arc<dyn Embedder> = match self {
            Self::None => return Ok(None),
            Self::Static => return Ok(Some(Arc::new(StaticTable))),
            Self::Directory { path, workers } => Arc::new(load(path, workers).await?),
            Self::Remote(setting) => Arc::new(Remote::open(*setting, chance).await?),
        };
        Ok(Some(match cache {
            None => embedder,
            Some(directory) => Arc::new(Cached::new(embedder, directory)?),
        }))
    }
}

/// Loading reads and computes for a moment, which nothing that waits should share a thread with.
async fn load(path: PathBuf, workers: Option<usize>) -> Result<Transformer> {
    let opening = tokio::task::spawn_blocking(move || Transformer::open(&path, workers));
    opening.await.map_err(|_| Error::damaged("the model panicked while it was loaded"))?
}

#[cfg(test)]
mod tests {
    use everwhen_engine::memory::SeededChance;

    use super::*;

    async fn open(setting: EmbedderSetting) -> Result<Option<Arc<dyn Embedder>>> {
        setting.open(None, Arc::new(SeededChance::new(1))).await
    }

    #[tokio::test]
    async fn the_table_is_what_there_is_without_a_setting() {
        let embedder = open(EmbedderSetting::default()).await.unwrap().unwrap();
        assert_eq!((embedder.name(), embedder.dimensions()), ("static256-e2", 256));
        let question = embedder.embed_question("Where is the dentist?").await.unwrap();
        assert_eq!(question, embedder.embed(&["Where is the dentist?"]).await.unwrap()[0]);
        assert!(open(EmbedderSetting::None).await.unwrap().is_none());
    }

    #[tokio::test]
    async fn what_cannot_be_opened_is_said() {
        let path = PathBuf::from("/no/such/model");
        let error = open(EmbedderSetting::Directory { path, workers: None }).await.err().unwrap();
        assert!(error.message().contains("/no/such/model"), "{error}");
    }
}

//! Models, local and remote, behind the ports of the engine.
//!
//! The embedder that is always there is [`StaticTable`]: a table of word-piece vectors inside the
//! binary, which needs no download, no key and no waiting. A [`Transformer`] runs a model from a
//! directory, which a [`Recipe`] can fetch; a [`Remote`] asks an endpoint. [`Cached`] keeps on
//! disk what either of them has computed. [`EmbedderSetting`] says which of them is used.

mod cache;
mod endpoint;
mod llm;
mod pull;
mod remote;
mod setting;
mod static_table;
mod tls;
mod transformer;
mod vector;
mod word_pieces;

pub use cache::Cached;
pub use endpoint::{RetryPolicy, Secret, Try, observe_tries};
pub use llm::{ChatAnswer, LlmSetting, OnText, Price, RemoteLlm, Samplers};
pub use pull::{OnProgress, Progress, Pulled, RECIPES, Recipe, Source};
pub use remote::{Remote, RemoteSetting};
pub use setting::EmbedderSetting;
pub use static_table::StaticTable;
pub use tls::client_builder;
pub use transformer::{ModelConfig, Pooling, Transformer};

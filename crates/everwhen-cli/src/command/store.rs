//! `everwhen store`: what is done to the store itself.

use everwhen::Config;
use serde_json::json;

use crate::args::{StoreAction, StoreArgs};
use crate::failure::Result;
use crate::output;

/// Does it, and says what was done.
pub(crate) async fn run(config: &Config, args: &StoreArgs, json: bool) -> Result<()> {
    let StoreAction::Distribute = args.action;
    let tables = everwhen::distribute(config).await?;
    if json {
        return output::json(&json!({ "distributed": tables }).to_string());
    }
    output::line(&match tables.as_slice() {
        [] => "all tables were spread by vault before".to_owned(),
        tables => format!("distributed by vault: {}", tables.join(", ")),
    })
}

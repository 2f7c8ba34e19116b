//! `everwhen health`: checks that a server is alive, for health checks of containers without other
//! programs.

use std::net::SocketAddr;
use std::time::Duration;

use everwhen::{Config, Environment};

use super::serve::reachable;
use crate::args::{CommonArgs, HealthArgs};
use crate::client::server_url;
use crate::failure::{Failure, Result};
use crate::output;

/// Timeout of the request.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Checks the server at the given URL, else the configured one.
pub(crate) async fn run(
    config: &Config,
    environment: &Environment,
    common: &CommonArgs,
    args: &HealthArgs,
) -> Result<()> {
    let named = args.url.as_deref().or(common.server.as_deref());
    let url = match named.or_else(|| environment.get("EVERWHEN_SERVER")) {
        Some(url) => server_url(url)?,
        None => configured(&config.listen.value)?,
    };
    let (path, state) = if args.ready { ("/readyz", "ready") } else { ("/healthz", "alive") };
    let key = common.key.as_deref().or_else(|| environment.get("EVERWHEN_KEY"));
    let (status, body) = ask(&url, path, key).await?;
    if !(200..300).contains(&status) {
        return Err(Failure::new(format!(
            "{url}{path} answered {status}; a server that is {state} answers 200"
        )));
    }
    if common.json { output::json(&body) } else { output::line(&format!("{url} is {state}")) }
}

/// The URL of the server that this configuration starts.
fn configured(listen: &str) -> Result<String> {
    if let Ok(address) = listen.parse::<SocketAddr>() {
        return Ok(format!("http://{}", reachable(address)));
    }
    // A name, such as localhost:3939, is reachable as it is.
    Ok(format!("http://{listen}"))
}

async fn ask(url: &str, path: &str, key: Option<&str>) -> Result<(u16, String)> {
    let unreachable = |error: reqwest::Error| {
        let mut cause: &dyn std::error::Error = &error;
        while let Some(deeper) = cause.source() {
            cause = deeper;
        }
        Failure::new(format!("no answer from {url}{path}: {cause}"))
    };
    let client = everwhen::models::client_builder(url).timeout(TIMEOUT).no_proxy().build();
    let mut request = client.map_err(unreachable)?.get(format!("{url}{path}"));
    if let Some(key) = key {
        request = request.bearer_auth(key);
    }
    let answer = request.send().await.map_err(unreachable)?;
    let status = answer.status().as_u16();
    Ok((status, answer.text().await.map_err(unreachable)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configured_address_is_asked_on_this_machine() {
        for (listen, url) in [
            ("0.0.0.0:3939", "http://127.0.0.1:3939"),
            ("[::]:80", "http://[::1]:80"),
            ("127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("localhost:3939", "http://localhost:3939"),
        ] {
            assert_eq!(configured(listen).unwrap(), url);
        }
    }
}

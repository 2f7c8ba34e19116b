//! `everwhen serve`: the server and its background jobs, until a signal stops it.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use everwhen::{
    Config, Engine, Everwhen, Protocol, ServerLimits, UPLOADS_FOLDER, Upstream, WorkerStatus,
    vault_differences, work_with_status,
};
use everwhen_server::McpSettings;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::server_tasks::ServerTasks;
use super::wait::StartupWait;
use crate::args::ServeArgs;
use crate::command::shutdown::{
    ShutdownSignal, at_once, stop_on_signal, stop_on_signal_or_input, stopped,
};
use crate::failure::{Failure, Result};
use crate::{log, output};

/// How long running tasks may take at the end.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long replies that are in the outbox may take to be stored at the end.
const STORING: Duration = Duration::from_secs(1);

/// Maximum number of vaults whose settings are logged.
const VAULTS: usize = 10;

/// Serves until a signal comes.
pub(crate) fn run(config: &Config, args: &ServeArgs, json: bool) -> Result<()> {
    log::start(config, &config.log.value);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(serve(config, args, json));
    match served {
        // The second signal: stop without waiting.
        Ok(Ended::AtOnce) => runtime.shutdown_background(),
        // After a failure the worker was not told to stop, so it is waited for only briefly.
        _ => runtime.shutdown_timeout(PATIENCE),
    }
    served.map(drop)
}

/// How serving ended.
enum Ended {
    /// All work in progress was finished.
    Whole,
    /// A second signal came before that.
    AtOnce,
}

async fn serve(config: &Config, args: &ServeArgs, json: bool) -> Result<Ended> {
    let wait = StartupWait::new(args.wait, |why| tracing::warn!("{why}"));
    wait.for_store(config).await?;
    let limits = within_file_limit(config.server.limits());
    let everwhen = Everwhen::open(config)?;
    let listener = listen(&config.listen.value).await?;
    let address = listener.local_addr()?;
    while let Err(failure) = require_keys(&everwhen, address).await {
        if !wait.goes_on(failure.message.as_deref().unwrap_or_default()).await {
            return Err(failure);
        }
    }

    let token = everwhen.operator_token().to_owned();
    let proxy = everwhen_server::Proxy::new(config, Some(everwhen.directory()))?;
    apply_settings(&everwhen, config).await?;
    let engine = everwhen.engine().clone();
    let engine = everwhen_workflow::with_writer(engine, config, proxy.workflows());
    let state = everwhen_server::ServerState::new(engine.clone(), Some(token)).await?;
    let state = state.with_mcp(McpSettings::of(config));
    let state = state.with_server(&config.server, &config.listen.value).with_proxy(proxy);
    let uploads = everwhen.directory().join(UPLOADS_FOLDER);
    let state = state.with_uploads(&uploads, !everwhen.is_shared());
    let state = state.with_backups(config.backup.clone(), everwhen.directory().to_owned());
    let stop = if args.stop_with_stdin { stop_on_signal_or_input()? } else { stop_on_signal()? };
    let status = WorkerStatus::default();
    let state = state.with_worker(status.clone());
    let tasks = ServerTasks::new(status.clone(), stop.clone());
    let catching_up = tasks.catch_up(&state);
    let mut background = tasks.start_all(config, &everwhen, &state)?;
    background.push(on_own_thread(work_with_status(engine, status, stopped(stop.clone()))));
    let url = format!("http://{}", reachable(address));
    everwhen.announce(&url)?;
    greet(&url, &everwhen, &config.upstreams, json)?;

    let tasks = (catching_up, background);
    tokio::select! {
        served = serve_requests(&state, (listener, limits), &stop, tasks) => {
            served.map(|()| Ended::Whole)
        }
        () = at_once(stop.clone()) => Ok(Ended::AtOnce),
    }
}

/// Serves requests until the process is asked to stop, and then finishes work in progress.
async fn serve_requests(
    state: &everwhen_server::ServerState,
    (listener, limits): (TcpListener, ServerLimits),
    stop: &ShutdownSignal,
    (catching_up, background): (JoinHandle<()>, Vec<JoinHandle<()>>),
) -> Result<()> {
    let router = everwhen_server::router(state.clone());
    let ending = end(state.clone(), stop.clone());
    let served = everwhen_server::serve(router, listener, limits, ending).await;
    catching_up.abort();
    state.end_replies();
    state.flush().await;
    // What is not stored by then is in the outbox, for the next start.
    let _ = tokio::time::timeout(STORING, state.settle()).await;
    // Serving ends by a signal, which stops the worker too, or by a failure, after which its
    // jobs wait for the next start.
    if served.is_ok() {
        for task in background {
            task.await.map_err(|error| Failure::new(error.to_string()))?;
        }
        tracing::info!("stopped");
    }
    Ok(served?)
}

/// Applies the settings of vaults as far as they apply to those that exist, and logs which do not.
async fn apply_settings(everwhen: &Everwhen, config: &Config) -> Result<()> {
    everwhen.apply_conversation_rules(config).await?;
    tokio::spawn(log_differences(everwhen.engine().clone(), config.clone()));
    Ok(())
}

/// Logs which vaults keep settings that the configuration does not say.
async fn log_differences(engine: Engine, config: Config) {
    match vault_differences(&engine, &config, VAULTS).await {
        Ok((lines, more)) => {
            lines.iter().for_each(|line| tracing::info!("{line}"));
            if more > 0 {
                tracing::info!(more, "more vaults have other settings than the configuration");
            }
        }
        Err(error) => tracing::warn!(%error, "the settings of vaults cannot be read"),
    }
}

/// Waits for a signal. Streams that would never end by themselves are ended then.
async fn end(state: everwhen_server::ServerState, stop: ShutdownSignal) {
    stopped(stop).await;
    state.end_watching();
}

/// Raises the limit of open files as far as the system allows, and keeps a quarter of it for what is
/// not a client's connection: the store, and connections to upstreams.
fn within_file_limit(limits: ServerLimits) -> ServerLimits {
    let files = match everwhen_platform::raise_file_limit() {
        Ok(None) => return limits,
        Ok(Some(files)) => files,
        Err(error) => {
            tracing::warn!(%error, "the limit of open files cannot be raised");
            return limits;
        }
    };
    let room = usize::try_from(files - files / 4).unwrap_or(usize::MAX);
    let max_connections = limits.max_connections.min(room);
    if max_connections < limits.max_connections {
        tracing::warn!(files, max_connections, "the limit of open files allows fewer connections");
    }
    tracing::debug!(files, max_connections, "open files and connections");
    ServerLimits { max_connections, ..limits }
}

/// Runs background work on a separate thread, so that requests do not wait behind it.
fn on_own_thread(work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    let runtime = tokio::runtime::Handle::current();
    tokio::task::spawn_blocking(move || runtime.block_on(work))
}

async fn listen(address: &str) -> Result<TcpListener> {
    everwhen_server::listen(address).await.map_err(|error| {
        let reason = match error.kind() {
            io::ErrorKind::AddrInUse => "another program listens there".to_owned(),
            _ => error.to_string(),
        };
        Failure::new(format!("cannot listen on {address}: {reason}; choose another with --listen"))
    })
}

/// Requires a key if the address can be reached from other machines.
async fn require_keys(everwhen: &Everwhen, address: SocketAddr) -> Result<()> {
    if address.ip().is_loopback() || !everwhen.engine().keys().await?.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "{address} can be reached from other machines and there are no keys yet, so anyone could \
         read everything; add one first: everwhen keys add --vault default {}",
        where_it_is(everwhen)
    )))
}

/// The flag that names the location of the store.
fn where_it_is(everwhen: &Everwhen) -> String {
    let flag = if everwhen.is_shared() { "--store" } else { "--data" };
    format!("{flag} {}", everwhen.whereabouts())
}

/// The address under which this machine reaches itself.
pub(super) fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::from([127, 0, 0, 1]),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

fn greet(url: &str, everwhen: &Everwhen, upstreams: &[Upstream], json: bool) -> Result<()> {
    let place = everwhen.whereabouts();
    if json {
        let mut hello = json!({ "url": url, "data": place, "docs": format!("{url}/docs"), "ui": format!("{url}/ui/") });
        if !upstreams.is_empty() {
            hello["upstreams"] = upstreams.iter().map(upstream_json).collect();
            let urls = base_urls(url, upstreams).into_iter();
            hello["base_urls"] = urls.map(|(protocol, url)| (protocol.as_str(), url)).collect();
        }
        return output::json(&hello.to_string());
    }
    output::line(&format!(
        "Everwhen answers at {} and keeps everything in {place}; see it: {url}/ui/; its API: \
         {url}/docs",
        output::bold(url)
    ))?;
    for line in proxy_lines(url, upstreams) {
        // A program that has read where the server is may have closed the pipe; the server goes on.
        if output::line(&line).is_err() {
            break;
        }
    }
    Ok(())
}

fn upstream_json(upstream: &Upstream) -> Value {
    json!({ "name": upstream.name, "kind": upstream.kind.as_str(), "url": upstream.root })
}

/// The address that apps of each protocol are given, if there is an upstream: any of them answers
/// chats in every protocol.
fn base_urls(url: &str, upstreams: &[Upstream]) -> Vec<(Protocol, String)> {
    let protocols = Protocol::ALL.into_iter().filter(|_| !upstreams.is_empty());
    protocols.map(|protocol| (protocol, protocol.adapter().client_url(url))).collect()
}

/// Whom the proxy asks, and the addresses for apps.
fn proxy_lines(url: &str, upstreams: &[Upstream]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for upstream in upstreams {
        let (kind, root) = (upstream.kind.as_str(), &upstream.root);
        // An upstream that was only given as an address is called as its kind.
        let guessed = match upstream.name == kind {
            true => "; for another kind write openai+, ollama+, anthropic+ or gemini+ before it",
            false => "",
        };
        lines.push(format!("Chats go on to {root} (kind: {kind}{guessed})"));
    }
    for (protocol, address) in base_urls(url, upstreams) {
        let app = protocol.adapter().title();
        lines.push(format!("  {app} base URL for your app: {}", output::bold(&address)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_for_everybody_is_announced_as_one_for_this_machine() {
        for (bound, announced) in [
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("192.168.1.5:80", "192.168.1.5:80"),
        ] {
            assert_eq!(reachable(bound.parse().unwrap()), announced.parse().unwrap());
        }
    }
}

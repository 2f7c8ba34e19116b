//! A real server, as a process of its own, on a free port of the loopback address.

use std::io::BufRead;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::client::Client;

/// A running server; ended when dropped.
pub(crate) struct Server {
    child: Child,
    host: String,
}

impl Server {
    /// Starts `everwhen serve` on a directory and waits until it answers.
    pub(crate) async fn start(binary: &Path, data: &Path, group_commit: bool) -> Result<Self> {
        let config = if group_commit { "" } else { "[store]\ncommit_group = 1\n" };
        Self::configured(binary, data, config).await
    }

    /// Starts a server with this configuration.
    pub(crate) async fn configured(binary: &Path, data: &Path, config_text: &str) -> Result<Self> {
        std::fs::create_dir_all(data)?;
        let config = data.join("bench.toml");
        std::fs::write(&config, config_text)?;
        let mut child = Command::new(binary)
            .args(["serve", "--listen", "127.0.0.1:0", "--log", "warn", "--data"])
            .arg(data)
            .arg("--config")
            .arg(&config)
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .with_context(|| format!("cannot start {}", binary.display()))?;
        let host = host_of(&mut child)?;
        let server = Self { child, host };
        server.wait_until_ready().await?;
        Ok(server)
    }

    /// Where it listens.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// A connection to it.
    pub(crate) async fn client(&self) -> Result<Client> {
        Client::connect(&self.host).await
    }

    /// Its resident memory in MiB.
    pub(crate) fn resident_mib(&self) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib: f64 = line
            .and_then(|line| line.trim().strip_suffix("kB"))
            .context("no VmRSS: this figure needs Linux")?
            .trim()
            .parse()?;
        Ok(kib / 1024.0)
    }

    async fn wait_until_ready(&self) -> Result<()> {
        let began = Instant::now();
        loop {
            if let Ok(mut client) = self.client().await
                && client.send("GET", "/readyz", "").await.is_ok()
            {
                return Ok(());
            }
            if began.elapsed() > Duration::from_secs(10) {
                bail!("the server did not get ready within ten seconds");
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It is ours and disposable; its data goes with the temporary directory.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The address the server prints in its first line.
fn host_of(child: &mut Child) -> Result<String> {
    let output = child.stdout.take().context("the server has no output")?;
    let mut lines = std::io::BufReader::new(output).lines();
    while let Some(line) = lines.next().transpose()? {
        if let Some((_, rest)) = line.split_once("http://") {
            let host = rest.split(|c: char| c == '/' || c.is_whitespace()).next();
            return Ok(host.unwrap_or(rest).to_owned());
        }
    }
    bail!("the server ended before it said where it listens")
}

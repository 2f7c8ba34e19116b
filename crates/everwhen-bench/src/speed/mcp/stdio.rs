//! An `everwhen mcp` as a process of its own, spoken to as an agent does: a line in, a line out.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command};

use anyhow::{Context, Result, bail};

/// A running process; ended when dropped.
pub(super) struct Stdio {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Stdio {
    /// Starts it on a directory and agrees on a version.
    pub(super) fn start(binary: &Path, data: &Path) -> Result<Self> {
        let mut child = Command::new(binary)
            .args(["mcp", "--data"])
            .arg(data)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", binary.display()))?;
        let input = child.stdin.take().context("it has no input")?;
        let output = BufReader::new(child.stdout.take().context("it has no output")?);
        let mut started = Self { child, input, output };
        started.send(
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#,
        )?;
        Ok(started)
    }

    /// Sends a message and waits for its answer.
    pub(super) fn send(&mut self, message: &str) -> Result<String> {
        writeln!(self.input, "{message}")?;
        self.input.flush()?;
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            bail!("the process ended");
        }
        Ok(line)
    }
}

impl Drop for Stdio {
    fn drop(&mut self) {
        // It is ours and disposable; its data goes with the temporary directory.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

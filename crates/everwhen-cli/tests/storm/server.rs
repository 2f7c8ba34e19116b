//! A real server in a process of its own, and requests to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// A server that runs until it is killed or dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) host: String,
}

impl Server {
    /// Starts one on this data, with the model at this address if there is one.
    pub(crate) fn start(data: &Path, model: Option<&str>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_everwhen"));
        // It is for the test; the program knows no such setting.
        command.env_remove("EVERWHEN_TEST_KILLS");
        if let Some(url) = model {
            command.env("EVERWHEN_LLM_PROVIDER", "openai").env("EVERWHEN_LLM_MODEL", "scripted");
            command.env("EVERWHEN_LLM_BASE_URL", url);
        }
        let mut child = command
            .args(["serve", "--listen", "127.0.0.1:0", "--log", "error", "--data"])
            .arg(data)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.find(|line| line.as_ref().unwrap().contains("http://")).unwrap().unwrap();
        let rest = line.split_once("http://").unwrap().1;
        let host = rest.split(|c: char| c == '/' || c.is_whitespace()).next().unwrap().to_owned();
        Self { child, host }
    }

    /// Ends it as a power cut would.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One request on a connection of its own; nothing if the server went away meanwhile.
pub(crate) fn request(host: &str, method: &str, path: &str, body: &str) -> Option<(u16, Value)> {
    let mut stream = TcpStream::connect(host).ok()?;
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(body.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let status = answer.split(' ').nth(1)?.parse().ok()?;
    let body = answer.split_once("\r\n\r\n")?.1;
    Some((status, serde_json::from_str(body).ok()?))
}

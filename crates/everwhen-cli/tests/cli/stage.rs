//! A fresh home with nothing in it, and the real binary run there.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// A home directory of its own, with a data directory in it.
pub(crate) struct Stage {
    home: tempfile::TempDir,
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A server that runs until dropped.
pub(crate) struct Serving {
    child: Child,
    pub(crate) url: String,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.home().join("data")
    }

    /// A file in the home directory.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.home().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// The binary, knowing nothing but this home and the zone of Berlin.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_everwhen"));
        command
            .env_clear()
            .env("HOME", self.home())
            .env("EVERWHEN_DATA", self.data())
            .env("EVERWHEN_ZONE", "Europe/Berlin")
            .current_dir(self.home())
            .stdin(Stdio::null())
            .args(args);
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        finish(&mut self.command(args), "")
    }

    pub(crate) fn run_with_input(&self, args: &[&str], input: &str) -> Ran {
        finish(&mut self.command(args), input)
    }

    /// Runs a command that must succeed; answers what it printed.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!(ran.code, 0, "{args:?}: {ran:?}");
        ran.stdout
    }

    /// Runs a command that must succeed and print one JSON document.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let printed = self.ok(&[args, &["--json"]].concat());
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"))
    }

    /// Starts a server on a free port and waits until it says where it is.
    pub(crate) fn serve(&self) -> Serving {
        self.serve_at("127.0.0.1:0")
    }

    pub(crate) fn serve_at(&self, address: &str) -> Serving {
        self.serve_with(self.command(&[]), address)
    }

    /// Starts a server before this model provider.
    pub(crate) fn serve_before(&self, upstream: &str) -> Serving {
        let mut command = self.command(&[]);
        command.env("EVERWHEN_UPSTREAM", upstream);
        // A busy machine may be slow; what is tested is not.
        command.env("EVERWHEN_PROXY_DEADLINE_MS", "20000");
        self.serve_with(command, "127.0.0.1:0")
    }

    /// Starts a server with an environment of its own; its log is kept for [`Self::server_log`].
    pub(crate) fn serve_with(&self, mut command: Command, address: &str) -> Serving {
        let log = std::fs::File::options().create(true).append(true).open(self.log_file());
        let mut child = command
            .args(["serve", "--json", "--listen", address])
            .stdout(Stdio::piped())
            .stderr(log.unwrap())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let hello: Value = serde_json::from_str(&line).expect("the server says where it is");
        Serving { child, url: hello["url"].as_str().unwrap().to_owned() }
    }

    fn log_file(&self) -> PathBuf {
        self.home().join("server.log")
    }

    /// What all servers of this home have logged so far.
    pub(crate) fn server_log(&self) -> String {
        std::fs::read_to_string(self.log_file()).unwrap()
    }
}

/// Sends JSON to a server; says whether it was acknowledged.
pub(crate) fn post(url: &str, path: &str, body: &str) -> bool {
    let host = url.trim_start_matches("http://").trim_end_matches('/');
    let Ok(mut stream) = TcpStream::connect(host) else { return false };
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    );
    let mut answer = String::new();
    stream.write_all(request.as_bytes()).is_ok()
        && stream.read_to_string(&mut answer).is_ok()
        && answer.starts_with("HTTP/1.1 2")
}

/// Polls until there is an answer. What bounds it is the number of polls, each with the time that
/// its own work takes, so that a busy machine is waited for.
pub(crate) fn eventually<T>(what: &str, mut poll: impl FnMut() -> Option<T>) -> T {
    const POLLS: usize = 3_000;
    for _ in 0..POLLS {
        if let Some(answer) = poll() {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("{what}: not after {POLLS} polls");
}

/// Runs a command to its end.
pub(crate) fn finish(command: &mut Command, input: &str) -> Ran {
    let pipes = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let stdin = if input.is_empty() { Stdio::null() } else { Stdio::piped() };
    let mut child = pipes.stdin(stdin).spawn().unwrap();
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes()).unwrap();
    }
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Serving {
    /// Ends the server as a power cut would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks the server to stop; answers its exit code.
    pub(crate) fn terminate(mut self) -> i32 {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        self.child.wait().unwrap().code().unwrap_or(-1)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads a request that a server of the test's own is sent; answers with its body.
pub(crate) fn read_request(stream: &mut TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    String::from_utf8(body).unwrap()
}

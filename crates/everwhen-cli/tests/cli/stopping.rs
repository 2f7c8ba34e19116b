//! Stopping a server by signals while requests are still open.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};

use crate::stage::Stage;

/// A server whose log can be read.
struct Logged {
    child: Child,
    log: BufReader<ChildStderr>,
    address: String,
}

impl Logged {
    fn start(stage: &Stage) -> Self {
        let words = ["serve", "--listen", "127.0.0.1:0", "--log", "info"];
        Self::spawn(&mut stage.command(&words))
    }

    fn spawn(command: &mut Command) -> Self {
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).unwrap().split(' ').next().unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        Self { child, log, address: address.to_owned() }
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    /// Waits for a line of the log.
    fn wait_for(&mut self, text: &str) {
        let mut line = String::new();
        while !line.contains(text) {
            line.clear();
            assert!(self.log.read_line(&mut line).unwrap() > 0, "the log ends without {text:?}");
        }
    }

    /// What is left of the log once the server has ended, with its exit code.
    fn end(mut self) -> (String, i32) {
        let mut rest = String::new();
        self.log.read_to_string(&mut rest).unwrap();
        (rest, self.child.wait().unwrap().code().unwrap_or(-1))
    }
}

impl Drop for Logged {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_second_signal_stops_at_once() {
    let stage = Stage::new();
    for (first, second) in [("-INT", "-INT"), ("-TERM", "-INT")] {
        let mut server = Logged::start(&stage);
        let mut client = TcpStream::connect(&server.address).unwrap();
        let unfinished = "POST /v1/vaults/default/memories/a/entries HTTP/1.1\r\nHost: localhost\r\n\
                          Content-Type: application/json\r\nContent-Length: 100\r\n\
                          Expect: 100-continue\r\n\r\n";
        client.write_all(unfinished.as_bytes()).unwrap();
        let mut goes_on = [0; 12];
        client.read_exact(&mut goes_on).unwrap();
        assert_eq!(&goes_on, b"HTTP/1.1 100", "the request is in flight");
        server.signal(first);
        server.wait_for("a second signal stops at once");
        server.signal(second);
        server.wait_for("stopping at once");
        let (log, code) = server.end();
        assert_eq!(code, 0);
        assert!(!log.contains("they are cut off"), "it waited until its time was over: {log}");
    }
}

#[test]
fn a_server_stops_when_its_standard_input_is_closed() {
    let stage = Stage::new();
    let words = ["serve", "--listen", "127.0.0.1:0", "--log", "info", "--stop-with-stdin"];
    let mut command = stage.command(&words);
    let mut server = Logged::spawn(command.stdin(Stdio::piped()));
    let mut client = TcpStream::connect(&server.address).unwrap();
    client.write_all(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = [0; 12];
    client.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200", "it serves while its input is open");
    drop(server.child.stdin.take());
    server.wait_for("a second signal stops at once");
    assert_eq!(server.end().1, 0);
    stage.ok(&["remember", "The directory is free again."]);
}

#[test]
fn somebody_who_watches_does_not_delay_the_end() {
    let stage = Stage::new();
    let mut server = Logged::start(&stage);
    let mut client = TcpStream::connect(&server.address).unwrap();
    client.write_all(b"GET /proxy/tail HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut begun = [0; 12];
    client.read_exact(&mut begun).unwrap();
    assert_eq!(&begun, b"HTTP/1.1 200");
    server.signal("-TERM");
    server.wait_for("a second signal stops at once");
    let (log, code) = server.end();
    assert_eq!(code, 0);
    assert!(!log.contains("they are cut off"), "{log}");
}

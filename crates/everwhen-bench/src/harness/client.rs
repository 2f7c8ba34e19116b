//! A client that costs less than what it measures: one connection, requests written as bytes.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// One keep-alive connection.
pub(crate) struct Client {
    stream: TcpStream,
    host: String,
    buffer: Vec<u8>,
}

impl Client {
    /// Connects to `127.0.0.1:3939`, say.
    pub(crate) async fn connect(host: &str) -> Result<Self> {
        let stream = TcpStream::connect(host).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, host: host.to_owned(), buffer: Vec::with_capacity(64 * 1024) })
    }

    /// Sends a request and reads the whole answer; anything but success is an error.
    pub(crate) async fn send(&mut self, method: &str, path: &str, body: &str) -> Result<()> {
        let request = self.request(method, path, body);
        self.send_bytes(&request).await
    }

    /// A request as it goes over the wire.
    pub(crate) fn request(&self, method: &str, path: &str, body: &str) -> Vec<u8> {
        format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        )
        .into_bytes()
    }

    /// Sends a request that was written before and reads the whole answer.
    pub(crate) async fn send_bytes(&mut self, request: &[u8]) -> Result<()> {
        self.stream.write_all(request).await?;
        self.read_answer().await
    }

    /// Like [`Self::send`], with more headers, each with its line break.
    pub(crate) async fn send_with(&mut self, path: &str, headers: &str, body: &str) -> Result<()> {
        let (host, length) = (&self.host, body.len());
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
             {headers}content-length: {length}\r\n\r\n{body}"
        );
        self.send_bytes(request.as_bytes()).await
    }

    /// The last answer, head and body.
    pub(crate) fn answer(&self) -> String {
        String::from_utf8_lossy(&self.buffer).into_owned()
    }

    async fn read_answer(&mut self) -> Result<()> {
        self.buffer.clear();
        let (head, length) = loop {
            if let Some(found) = head_of(&self.buffer)? {
                break found;
            }
            self.fill().await?;
        };
        while self.buffer.len() < head + length {
            self.fill().await?;
        }
        if !self.buffer.starts_with(b"HTTP/1.1 2") {
            bail!("the server refused: {}", String::from_utf8_lossy(&self.buffer));
        }
        Ok(())
    }

    async fn fill(&mut self) -> Result<()> {
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            bail!("the server hung up");
        }
        Ok(())
    }
}

/// The length of the head and of the body it announces, once the head is complete.
pub(crate) fn head_of(bytes: &[u8]) -> Result<Option<(usize, usize)>> {
    let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = std::str::from_utf8(&bytes[..end])?;
    let length = head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .context("an answer without content-length")?;
    Ok(Some((end + 4, length.1.trim().parse()?)))
}

/// How long requests took.
#[derive(Debug, Default, Clone)]
pub(crate) struct Latencies(Vec<Duration>);

impl Latencies {
    pub(crate) fn add(&mut self, began: Instant) {
        self.0.push(began.elapsed());
    }

    /// Adds it if it counts.
    pub(crate) fn add_if(&mut self, counts: bool, began: Instant) {
        if counts {
            self.add(began);
        }
    }

    /// One that was measured elsewhere.
    pub(crate) fn add_length(&mut self, length: Duration) {
        self.0.push(length);
    }

    pub(crate) fn join(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// The latency below which this share of requests stays, in milliseconds.
    pub(crate) fn percentile_ms(&mut self, share: f64) -> f64 {
        self.0.sort_unstable();
        let last = self.0.len().saturating_sub(1);
        let place = (last as f64 * share).round() as usize;
        self.0.get(place).map_or(0.0, |latency| latency.as_secs_f64() * 1000.0)
    }
}

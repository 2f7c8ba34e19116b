//! One client connection that waits for the first byte of a streamed reply, and then for its end.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection to one host, opened when it is first needed.
pub(crate) struct Stream {
    host: String,
    connection: Option<TcpStream>,
    buffer: Vec<u8>,
}

/// A reply, and how it came.
pub(crate) struct StreamReply {
    /// How long its first byte took.
    pub(crate) waited: Duration,
    /// What it says.
    pub(crate) text: String,
    /// Why memory took no part, if it did not.
    pub(crate) degraded: Option<String>,
}

impl StreamReply {
    /// The reply, if memory took part in it.
    pub(crate) fn with_memory(self) -> Result<Self> {
        match self.degraded {
            Some(why) => bail!("memory did not take part: {why}"),
            None => Ok(self),
        }
    }
}

impl Stream {
    /// A connection to this host.
    pub(crate) fn to(host: &str) -> Self {
        Self { host: host.to_owned(), connection: None, buffer: Vec::new() }
    }

    /// Sends a request and reads its reply to the end.
    pub(crate) async fn first_byte(
        &mut self,
        path: &str,
        headers: &str,
        body: &str,
    ) -> Result<StreamReply> {
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n{headers}\
             content-length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        let mut connection = self.connect().await?;
        let began = Instant::now();
        connection.write_all(request.as_bytes()).await?;
        self.buffer.clear();
        while !holds(&self.buffer, b"data: ") {
            fill(&mut connection, &mut self.buffer).await?;
        }
        let waited = began.elapsed();
        while !self.buffer.ends_with(b"0\r\n\r\n") {
            fill(&mut connection, &mut self.buffer).await?;
        }
        self.connection = Some(connection);
        let reply = String::from_utf8_lossy(&self.buffer);
        Ok(StreamReply { waited, text: said(&reply), degraded: degraded(&reply) })
    }

    async fn connect(&mut self) -> Result<TcpStream> {
        if let Some(connection) = self.connection.take() {
            return Ok(connection);
        }
        let connection = TcpStream::connect(&self.host).await?;
        connection.set_nodelay(true)?;
        Ok(connection)
    }
}

async fn fill(connection: &mut TcpStream, buffer: &mut Vec<u8>) -> Result<()> {
    if connection.read_buf(buffer).await? == 0 {
        bail!("the server hung up: {}", String::from_utf8_lossy(buffer));
    }
    if buffer.len() > 12 && !buffer.starts_with(b"HTTP/1.1 200") {
        bail!("the server refused: {}", String::from_utf8_lossy(buffer));
    }
    Ok(())
}

fn holds(buffer: &[u8], word: &[u8]) -> bool {
    buffer.windows(word.len()).any(|window| window == word)
}

fn degraded(reply: &str) -> Option<String> {
    let (_, why) = reply.split_once("x-everwhen-degraded: ")?;
    Some(why.lines().next().unwrap_or(why).to_owned())
}

/// The text of a streamed reply.
fn said(reply: &str) -> String {
    let pieces = reply.split("\"content\":\"").skip(1);
    pieces.filter_map(|piece| piece.split('"').next()).collect()
}

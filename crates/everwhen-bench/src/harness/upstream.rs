//! An upstream that costs next to nothing: it reads a request and streams a reply at a given pace.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The pace of a reply: the number of pieces and the interval between them. The first is sent at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pace {
    name: &'static str,
    pieces: u32,
    apart: Duration,
}

impl Pace {
    /// One piece and the end, for counting what others add.
    pub(crate) const INSTANT: Self = Self { name: "instant", pieces: 1, apart: Duration::ZERO };
    /// Over at once, for one stream alone.
    pub(crate) const QUICK: Self =
        Self { name: "quick", pieces: 2, apart: Duration::from_millis(1) };
    /// A reply of a third of a second, so that many are under way together.
    pub(crate) const STEADY: Self =
        Self { name: "steady", pieces: 16, apart: Duration::from_millis(20) };
    /// A reply of many seconds.
    pub(crate) const SLOW: Self =
        Self { name: "slow", pieces: 30, apart: Duration::from_millis(500) };
    const ALL: [Self; 4] = [Self::INSTANT, Self::QUICK, Self::STEADY, Self::SLOW];

    /// The model that has this pace.
    pub(crate) fn name(self) -> &'static str {
        self.name
    }

    /// How long a reply takes.
    pub(crate) fn length(self) -> Duration {
        self.apart * (self.pieces - 1)
    }

    fn of(body: &[u8]) -> Self {
        let holds = |pace: &Self| {
            let model = format!("\"model\":\"{}\"", pace.name);
            body.windows(model.len()).any(|window| window == model.as_bytes())
        };
        Self::ALL.into_iter().find(holds).unwrap_or(Self::QUICK)
    }
}

/// A running upstream; it ends with the program.
pub(crate) struct Upstream {
    host: String,
}

impl Upstream {
    /// Starts on a free port.
    pub(crate) async fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let host = listener.local_addr()?.to_string();
        let replies = Arc::new(AtomicU64::new(0));
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let replies = Arc::clone(&replies);
                tokio::spawn(async move {
                    // A client that closes the connection is done.
                    let _ = serve(connection, &replies).await;
                });
            }
        });
        Ok(Self { host })
    }

    /// Where it listens.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }
}

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
    transfer-encoding: chunked\r\n\r\n";

async fn serve(mut connection: TcpStream, replies: &AtomicU64) -> Result<()> {
    connection.set_nodelay(true)?;
    let mut buffer = Vec::with_capacity(64 * 1024);
    loop {
        let body = read_request(&mut connection, &mut buffer).await?;
        let pace = Pace::of(&body);
        let reply = replies.fetch_add(1, Ordering::Relaxed);
        let first = format!("{HEAD}{}", piece(&format!("Reply number {reply}.")));
        connection.write_all(first.as_bytes()).await?;
        for _ in 1..pace.pieces {
            tokio::time::sleep(pace.apart).await;
            connection.write_all(piece(" More.").as_bytes()).await?;
        }
        let end = format!("{}0\r\n\r\n", chunk("data: [DONE]\n\n"));
        connection.write_all(end.as_bytes()).await?;
    }
}

fn piece(text: &str) -> String {
    let delta = serde_json::json!({
        "id": "c", "object": "chat.completion.chunk", "model": "m",
        "choices": [{ "index": 0, "delta": { "content": text } }],
    });
    chunk(&format!("data: {delta}\n\n"))
}

fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

/// Reads one request and answers its body; what follows it stays in the buffer.
async fn read_request(connection: &mut TcpStream, buffer: &mut Vec<u8>) -> Result<Vec<u8>> {
    loop {
        if let Some((head, length)) = crate::harness::client::head_of(buffer)?
            && buffer.len() >= head + length
        {
            let body = buffer[head..head + length].to_vec();
            buffer.drain(..head + length);
            return Ok(body);
        }
        if connection.read_buf(buffer).await? == 0 {
            bail!("the client hung up");
        }
    }
}

//! An event stream of a server, read event by event.

use everwhen::protocols::{EventReader, Framing};

use crate::failure::Result;

/// An event stream of a server.
pub(crate) struct Events {
    answer: reqwest::Response,
    reader: EventReader,
}

impl Events {
    /// The events of a response.
    pub(super) fn new(answer: reqwest::Response) -> Self {
        Self { answer, reader: EventReader::new(Framing::Sse) }
    }

    /// The data of the next event; `None` once the stream has ended.
    pub(crate) async fn next(&mut self) -> Result<Option<String>> {
        loop {
            while let Some(event) = self.reader.next_event() {
                let event = String::from_utf8_lossy(&event);
                if let Some(data) = self.reader.framing().data(&event) {
                    return Ok(Some(data.to_owned()));
                }
            }
            match self.answer.chunk().await {
                Ok(Some(bytes)) => self.reader.push(&bytes),
                Ok(None) | Err(_) => return Ok(None),
            }
        }
    }
}

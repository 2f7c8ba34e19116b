//! Cuts a stream of bytes where one event ends and the next begins.

/// How events are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events: a blank line ends one.
    Events,
    /// One JSON value a line.
    Lines,
}

impl Framing {
    /// The framing of a body of this type, if it comes in events.
    pub(crate) fn of(content_type: &str) -> Option<Self> {
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        match essence {
            "text/event-stream" => Some(Self::Events),
            "application/x-ndjson" | "application/jsonl" => Some(Self::Lines),
            _ => None,
        }
    }

    /// Where the first event ends, looking from `from` on.
    fn end(self, bytes: &[u8], from: usize) -> Option<usize> {
        let mut lines = from;
        while let Some(at) = bytes[lines..].iter().position(|byte| *byte == b'\n') {
            let end = lines + at + 1;
            let blank = matches!(&bytes[end..], [b'\n', ..]) || bytes[end..].starts_with(b"\r\n");
            match self {
                Self::Lines => return Some(end),
                Self::Events if blank => return Some(end + 1 + usize::from(bytes[end] == b'\r')),
                Self::Events => lines = end,
            }
        }
        None
    }

    /// What an event carries. Nothing if it carries nothing, or in several lines.
    pub(crate) fn data(self, event: &str) -> Option<&str> {
        if self == Self::Lines {
            return Some(event.trim()).filter(|data| !data.is_empty());
        }
        let mut lines = event.lines().filter_map(|line| line.strip_prefix("data:"));
        let data = lines.next()?;
        lines.next().is_none().then(|| data.trim())
    }

    /// An event that carries this.
    pub(crate) fn write(self, data: &str) -> Vec<u8> {
        match self {
            Self::Events => format!("data: {data}\n\n").into_bytes(),
            Self::Lines => format!("{data}\n").into_bytes(),
        }
    }
}

/// No event is longer than this. Whoever sends more without an end sends no events.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// Bytes that have come, up to whole events.
#[derive(Debug)]
pub(crate) struct Frames {
    pub(crate) framing: Framing,
    held: Vec<u8>,
    /// Up to here no end was found.
    seen: usize,
}

impl Frames {
    pub(crate) fn new(framing: Framing) -> Self {
        Self { framing, held: Vec::new(), seen: 0 }
    }

    /// More bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
    }

    /// The next whole event.
    pub(crate) fn next(&mut self) -> Option<Vec<u8>> {
        let Some(end) = self.framing.end(&self.held, self.seen) else {
            // The end may be found at the border of what has come.
            self.seen = self.held.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
            return None;
        };
        let rest = self.held.split_off(end);
        self.seen = 0;
        Some(std::mem::replace(&mut self.held, rest))
    }

    /// Whether what has come is too long to be an event.
    pub(crate) fn is_too_long(&self) -> bool {
        self.held.len() > MOST_BYTES
    }

    /// What is left of an event that is not whole.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(framing: Framing, pieces: &[&str]) -> (Vec<String>, String) {
        let mut frames = Frames::new(framing);
        let mut events = Vec::new();
        for piece in pieces {
            frames.push(piece.as_bytes());
            while let Some(event) = frames.next() {
                events.push(String::from_utf8(event).unwrap());
            }
        }
        (events, String::from_utf8(frames.rest().to_vec()).unwrap())
    }

    #[test]
    fn events_end_at_blank_lines_wherever_the_pieces_end() {
        let stream = "event: a\ndata: 1\n\n: ping\r\n\r\ndata: 2\n\nda";
        let whole = cut(Framing::Events, &[stream]);
        assert_eq!(whole.0, ["event: a\ndata: 1\n\n", ": ping\r\n\r\n", "data: 2\n\n"]);
        assert_eq!(whole.1, "da");
        let letters: Vec<&str> = stream.split_inclusive(|_| true).collect();
        assert_eq!(cut(Framing::Events, &letters), whole);
    }

    #[test]
    fn lines_are_events() {
        let (events, rest) = cut(Framing::Lines, &["{\"a\":1}\n{\"b", "\":2}\n{"]);
        assert_eq!(events, ["{\"a\":1}\n", "{\"b\":2}\n"]);
        assert_eq!(rest, "{");
        assert_eq!(Framing::Lines.data(&events[0]), Some("{\"a\":1}"));
    }

    #[test]
    fn data_is_what_follows_the_word() {
        assert_eq!(Framing::Events.data("event: x\ndata: {}\r\n\r\n"), Some("{}"));
        assert_eq!(Framing::Events.data("data:[DONE]\n\n"), Some("[DONE]"));
        assert_eq!(Framing::Events.data(": ping\n\n"), None);
        assert_eq!(Framing::Events.data("data: 1\ndata: 2\n\n"), None);
    }
}

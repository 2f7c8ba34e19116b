//! Streams of events: server-sent events, lines of JSON, and the items of one JSON array.
//!
//! [`EventReader`] cuts bytes that arrive in any pieces where one event ends and the next begins.
//! Each event is handed out with all of its bytes, so that it can be passed on as it came.
//! [`Encoder`] writes such a stream.

/// How the events of a stream are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// Server-sent events: a blank line ends one.
    Sse,
    /// One JSON value a line.
    Lines,
    /// The items of one JSON array.
    Array,
}

impl Framing {
    /// The framing of a body with this content type, if that type is one of streams.
    pub fn of(content_type: &str) -> Option<Self> {
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        match essence {
            "text/event-stream" => Some(Self::Sse),
            "application/x-ndjson" | "application/jsonl" => Some(Self::Lines),
            _ => None,
        }
    }

    /// The content type of a stream in this framing.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Sse => "text/event-stream",
            Self::Lines => "application/x-ndjson",
            Self::Array => "application/json",
        }
    }

    /// The JSON that an event carries. Nothing if it carries nothing, or in several lines.
    pub fn data(self, event: &str) -> Option<&str> {
        match self {
            Self::Lines => Some(event.trim()).filter(|data| !data.is_empty()),
            Self::Array => {
                let data =
                    event.trim_start_matches(|c: char| c.is_whitespace() || "[,".contains(c));
                Some(data.trim_end()).filter(|data| data.starts_with('{'))
            }
            Self::Sse => {
                let mut lines = data_lines(event);
                let data = lines.next()?;
                lines.next().is_none().then_some(data)
            }
        }
    }
}

/// What the lines of a server-sent event carry, one by one.
pub(crate) fn data_lines(event: &str) -> impl Iterator<Item = &str> {
    event.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim)
}

/// One event to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The name of a server-sent event, where the protocol gives events names.
    pub name: Option<&'static str>,
    /// What it carries.
    pub data: String,
}

impl Event {
    /// An event without a name.
    pub fn new(data: impl Into<String>) -> Self {
        Self { name: None, data: data.into() }
    }
}

/// Writes a stream of events.
#[derive(Debug)]
pub struct Encoder {
    framing: Framing,
    is_empty: bool,
}

impl Encoder {
    /// A writer of a stream in this framing.
    pub fn new(framing: Framing) -> Self {
        Self { framing, is_empty: true }
    }

    /// The bytes of the next event.
    pub fn event(&mut self, event: &Event) -> String {
        let is_first = std::mem::replace(&mut self.is_empty, false);
        let data = &event.data;
        match (self.framing, event.name) {
            (Framing::Sse, Some(name)) => format!("event: {name}\ndata: {data}\n\n"),
            (Framing::Sse, None) => format!("data: {data}\n\n"),
            (Framing::Lines, _) => format!("{data}\n"),
            (Framing::Array, _) if is_first => format!("[{data}"),
            (Framing::Array, _) => format!(",\n{data}"),
        }
    }

    /// The bytes that end the stream.
    pub fn end(&self) -> &'static str {
        match self.framing {
            Framing::Array if self.is_empty => "[]",
            Framing::Array => "]",
            Framing::Sse | Framing::Lines => "",
        }
    }
}

/// The longest event that is read. A sender of more bytes without an end sends no events.
const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

/// Cuts a stream into events.
#[derive(Debug)]
pub struct EventReader {
    framing: Framing,
    held: Vec<u8>,
    scan: Scan,
}

/// How far the held bytes were looked at.
#[derive(Debug, Default)]
struct Scan {
    /// Up to here no end was found.
    seen: usize,
    /// Brackets that are open in an item of an array.
    depth: usize,
    in_string: bool,
    is_escaped: bool,
}

impl EventReader {
    /// A reader of a stream in this framing.
    pub fn new(framing: Framing) -> Self {
        Self { framing, held: Vec::new(), scan: Scan::default() }
    }

    /// The framing of the stream.
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// Takes more bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
    }

    /// The next whole event, with the bytes that separate it from the others.
    pub fn next_event(&mut self) -> Option<Vec<u8>> {
        let end = match self.framing {
            Framing::Array => self.end_of_item()?,
            Framing::Sse | Framing::Lines => self.end_of_lines()?,
        };
        let rest = self.held.split_off(end);
        self.scan = Scan::default();
        Some(std::mem::replace(&mut self.held, rest))
    }

    fn end_of_lines(&mut self) -> Option<usize> {
        let mut from = self.scan.seen;
        while let Some(at) = self.held[from..].iter().position(|byte| *byte == b'\n') {
            let end = from + at + 1;
            let rest = &self.held[end..];
            match rest {
                _ if self.framing == Framing::Lines => return Some(end),
                [b'\n', ..] => return Some(end + 1),
                [b'\r', b'\n', ..] => return Some(end + 2),
                _ => from = end,
            }
        }
        // A blank line may begin at the border of what has come.
        self.scan.seen = self.held.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
        None
    }

    fn end_of_item(&mut self) -> Option<usize> {
        let scan = &mut self.scan;
        for (at, byte) in self.held.iter().enumerate().skip(scan.seen) {
            scan.seen = at + 1;
            match byte {
                _ if scan.is_escaped => scan.is_escaped = false,
                b'\\' if scan.in_string => scan.is_escaped = true,
                b'"' => scan.in_string = !scan.in_string,
                _ if scan.in_string => {}
                b'{' => scan.depth += 1,
                b'}' if scan.depth == 1 => return Some(at + 1),
                b'}' => scan.depth = scan.depth.saturating_sub(1),
                // The end of the array is an event of its own that carries nothing.
                b']' if scan.depth == 0 => return Some(at + 1),
                _ => {}
            }
        }
        None
    }

    /// Whether what has come is too long to be an event.
    pub fn is_too_long(&self) -> bool {
        self.held.len() > MAX_EVENT_BYTES
    }

    /// What is left of an event that is not whole.
    pub fn rest(&self) -> &[u8] {
        &self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(framing: Framing, pieces: &[&str]) -> (Vec<String>, String) {
        let mut reader = EventReader::new(framing);
        let mut events = Vec::new();
        for piece in pieces {
            reader.push(piece.as_bytes());
            while let Some(event) = reader.next_event() {
                events.push(String::from_utf8(event).unwrap());
            }
        }
        (events, String::from_utf8(reader.rest().to_vec()).unwrap())
    }

    #[test]
    fn server_sent_events_end_at_blank_lines_in_whatever_pieces_they_come() {
        let stream = "event: a\ndata: 1\n\n: ping\r\n\r\ndata: 2\n\nda";
        let whole = cut(Framing::Sse, &[stream]);
        assert_eq!(whole.0, ["event: a\ndata: 1\n\n", ": ping\r\n\r\n", "data: 2\n\n"]);
        assert_eq!(whole.1, "da");
        let letters: Vec<&str> = stream.split_inclusive(|_| true).collect();
        assert_eq!(cut(Framing::Sse, &letters), whole);
    }

    #[test]
    fn lines_are_events() {
        let (events, rest) = cut(Framing::Lines, &["{\"a\":1}\n{\"b", "\":2}\n{"]);
        assert_eq!(events, ["{\"a\":1}\n", "{\"b\":2}\n"]);
        assert_eq!(rest, "{");
        assert_eq!(Framing::Lines.data(&events[0]), Some("{\"a\":1}"));
    }

    #[test]
    fn items_of_an_array_are_events_in_whatever_pieces_they_come() {
        let stream = "[{\"a\":\"]}\\\"{\"}\n,\r\n{\"b\":[{}]}]\n";
        let whole = cut(Framing::Array, &[stream]);
        assert_eq!(whole.0, ["[{\"a\":\"]}\\\"{\"}", "\n,\r\n{\"b\":[{}]}", "]"]);
        let data: Vec<_> = whole.0.iter().map(|event| Framing::Array.data(event)).collect();
        assert_eq!(data, [Some("{\"a\":\"]}\\\"{\"}"), Some("{\"b\":[{}]}"), None]);
        let letters: Vec<&str> = stream.split_inclusive(|_| true).collect();
        assert_eq!(cut(Framing::Array, &letters), whole);
    }

    #[test]
    fn what_was_written_is_read_again() {
        for framing in [Framing::Sse, Framing::Lines, Framing::Array] {
            let mut encoder = Encoder::new(framing);
            let named = Event { name: Some("x"), data: "{\"a\":1}".into() };
            let mut stream = encoder.event(&named) + &encoder.event(&Event::new("{\"b\":2}"));
            stream.push_str(encoder.end());
            let (events, _) = cut(framing, &[&stream]);
            let data: Vec<_> = events.iter().filter_map(|event| framing.data(event)).collect();
            assert_eq!(data, ["{\"a\":1}", "{\"b\":2}"], "{stream}");
        }
        assert_eq!(Encoder::new(Framing::Array).end(), "[]");
    }

    #[test]
    fn data_is_what_follows_the_field_name() {
        assert_eq!(Framing::Sse.data("event: x\ndata: {}\r\n\r\n"), Some("{}"));
        assert_eq!(Framing::Sse.data("data:[DONE]\n\n"), Some("[DONE]"));
        assert_eq!(Framing::Sse.data(": ping\n\n"), None);
        assert_eq!(Framing::Sse.data("data: 1\ndata: 2\n\n"), None);
    }
}

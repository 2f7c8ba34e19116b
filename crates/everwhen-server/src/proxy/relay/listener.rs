//! Listens to a reply while it passes: gathers what is said and takes echoed stamps off.
//!
//! A stamp may come in pieces. Events are held back only as long as what they say could still
//! become one; those that are not cut are passed on as they came, byte for byte.

use std::collections::BTreeMap;

use axum::body::Bytes;
use everwhen::ledger::EchoStripper;
use everwhen_protocols::{ChatFormat, Draft, EventReader, Fragment, Framing, json};

/// No reply that is kept is longer than this.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// No more ids of one reply are kept.
const MOST_IDS: usize = 256;

/// What was said in a reply.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Gathered {
    pub(crate) text: String,
    pub(crate) tools: Vec<String>,
    /// Ids in it that the client may send back.
    pub(crate) ids: Vec<String>,
    /// Whether the end was received.
    pub(crate) is_whole: bool,
}

/// Listens to one reply.
pub(crate) struct Listener {
    format: &'static dyn ChatFormat,
    events: EventReader,
    openings: BTreeMap<u64, Opening>,
    held: Vec<Vec<u8>>,
    /// The first reply, by its parts.
    said: BTreeMap<u64, String>,
    tools: Vec<String>,
    ids: Vec<String>,
    heard_end: bool,
    /// Whether the reply has said why it ends, though more may follow, such as a count of tokens.
    heard_finish: bool,
    /// Whether what comes is too long to be listened to; it only passes.
    gave_up: bool,
    /// Whether bytes pass as they come.
    passes: bool,
    /// Text that was taken off, where the protocol repeats it.
    taken: Option<String>,
}

/// The beginning of one of several replies.
struct Opening {
    /// The part of the reply that it is in.
    part: u64,
    stripper: Option<EchoStripper>,
    /// What it began with, until that is decided.
    begun: String,
    /// The number of bytes of it that are removed.
    goes: usize,
}

impl Opening {
    fn new(part: u64) -> Self {
        Self { part, stripper: Some(EchoStripper::new()), begun: String::new(), goes: 0 }
    }

    fn is_open(&self) -> bool {
        self.stripper.is_some() && !self.begun.is_empty()
    }

    fn push(&mut self, text: &str) {
        let Some(stripper) = &mut self.stripper else { return };
        self.begun.push_str(text);
        let passed = stripper.push(text);
        if !passed.is_empty() {
            self.goes = self.begun.len() - passed.len();
            self.stripper = None;
        }
    }

    fn finish(&mut self) {
        if let Some(stripper) = self.stripper.take() {
            self.goes = self.begun.len() - stripper.finish().len();
        }
    }
}

impl Listener {
    /// A listener for replies in this format; one that strips holds back what may be a stamp.
    pub(crate) fn new(format: &'static dyn ChatFormat, framing: Framing, strips: bool) -> Self {
        Self {
            format,
            events: EventReader::new(framing),
            openings: BTreeMap::new(),
            held: Vec::new(),
            said: BTreeMap::new(),
            tools: Vec::new(),
            ids: Vec::new(),
            heard_end: false,
            heard_finish: false,
            gave_up: false,
            passes: !strips,
            taken: None,
        }
    }

    /// Takes what has come; answers what may be passed on.
    pub(crate) fn push(&mut self, bytes: Bytes) -> Vec<Bytes> {
        if self.gave_up {
            return vec![bytes];
        }
        self.events.push(&bytes);
        let mut passed = if self.passes { vec![bytes] } else { Vec::new() };
        let passing = self.passes;
        while let Some(event) = self.events.next_event() {
            let ready = self.listen(event);
            passed.extend(ready.into_iter().filter(|_| !passing).map(Bytes::from));
        }
        if self.passes && !passing {
            passed.push(Bytes::copy_from_slice(self.events.rest()));
        }
        if self.events.is_too_long() {
            passed.extend(self.cut_off());
            (self.gave_up, self.events) = (true, EventReader::new(self.events.framing()));
        }
        passed.retain(|bytes| !bytes.is_empty());
        passed
    }

    /// The body has ended; answers what was held back. A reply that has not said why it ends was
    /// cut off, though the body ended properly.
    pub(crate) fn finish(&mut self) -> Vec<Bytes> {
        self.heard_end |= self.heard_finish && !self.gave_up;
        self.cut_off()
    }

    /// Nothing more comes; answers what was held back.
    pub(crate) fn cut_off(&mut self) -> Vec<Bytes> {
        if self.passes || self.gave_up {
            return Vec::new();
        }
        for opening in self.openings.values_mut() {
            opening.finish();
        }
        let mut left = self.release();
        left.push(self.events.rest().to_vec());
        left.into_iter().filter(|bytes| !bytes.is_empty()).map(Bytes::from).collect()
    }

    /// A whole reply, without stamps at its start; nothing if it stays as it is.
    pub(crate) fn whole(&mut self, body: &str) -> Option<String> {
        let heard = self.format.reply(body);
        self.gather(&heard);
        self.heard_end = true;
        if self.passes {
            return None;
        }
        self.open(&heard);
        self.openings.values_mut().for_each(Opening::finish);
        self.cut(body)
    }

    /// What a reply said that did not arrive whole; `body` is what came of it.
    pub(crate) fn part(&mut self, body: &str) -> Gathered {
        let heard = self.format.reply(body);
        self.gather(&heard);
        self.gathered()
    }

    /// Whether the end was received.
    pub(crate) fn has_ended(&self) -> bool {
        self.heard_end
    }

    /// What was said so far.
    pub(crate) fn gathered(&mut self) -> Gathered {
        let parts: Vec<String> = std::mem::take(&mut self.said).into_values().collect();
        Gathered {
            text: EchoStripper::strip(&parts.join("\n")),
            tools: std::mem::take(&mut self.tools),
            ids: std::mem::take(&mut self.ids),
            is_whole: self.heard_end,
        }
    }

    /// Hears an event; answers the events that may be passed on.
    fn listen(&mut self, event: Vec<u8>) -> Vec<Vec<u8>> {
        let data =
            std::str::from_utf8(&event).ok().and_then(|text| self.events.framing().data(text));
        let heard = data.map(|data| self.format.reply(data)).unwrap_or_default();
        self.gather(&heard);
        self.heard_end |= heard.is_last;
        self.heard_finish |= heard.finishes;
        if self.passes {
            drop(heard);
            return vec![event];
        }
        self.open(&heard);
        drop(heard);
        self.held.push(event);
        if self.openings.values().any(Opening::is_open) { Vec::new() } else { self.release() }
    }

    fn gather(&mut self, heard: &Fragment<'_>) {
        let so_far: usize = self.said.values().map(String::len).sum();
        for piece in heard.pieces.iter().filter(|piece| piece.choice == 0) {
            if so_far < MOST_BYTES {
                self.said.entry(piece.part).or_default().push_str(&piece.text);
            }
        }
        self.tools.extend(heard.tools.iter().map(|tool| tool.to_string()));
        let ids = heard.ids.iter().map(|id| id.to_string());
        self.ids.extend(ids.take(MOST_IDS.saturating_sub(self.ids.len())));
    }

    fn open(&mut self, heard: &Fragment<'_>) {
        for piece in &heard.pieces {
            let fresh = || Opening::new(piece.part);
            let opening = self.openings.entry(piece.choice).or_insert_with(fresh);
            if opening.part == piece.part {
                opening.push(&piece.text);
            }
        }
    }

    /// Passes on what was held, cut where it must be.
    fn release(&mut self) -> Vec<Vec<u8>> {
        let held = std::mem::take(&mut self.held);
        let events = held.into_iter().map(|event| self.cut_event(event)).collect();
        let decided = |opening: &Opening| opening.stripper.is_none() && opening.goes == 0;
        let all_decided = !self.openings.is_empty() && self.openings.values().all(decided);
        self.passes = all_decided && self.taken.is_none();
        events
    }

    fn cut_event(&mut self, event: Vec<u8>) -> Vec<u8> {
        let Ok(text) = std::str::from_utf8(&event) else { return event };
        let Some(data) = self.events.framing().data(text) else { return event };
        match self.cut(data) {
            None => event,
            Some(cut) => {
                let mut draft = Draft::new(text);
                if let Some(place) = draft.place(data) {
                    draft.replace(place, cut);
                }
                draft.finish().map_or_else(|| text.to_owned().into(), String::into_bytes)
            }
        }
    }

    /// The JSON without the text that is taken off; nothing if all of it stays.
    fn cut(&mut self, body: &str) -> Option<String> {
        if self.openings.values().all(|opening| opening.goes == 0) {
            return self.taken.as_ref().and_then(|taken| without(body, taken));
        }
        let mut draft = Draft::new(body);
        for piece in self.format.reply(body).pieces {
            let Some(opening) = self.openings.get_mut(&piece.choice) else { continue };
            let gone = opening.goes.min(piece.text.len());
            let Some(place) = draft.place(piece.literal) else { continue };
            if opening.part != piece.part || gone == 0 {
                continue;
            }
            opening.goes -= gone;
            if self.format.repeats_text() {
                self.taken.get_or_insert_default().push_str(&piece.text[..gone]);
            }
            let rest = format!("\"{}\"", json::escaped(&piece.text[gone..]));
            draft.replace(place, rest);
        }
        draft.finish()
    }
}

/// Removes what was taken off from the start of texts; nothing if none begins with it.
fn without(body: &str, taken: &str) -> Option<String> {
    let taken = json::escaped(taken);
    let mut text = body.to_owned();
    for before in ["\"text\":\"", "\"text\": \""] {
        text = text.replace(&format!("{before}{taken}"), before);
    }
    (text != body).then_some(text)
}

#[cfg(test)]
mod tests {
    use everwhen_protocols::ChatEndpoint;

    use super::*;

    const STAMP: &str = "(Saturday, 2025-09-20 16:30:05) ";

    fn delta(text: &str) -> String {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
    }

    fn relay(listener: &mut Listener, pieces: &[&str]) -> String {
        let mut out = Vec::new();
        for piece in pieces {
            out.extend(listener.push(Bytes::copy_from_slice(piece.as_bytes())));
        }
        out.extend(listener.finish());
        String::from_utf8(out.concat()).unwrap()
    }

    fn listens(chat: &str, framing: Framing) -> Listener {
        Listener::new(ChatEndpoint::named(chat).unwrap().format, framing, true)
    }

    fn chat() -> Listener {
        listens("chat", Framing::Sse)
    }

    #[test]
    fn a_reply_without_a_stamp_passes_byte_for_byte() {
        let stream = format!(
            ": hi\n\ndata: {{\"choices\":[{{\"delta\":{{\"role\":\"assistant\",\"content\":\"\"}}}}]}}\n\n{}{}data: \
             {{\"choices\":[],\"usage\":{{\"x\":1}}}}\n\ndata: [DONE]\n\n",
            delta("[1, 2"),
            delta("] é\\n"),
        );
        for size in [1, 7, 50, 5000] {
            let mut listener = chat();
            let mut out = Vec::new();
            for piece in stream.as_bytes().chunks(size) {
                out.extend(listener.push(Bytes::copy_from_slice(piece)));
            }
            out.extend(listener.finish());
            assert_eq!(String::from_utf8(out.concat()).unwrap(), stream, "in pieces of {size}");
            let said = listener.gathered();
            assert_eq!((said.text.as_str(), said.is_whole), ("[1, 2] é\n", true));
        }
    }

    #[test]
    fn a_stamp_in_pieces_is_taken_off_and_nothing_else() {
        let (first, second) = STAMP.split_at(9);
        let stream = [delta(first), delta(second), delta("Hi"), delta(" there")];
        let mut listener = chat();
        let out = relay(&mut listener, &stream.each_ref().map(String::as_str));
        assert_eq!(out, [delta(""), delta(""), delta("Hi"), delta(" there")].concat());
        assert_eq!(listener.gathered().text, "Hi there");
    }

    #[test]
    fn a_stamp_and_words_in_one_piece() {
        let mut listener = chat();
        let out = relay(&mut listener, &[&delta(&format!("{STAMP}\\\"Hi\\\"")), &delta("!")]);
        assert_eq!(out, [delta("\\\"Hi\\\""), delta("!")].concat());
    }

    #[test]
    fn half_a_stamp_at_the_end_is_what_was_said() {
        let mut listener = chat();
        let stream = [delta("(Satur"), "data: [DONE]\n\n".into()];
        let out = relay(&mut listener, &stream.each_ref().map(String::as_str));
        assert_eq!(out, stream.concat());
        assert_eq!(listener.gathered().text, "(Satur");
    }

    #[test]
    fn lines_blocks_and_whole_replies_are_stripped_alike() {
        let line =
            |text: &str| format!("{{\"message\":{{\"content\":\"{text}\"}},\"done\":false}}\n");
        let mut listener = listens("ollama-chat", Framing::Lines);
        let out = relay(&mut listener, &[&line("[Sent 1 day "), &line("ago] Yes")]);
        assert_eq!(out, [line(""), line("Yes")].concat());

        let mut listener = listens("messages", Framing::Sse);
        let body = r#"{"type":"message","content":[{"type":"text","text":"[3 days later] Yes"}]}"#;
        assert_eq!(
            listener.whole(body).unwrap(),
            r#"{"type":"message","content":[{"type":"text","text":"Yes"}]}"#
        );
        assert_eq!(listener.gathered().text, "Yes");
    }

    #[test]
    fn what_is_told_again_is_stripped_again() {
        let event = |json: &str| format!("data: {json}\n\n");
        let stream = [
            event(r#"{"type":"response.output_text.delta","delta":"[3 days later] Yes"}"#),
            event(r#"{"type":"response.output_text.done","text":"[3 days later] Yes"}"#),
        ];
        let mut listener = listens("responses", Framing::Sse);
        let out = relay(&mut listener, &stream.each_ref().map(String::as_str));
        assert_eq!(out, stream.concat().replace("[3 days later] ", ""));
        assert_eq!(listener.gathered().text, "Yes");
    }
}

//! A streamed reply, read from bytes into neutral events.

use std::collections::VecDeque;

use serde_json::Value;

use crate::adapter::error_message;
use crate::stream::data_lines;
use crate::{EventReader, Framing, Protocol, ReplyEvent};

/// What OpenAI's kind sends when nothing more comes.
const DONE: &str = "[DONE]";

/// Reads a streamed reply.
#[derive(Debug)]
pub struct ReplyStream {
    protocol: Protocol,
    reader: EventReader,
    ready: VecDeque<ReplyEvent>,
}

impl ReplyStream {
    /// A reader of a reply in this protocol and framing.
    pub fn new(protocol: Protocol, framing: Framing) -> Self {
        Self { protocol, reader: EventReader::new(framing), ready: VecDeque::new() }
    }

    /// Takes more bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.reader.push(bytes);
    }

    /// No more bytes come; a last line may lack its end.
    pub fn finish(&mut self) {
        self.reader.push(b"\n\n");
    }

    /// The next event that says something.
    pub fn next_event(&mut self) -> Option<ReplyEvent> {
        while self.ready.is_empty() {
            let event = self.reader.next_event()?;
            let text = String::from_utf8_lossy(&event);
            let read = data_of(self.reader.framing(), &text);
            let events = read.into_iter().filter_map(|data| read_event(self.protocol, data));
            self.ready.extend(events);
        }
        self.ready.pop_front()
    }

    /// Whether what comes is no stream of events.
    pub fn is_too_long(&self) -> bool {
        self.reader.is_too_long()
    }
}

fn read_event(protocol: Protocol, data: &str) -> Option<ReplyEvent> {
    if data == DONE {
        return Some(ReplyEvent { is_last: true, ..ReplyEvent::default() });
    }
    let value: Value = serde_json::from_str(data).ok()?;
    if let Some(message) = error_message(&value) {
        let error = Some(message.to_owned());
        return Some(ReplyEvent { error, ..ReplyEvent::default() });
    }
    Some(protocol.adapter().read_event(&value))
}

/// What an event carries. Some servers end events with a single line break, so that several lines of
/// data are several events.
fn data_of(framing: Framing, event: &str) -> Vec<&str> {
    if let Some(data) = framing.data(event) {
        return vec![data];
    }
    if framing != Framing::Sse {
        return Vec::new();
    }
    data_lines(event).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{StopReason, Usage};

    fn events(protocol: Protocol, framing: Framing, text: &str) -> Vec<ReplyEvent> {
        let mut stream = ReplyStream::new(protocol, framing);
        stream.push(text.as_bytes());
        stream.finish();
        std::iter::from_fn(|| stream.next_event()).collect()
    }

    #[test]
    fn each_protocol_says_its_pieces() {
        let text = "data: {\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"hi\"},\
                    \"finish_reason\":\"length\"}]}\n\ndata: {\"choices\":[],\"usage\":\
                    {\"prompt_tokens\":3,\"completion_tokens\":2}}\n\ndata: [DONE]";
        let read = events(Protocol::OpenAi, Framing::Sse, text);
        assert_eq!((read[0].text.as_str(), read[0].stop), ("hi", Some(StopReason::Length)));
        let usage = Usage { input: 3, output: 2, ..Usage::default() };
        assert_eq!((read[1].usage, read[2].is_last), (Some(usage), true));

        let text = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":\
                    {\"type\":\"text_delta\",\"text\":\"hi\"}}\n\nevent: message_stop\n\
                    data: {\"type\":\"message_stop\"}\n\n";
        let read = events(Protocol::Anthropic, Framing::Sse, text);
        assert_eq!((read[0].text.as_str(), read[1].is_last), ("hi", true));

        let text = "{\"message\":{\"content\":\"hi\"},\"done\":true,\"done_reason\":\"stop\",\
                    \"eval_count\":4}";
        let read = events(Protocol::Ollama, Framing::Lines, text);
        assert_eq!((read[0].is_last, read[0].usage.unwrap().output), (true, 4));

        let text = "[{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hi\"}]}}]},\n\
                    {\"candidates\":[{\"content\":{\"parts\":[]},\"finishReason\":\"STOP\"}],\
                    \"usageMetadata\":{\"promptTokenCount\":1}}]";
        let read = events(Protocol::Gemini, Framing::Array, text);
        assert_eq!((read[0].text.as_str(), read[1].stop), ("hi", Some(StopReason::End)));
    }

    #[test]
    fn comments_say_nothing_and_errors_are_told() {
        let text = ": keep-alive\n\nevent: ping\n\ndata: nonsense\n\n";
        assert!(events(Protocol::OpenAi, Framing::Sse, text).is_empty());
        let text = "data: {\"error\": {\"message\": \"overloaded\"}}\n\n";
        let read = events(Protocol::OpenAi, Framing::Sse, text);
        assert_eq!(read[0].error.as_deref(), Some("overloaded"));
    }

    #[test]
    fn events_without_blank_lines_between_them_are_told_apart() {
        let text = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\
                    data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n";
        let read = events(Protocol::OpenAi, Framing::Sse, text);
        assert_eq!(read.iter().map(|event| event.text.as_str()).collect::<String>(), "ab");
    }
}

//! Takes off what some models think aloud before their answer, also when it comes in pieces.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Holds a text back while it is, or may become, a thought.
#[derive(Debug, Default)]
pub(super) struct Thoughts {
    held: String,
    /// A thought has ended, and the spaces behind it are not over.
    gap: bool,
    done: bool,
}

impl Thoughts {
    /// Takes the next piece; returns what may be passed on.
    pub(super) fn push(&mut self, piece: &str) -> String {
        if self.done {
            return piece.to_owned();
        }
        self.held.push_str(piece);
        if let (true, Some(end)) = (self.is_thought(), self.held.find(CLOSE)) {
            self.held.drain(..end + CLOSE.len());
            self.gap = true;
        }
        if self.gap {
            self.held.drain(..self.held.len() - self.held.trim_start().len());
        }
        let may_be = !self.gap && (self.is_thought() || OPEN.starts_with(self.held.trim_start()));
        if may_be || self.held.is_empty() { String::new() } else { self.release() }
    }

    /// The answer has ended; what was held back. A thought without an end is an answer.
    pub(super) fn finish(&mut self) -> String {
        self.release()
    }

    fn is_thought(&self) -> bool {
        !self.gap && self.held.trim_start().starts_with(OPEN)
    }

    fn release(&mut self) -> String {
        self.done = true;
        std::mem::take(&mut self.held)
    }
}

/// A whole reply without its thoughts.
pub(super) fn without(text: &str) -> String {
    let mut thoughts = Thoughts::default();
    let mut reply = thoughts.push(text);
    reply.push_str(&thoughts.finish());
    reply
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_are_not_part_of_a_reply_however_it_comes() {
        for (text, reply) in [
            ("<think>\nhm</think>\n\nYes", "Yes"),
            (" <think>a</think>Yes </think>", "Yes </think>"),
            ("Yes <think>", "Yes <think>"),
            ("<think>for ever", "<think>for ever"),
            ("<th", "<th"),
            ("", ""),
            ("  x", "  x"),
        ] {
            assert_eq!(without(text), reply, "{text:?}");
            let mut thoughts = Thoughts::default();
            let letters = text.chars().map(|letter| thoughts.push(&letter.to_string()));
            let mut visible: String = letters.collect();
            visible.push_str(&thoughts.finish());
            assert_eq!(visible, reply, "{text:?} letter by letter");
        }
    }
}

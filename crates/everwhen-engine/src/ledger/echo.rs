//! Removes a stamp that a model repeats at the start of its reply, also when it comes in pieces.
//!
//! Text is held back only while it could still become a stamp, which is for a few dozen characters
//! at most.

/// Longest text that can be a stamp.
const STAMP_BYTES: usize = 80;
const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const UNITS: [&str; 6] = ["days", "hours", "minutes", "day", "hour", "minute"];

/// Takes stamps off the start of one reply.
#[derive(Debug, Default)]
pub struct EchoStripper {
    held: String,
    /// Whether a stamp has been removed, so that the spaces behind it go too.
    stripped: bool,
    done: bool,
}

impl EchoStripper {
    /// A stripper for one reply.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next piece; answers what may be passed on.
    pub fn push(&mut self, piece: &str) -> String {
        if self.done {
            return piece.to_owned();
        }
        self.held.push_str(piece);
        loop {
            let begun = self.held.trim_start();
            let spaces = self.held.len() - begun.len();
            match stamp_at_start(begun) {
                StampPrefix::Stamp(length) => {
                    self.held.drain(..spaces + length);
                    self.stripped = true;
                }
                StampPrefix::Open => return String::new(),
                StampPrefix::Other => return self.release(),
            }
        }
    }

    /// The reply has ended; answers what was held back.
    pub fn finish(mut self) -> String {
        if self.done { String::new() } else { self.release() }
    }

    /// A whole reply without the stamps at its start.
    pub fn strip(reply: &str) -> String {
        let mut stripper = Self::new();
        let mut text = stripper.push(reply);
        text.push_str(&stripper.finish());
        text
    }

    fn release(&mut self) -> String {
        self.done = true;
        let held = std::mem::take(&mut self.held);
        if self.stripped { held.trim_start().to_owned() } else { held }
    }
}

/// What the start of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StampPrefix {
    /// A stamp of this many bytes.
    Stamp(usize),
    /// It could become one.
    Open,
    /// Something else.
    Other,
}

fn stamp_at_start(text: &str) -> StampPrefix {
    if text.is_empty() {
        return StampPrefix::Open;
    }
    let mut reader = Reader { text, at: 0 };
    let read = if text.starts_with('(') { reader.absolute() } else { reader.bracketed() };
    match read {
        Ok(()) => StampPrefix::Stamp(reader.at),
        Err(Stop::End) if text.len() < STAMP_BYTES => StampPrefix::Open,
        Err(_) => StampPrefix::Other,
    }
}

/// Why a stamp could not be read to its end.
enum Stop {
    /// The text ended first.
    End,
    /// Something else stands there.
    Other,
}

type Step = Result<(), Stop>;

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn word(&mut self, word: &str) -> Step {
        if self.rest().starts_with(word) {
            self.at += word.len();
            return Ok(());
        }
        Err(if word.starts_with(self.rest()) { Stop::End } else { Stop::Other })
    }

    /// The first of these words that stands here.
    fn any(&mut self, words: &[&str]) -> Step {
        let mut stop = Stop::Other;
        for word in words {
            match self.word(word) {
                Ok(()) => return Ok(()),
                Err(Stop::End) => stop = Stop::End,
                Err(Stop::Other) => {}
            }
        }
        Err(stop)
    }

    fn digits(&mut self, most: usize) -> Step {
        let count = self.rest().bytes().take(most).take_while(u8::is_ascii_digit).count();
        if count == 0 {
            return Err(if self.rest().is_empty() { Stop::End } else { Stop::Other });
        }
        self.at += count;
        Ok(())
    }

    /// `(Saturday, 2025-09-20 16:30:05)`
    fn absolute(&mut self) -> Step {
        self.word("(")?;
        self.any(&WEEKDAYS)?;
        self.word(", ")?;
        self.digits(4)?;
        for before in ["-", "-", " ", ":", ":"] {
            self.word(before)?;
            self.digits(2)?;
        }
        self.word(")")
    }

    /// `[Sent 2 hours, 15 minutes ago]` or `[3 days later]`
    fn bracketed(&mut self) -> Step {
        self.word("[")?;
        match self.word("Sent ") {
            Ok(()) => {
                match self.word("less than a minute") {
                    Err(Stop::Other) => self.lengths()?,
                    read => read?,
                }
                self.word(" ago]")
            }
            Err(Stop::End) => Err(Stop::End),
            Err(Stop::Other) => {
                self.length()?;
                self.word(" later]")
            }
        }
    }

    fn lengths(&mut self) -> Step {
        self.length()?;
        while self.rest().starts_with(',') {
            self.word(", ")?;
            self.length()?;
        }
        Ok(())
    }

    fn length(&mut self) -> Step {
        self.digits(6)?;
        self.word(" ")?;
        self.any(&UNITS)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STAMPS: [&str; 6] = [
        "(Saturday, 2025-09-20 16:30:05)",
        "[Sent less than a minute ago]",
        "[Sent 2 hours, 15 minutes ago]",
        "[Sent 1 day ago]",
        "[3 days later]",
        "[1 hour later]",
    ];
    const OTHERS: [&str; 9] = [
        "Hello [3 days later] there",
        "(Saturday, I think) yes",
        "[Sent by mail] hi",
        "[1, 2, 3]",
        "(Sat",
        "  indented",
        "[3 days later",
        "[Sent 2 hours, and more",
        "",
    ];

    fn in_pieces(reply: &str, cuts: &[usize]) -> String {
        let mut stripper = EchoStripper::new();
        let (mut passed, mut from) = (String::new(), 0);
        for cut in cuts.iter().copied().filter(|cut| reply.is_char_boundary(*cut)) {
            if cut > from && cut < reply.len() {
                passed.push_str(&stripper.push(&reply[from..cut]));
                from = cut;
            }
        }
        passed.push_str(&stripper.push(&reply[from..]));
        passed + &stripper.finish()
    }

    #[test]
    fn every_stamp_goes_and_nothing_else() {
        for stamp in STAMPS {
            assert_eq!(EchoStripper::strip(&format!("{stamp} Hi {stamp}")), format!("Hi {stamp}"));
            assert_eq!(EchoStripper::strip(&format!(" {stamp}\n{stamp} Hi")), "Hi");
        }
        for text in OTHERS {
            assert_eq!(EchoStripper::strip(text), text);
        }
    }

    #[test]
    fn a_reply_that_is_no_stamp_is_passed_on_at_once() {
        assert_eq!(EchoStripper::new().push("Hello"), "Hello");
        assert_eq!(EchoStripper::new().push("[1, "), "[1, ");
        assert_eq!(EchoStripper::new().push("[Sent 2 hours"), "");
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(
            stamps in prop::collection::vec(prop::sample::select(&STAMPS), 0..3),
            text in "[a-zé (\\[]{0,12}",
            mut cuts in prop::collection::vec(0usize..90, 0..8),
        ) {
            cuts.sort_unstable();
            let reply = stamps.iter().map(|stamp| format!("{stamp} ")).collect::<String>() + &text;
            prop_assert_eq!(in_pieces(&reply, &cuts), EchoStripper::strip(&reply));
        }
    }
}

//! Bytes of a file as UTF-8: other encodings are converted, and what JSON text of other programs may
//! contain and a parser refuses is repaired.

use std::io::{self, Read};

use encoding_rs::{Decoder, Encoding, UTF_8};

/// How much is read at a time.
const CHUNK: usize = 64 * 1024;
/// How much is looked at to find the encoding.
const LOOK: usize = 64 * 1024;

/// A stream of UTF-8, whatever the file's encoding.
pub(super) struct Decoded<R> {
    inner: R,
    decoder: Decoder,
    encoding: &'static Encoding,
    input: Vec<u8>,
    start: usize,
    output: Vec<u8>,
    taken: usize,
    at_end: bool,
    had_errors: bool,
}

impl<R: Read> Decoded<R> {
    /// Finds the encoding by its mark, or by what the first bytes can be.
    pub(super) fn new(mut inner: R) -> io::Result<Self> {
        let mut input = vec![0; LOOK];
        let mut filled = 0;
        while filled < LOOK {
            match inner.read(&mut input[filled..])? {
                0 => break,
                read => filled += read,
            }
        }
        input.truncate(filled);
        let encoding = guess(&input, filled < LOOK);
        Ok(Self {
            inner,
            decoder: encoding.new_decoder_with_bom_removal(),
            encoding,
            input,
            start: 0,
            output: Vec::new(),
            taken: 0,
            at_end: false,
            had_errors: false,
        })
    }

    /// The name of the encoding, unless it is UTF-8 without a fault.
    pub(super) fn note(&self) -> Option<String> {
        if self.had_errors {
            return Some(format!(
                "some bytes are no {}; each was replaced by \u{fffd}",
                self.encoding.name()
            ));
        }
        (self.encoding != UTF_8).then(|| format!("read as {}", self.encoding.name()))
    }

    fn fill(&mut self) -> io::Result<()> {
        self.output.clear();
        self.taken = 0;
        while self.output.is_empty() && !self.at_end {
            let mut is_last = false;
            if self.start == self.input.len() {
                self.input.resize(CHUNK, 0);
                let read = self.inner.read(&mut self.input)?;
                self.input.truncate(read);
                self.start = 0;
                is_last = read == 0;
            }
            self.output.resize(CHUNK * 3, 0);
            let rest = &self.input[self.start..];
            let (_, read, written, errors) =
                self.decoder.decode_to_utf8(rest, &mut self.output, is_last);
            self.output.truncate(written);
            self.start += read;
            self.had_errors |= errors;
            self.at_end = is_last && self.start == self.input.len();
        }
        Ok(())
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.output.len() {
            self.fill()?;
        }
        let rest = &self.output[self.taken..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.taken += count;
        Ok(count)
    }
}

/// The encoding of a text that begins like this.
fn guess(start: &[u8], is_whole: bool) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(start) {
        return encoding;
    }
    match std::str::from_utf8(start) {
        Ok(_) => UTF_8,
        // A character that the end of the sample cuts is no fault.
        Err(error) if error.error_len().is_none() && !is_whole => UTF_8,
        Err(_) => {
            let mut detector = chardetng::EncodingDetector::new();
            detector.feed(start, is_whole);
            detector.guess(None, true)
        }
    }
}

/// A stream of JSON in which halves of surrogate pairs, which are no characters, are replaced.
pub(super) struct Surrogates<R> {
    inner: R,
    pending: Vec<u8>,
    output: Vec<u8>,
    taken: usize,
    at_end: bool,
    /// How many were replaced.
    pub(super) replaced: u64,
}

impl<R: Read> Surrogates<R> {
    pub(super) fn new(inner: R) -> Self {
        let (pending, output) = (Vec::new(), Vec::new());
        Self { inner, pending, output, taken: 0, at_end: false, replaced: 0 }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.output.clear();
        self.taken = 0;
        while self.output.is_empty() && !self.at_end {
            let old = self.pending.len();
            self.pending.resize(old + CHUNK, 0);
            let read = self.inner.read(&mut self.pending[old..])?;
            self.pending.truncate(old + read);
            self.at_end = read == 0;
            let used = self.repair();
            self.pending.drain(..used);
        }
        Ok(())
    }

    /// Copies what is complete; an escape at the end waits for what follows it.
    fn repair(&mut self) -> usize {
        let bytes = &self.pending;
        let mut at = 0;
        while at < bytes.len() {
            let next = bytes[at..].iter().position(|byte| *byte == b'\\');
            let Some(next) = next.map(|next| at + next) else {
                self.output.extend_from_slice(&bytes[at..]);
                return bytes.len();
            };
            self.output.extend_from_slice(&bytes[at..next]);
            at = next;
            if !self.at_end && bytes.len() - at < 12 {
                return at;
            }
            let (length, is_half) = escape(&bytes[at..]);
            if is_half {
                self.output.extend_from_slice(b"\\ufffd");
                self.replaced += 1;
            } else {
                self.output.extend_from_slice(&bytes[at..at + length]);
            }
            at += length;
        }
        at
    }
}

/// JSON in a text, such as a column of a database, with halves of surrogate pairs replaced; null if it
/// is none.
pub fn json_of(text: &str) -> serde_json::Value {
    serde_json::from_reader(Surrogates::new(text.as_bytes())).unwrap_or_default()
}

/// The length of an escape, and whether it is half of a pair without the other half.
fn escape(bytes: &[u8]) -> (usize, bool) {
    match unit(bytes) {
        Some(0xD800..=0xDBFF) => match bytes.get(6..).and_then(unit) {
            Some(0xDC00..=0xDFFF) => (12, false),
            _ => (6, true),
        },
        Some(0xDC00..=0xDFFF) => (6, true),
        Some(_) => (6, false),
        None => (bytes.len().min(2), false),
    }
}

fn unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

impl<R: Read> Read for Surrogates<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.output.len() {
            self.fill()?;
        }
        let rest = &self.output[self.taken..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.taken += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(text: &str) -> (String, u64) {
        let mut stream = Surrogates::new(text.as_bytes());
        let mut out = String::new();
        stream.read_to_string(&mut out).unwrap();
        (out, stream.replaced)
    }

    #[test]
    fn halves_of_pairs_are_replaced_and_pairs_stay() {
        assert_eq!(repaired(r#""a\ud83d\ude00b""#), (r#""a\ud83d\ude00b""#.into(), 0));
        assert_eq!(repaired(r#""a\ud83dx""#), (r#""a\ufffdx""#.into(), 1));
        assert_eq!(repaired(r#""\ude00\\ud83d""#), (r#""\ufffd\\ud83d""#.into(), 1));
        assert_eq!(repaired(r#""\ud83d"#), (r#""\ufffd"#.into(), 1));
    }

    #[test]
    fn other_encodings_become_utf_8() {
        let decode = |bytes: &[u8]| {
            let mut stream = Decoded::new(bytes).unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            (text, stream.note())
        };
        assert_eq!(decode(b"\xef\xbb\xbfhi"), ("hi".into(), None));
        assert_eq!(decode(b"\xff\xfeh\0i\0").0, "hi");
        assert_eq!(decode("é".repeat(70_000).as_bytes()).0.len(), 140_000);
        let (text, note) = decode(b"Stra\xdfe und Gr\xfc\xdfe aus M\xfcnchen");
        assert_eq!(text, "Straße und Grüße aus München");
        assert!(note.is_some());
    }
}

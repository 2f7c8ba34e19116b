//! The nesting depth of JSON, measured while it is received and before it is parsed.

use memchr::memchr2;

/// The nesting of JSON so far.
#[derive(Debug, Default)]
pub(super) struct Depth {
    levels: usize,
    in_string: bool,
    after_backslash: bool,
}

impl Depth {
    /// Takes the next bytes; whether nothing in them is nested deeper than `most` levels.
    pub(super) fn takes(&mut self, mut bytes: &[u8], most: usize) -> bool {
        while let Some(first) = bytes.first() {
            if self.after_backslash {
                self.after_backslash = false;
                bytes = &bytes[1..];
            } else if self.in_string {
                bytes = self.skip_string(bytes);
            } else {
                match first {
                    b'"' => self.in_string = true,
                    b'{' | b'[' => self.levels += 1,
                    b'}' | b']' => self.levels = self.levels.saturating_sub(1),
                    _ => {}
                }
                if self.levels > most {
                    return false;
                }
                bytes = &bytes[1..];
            }
        }
        true
    }

    /// What comes after the string, or after the next backslash in it. Most of a chat is strings, so
    /// they are skipped many bytes at a time.
    fn skip_string<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let Some(place) = memchr2(b'"', b'\\', bytes) else { return &[] };
        match bytes[place] {
            b'"' => self.in_string = false,
            _ => self.after_backslash = true,
        }
        &bytes[place + 1..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(text: &str, most: usize) -> bool {
        let whole = Depth::default().takes(text.as_bytes(), most);
        let mut depth = Depth::default();
        let in_pieces = text.as_bytes().chunks(1).all(|piece| depth.takes(piece, most));
        assert_eq!(whole, in_pieces, "{text}");
        whole
    }

    #[test]
    fn brackets_count_outside_of_strings_only() {
        assert!(fits(r#"{"a":[1,{"b":2}],"c":[{}]}"#, 3));
        assert!(!fits(r#"{"a":[1,{"b":2}]}"#, 2));
        assert!(fits(r#"{"a":"[[[[{{{{","b\"[[[":"\\"}"#, 1));
        assert!(!fits(r#"{"a":"\\","b":[[1]]}"#, 2));
        assert!(fits("]]]]}}}}[1]", 1), "what is no JSON is refused elsewhere");
        assert!(!fits(&"[".repeat(200_000), 128));
    }
}

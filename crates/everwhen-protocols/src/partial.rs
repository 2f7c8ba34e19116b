//! JSON that was cut off, closed so that what came of it can be read.

/// The text up to where it was cut, with everything that was open closed. A string value that was
/// cut in the middle keeps what came of it; a name, number or word that was cut is left out.
pub fn closed(text: &str) -> String {
    let mut scan = JsonScan::default();
    for (at, byte) in text.bytes().enumerate() {
        scan.take(at, byte);
    }
    let mut done = match scan.string {
        Some(Kind::Value) => format!("{}\"", without_partial_escape(text)),
        _ => text[..scan.complete].to_owned(),
    };
    done.extend(scan.open.iter().rev());
    done
}

/// What a string is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Name,
    Value,
}

/// How far a text has been read.
#[derive(Debug, Default)]
struct JsonScan {
    /// The brackets that would close what is open, outermost first.
    open: Vec<char>,
    /// Up to here nothing but brackets is missing.
    complete: usize,
    /// The string that is being read.
    string: Option<Kind>,
    is_escaped: bool,
    expects_name: bool,
}

impl JsonScan {
    fn take(&mut self, at: usize, byte: u8) {
        if self.string.is_some() {
            return self.take_in_string(at, byte);
        }
        match byte {
            b'"' => {
                self.string = Some(if self.expects_name { Kind::Name } else { Kind::Value });
            }
            b'{' => self.open('}', at),
            b'[' => self.open(']', at),
            b'}' | b']' => {
                self.open.pop();
                self.complete = at + 1;
            }
            b',' => {
                self.complete = at;
                self.expects_name = self.open.last() == Some(&'}');
            }
            b':' => self.expects_name = false,
            _ => {}
        }
    }

    fn open(&mut self, closing: char, at: usize) {
        self.open.push(closing);
        self.complete = at + 1;
        self.expects_name = closing == '}';
    }

    fn take_in_string(&mut self, at: usize, byte: u8) {
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' => self.is_escaped = true,
            b'"' => {
                let was_value = self.string.take() == Some(Kind::Value);
                self.complete = if was_value { at + 1 } else { self.complete };
            }
            _ => {}
        }
    }
}

/// A text that ends within a string, without an escape that is not whole: `\`, `\u12`, or the first
/// half of a pair of surrogates.
fn without_partial_escape(text: &str) -> &str {
    let is_hex = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_partial = |rest: &str| match rest.strip_prefix('u') {
        None => rest.is_empty(),
        Some(digits) => {
            is_hex(digits)
                && (digits.len() < 4
                    || (digits.len() == 4
                        && u16::from_str_radix(digits, 16)
                            .is_ok_and(|unit| (0xd800..0xdc00).contains(&unit))))
        }
    };
    let Some(at) = text.rfind('\\') else { return text };
    let begins_escape = text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 0;
    if begins_escape && is_partial(&text[at + 1..]) {
        return without_partial_escape(&text[..at]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wherever_it_is_cut_the_rest_is_json_and_begins_the_same() {
        let whole = r#"{"id": "x", "n": [1, {"a": true}], "choices":[{"message":{"content":"A \"b\" \\ \ud83d\ude00 é\n", "z": null}}], "e": {}}"#;
        for at in 1..whole.len() {
            let Some(cut) = whole.get(..at) else { continue };
            let closed = closed(cut);
            let read = serde_json::from_str::<serde_json::Value>(&closed);
            assert!(read.is_ok(), "{cut} -> {closed}");
        }
    }

    #[test]
    fn a_value_that_was_cut_keeps_what_came() {
        assert_eq!(closed(r#"{"a":{"b":["x","on"#), r#"{"a":{"b":["x","on"]}}"#);
        assert_eq!(closed(r#"{"a":"x","b"#), r#"{"a":"x"}"#);
        assert_eq!(closed(r#"{"a":"x","b":12"#), r#"{"a":"x"}"#);
        assert_eq!(closed(r#"{"a":"\\"#), r#"{"a":"\\"}"#);
        assert_eq!(closed(r#"{"a":"x\ud83d\ude"#), r#"{"a":"x"}"#);
        assert_eq!(closed(r#"{"a":"x\u00e"#), r#"{"a":"x"}"#);
        assert_eq!(closed(""), "");
    }
}

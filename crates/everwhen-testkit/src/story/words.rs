//! Splits a line of a story into words, as a person reads it.
//!
//! Text in double quotes stays together, and so do a date and the time of day behind it.

/// The words of a line.
pub(super) fn words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word = None::<String>;
    let mut quoted = false;
    for letter in line.chars() {
        if letter == '"' {
            quoted = !quoted;
            word.get_or_insert_default();
        } else if letter.is_whitespace() && !quoted {
            words.extend(word.take());
        } else {
            word.get_or_insert_default().push(letter);
        }
    }
    if quoted {
        return Err("a quote is not closed; put a second \" at the end of the text".into());
    }
    words.extend(word);
    Ok(join_times(words))
}

fn join_times(words: Vec<String>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    for word in words {
        match joined.last_mut() {
            Some(date) if is_date(date) && is_time_of_day(&word) => {
                date.push(' ');
                date.push_str(&word);
            }
            _ => joined.push(word),
        }
    }
    joined
}

/// Whether the word has the shape `2023-01-08`.
pub(super) fn is_date(word: &str) -> bool {
    word.len() == 10
        && word.bytes().enumerate().all(|(place, byte)| match place {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

fn is_time_of_day(word: &str) -> bool {
    word.contains(':') && word.starts_with(|letter: char| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_times_stay_together() {
        let read = words(r#"correct e2 "new text" at 2023-01-08 12:49 tag="a b""#).unwrap();
        assert_eq!(read, ["correct", "e2", "new text", "at", "2023-01-08 12:49", "tag=a b"]);
        assert_eq!(words("after 2023-01-08 before 2023-01-09").unwrap().len(), 4);
        assert!(words("correct e2 \"new").is_err());
    }
}

//! Standard input as lines of bytes: any bytes, and none kept of a line that is too long.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// The longest line that is kept. The server takes messages of half this size, and its refusal of a
/// longer one has the id of the message.
pub(super) const LONGEST: usize = 16 * 1024 * 1024;

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum InputLine {
    /// All of it, without its end.
    Whole(Vec<u8>),
    /// It was longer than [`LONGEST`].
    TooLong,
}

/// The next line; `None` when there is no more input.
pub(super) async fn next_line(
    input: &mut (impl AsyncBufRead + Unpin),
) -> io::Result<Option<InputLine>> {
    let (mut line, mut is_begun, mut is_too_long) = (Vec::new(), false, false);
    loop {
        let buffered = input.fill_buf().await?;
        if buffered.is_empty() && !is_begun {
            return Ok(None);
        }
        is_begun = true;
        let end = buffered.iter().position(|byte| *byte == b'\n');
        let part = &buffered[..end.unwrap_or(buffered.len())];
        if line.len() + part.len() > LONGEST {
            is_too_long = true;
            line = Vec::new();
        }
        if !is_too_long {
            line.extend_from_slice(part);
        }
        let (used, is_last) = (part.len() + usize::from(end.is_some()), buffered.is_empty());
        input.consume(used);
        if end.is_some() || is_last {
            return Ok(Some(if is_too_long { InputLine::TooLong } else { InputLine::Whole(line) }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(input: &[u8]) -> Vec<InputLine> {
        let mut input = tokio::io::BufReader::with_capacity(7, input);
        let mut lines = Vec::new();
        while let Some(line) = next_line(&mut input).await.unwrap() {
            lines.push(line);
        }
        lines
    }

    #[tokio::test]
    async fn lines_are_bytes_and_the_last_needs_no_end() {
        let whole = |line: &[u8]| InputLine::Whole(line.to_vec());
        assert_eq!(lines(b"").await, []);
        assert_eq!(
            lines(b"\xff\xfe\n\nlonger than the buffer\nlast").await,
            [whole(b"\xff\xfe"), whole(b""), whole(b"longer than the buffer"), whole(b"last")]
        );
    }

    #[tokio::test]
    async fn of_a_line_that_is_too_long_nothing_is_kept() {
        let mut input = vec![b'x'; LONGEST];
        assert_eq!(lines(&input).await, [InputLine::Whole(input.clone())]);
        input.extend_from_slice(b"x\nnext\n");
        assert_eq!(lines(&input).await, [InputLine::TooLong, InputLine::Whole(b"next".to_vec())]);
    }
}

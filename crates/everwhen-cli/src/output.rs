//! Everything that is printed: text or JSON on standard output, notes and errors on standard error.

use std::fmt::Write as _;
use std::io::{self, BufRead, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::failure::Result;

/// For secondary information.
const DIM: Style = Style::new().dimmed();
/// For emphasis.
const BOLD: Style = Style::new().bold();
/// For dates.
const DATE: Style = AnsiColor::Cyan.on_default();
/// For a passed check.
const GOOD: Style = AnsiColor::Green.on_default();
/// For a failed check.
const BAD: Style = AnsiColor::Red.on_default().bold();

/// Text in the style of secondary information.
pub(crate) fn dim(text: &str) -> String {
    styled(DIM, text)
}

/// Text in the style of a date.
pub(crate) fn date(text: &str) -> String {
    styled(DATE, text)
}

/// Emphasized text.
pub(crate) fn bold(text: &str) -> String {
    styled(BOLD, text)
}

/// The mark of a passed or failed check.
pub(crate) fn mark(right: bool) -> String {
    if right { styled(GOOD, "ok  ") } else { styled(BAD, "LOOK") }
}

fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// Standard output, for bytes that are no text for people.
pub(crate) fn stream() -> impl Write {
    io::stdout().lock()
}

/// Makes control characters in untrusted text visible, so that they cannot affect the terminal.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\t' => plain.push(letter),
            '\r' => {}
            odd if odd.is_control() || is_direction(odd) => push_visible(&mut plain, odd),
            letter => plain.push(letter),
        }
    }
    plain
}

/// Characters that change the direction of text.
fn is_direction(letter: char) -> bool {
    matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn push_visible(text: &mut String, letter: char) {
    let _ = write!(text, "\\u{{{:x}}}", u32::from(letter));
}

/// A line with our own colors, and every other control sequence made visible: text that was not
/// passed through [`plain`] cannot affect the terminal either.
fn colors_only(line: &str) -> String {
    let mut harmless = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('\u{1b}') {
        harmless.push_str(&plain(&rest[..at]));
        let behind = &rest[at + 1..];
        let length = behind.strip_prefix('[').and_then(|inside| {
            inside.find(|letter: char| !letter.is_ascii_digit() && letter != ';')
        });
        match length.filter(|length| behind[1 + length..].starts_with('m')) {
            Some(length) => {
                harmless.push_str(&rest[at..at + length + 3]);
                rest = &rest[at + length + 3..];
            }
            None => {
                push_visible(&mut harmless, '\u{1b}');
                rest = behind;
            }
        }
    }
    harmless.push_str(&plain(rest));
    harmless
}

/// A block whose first line begins with `lead` and whose other lines are indented to its text.
pub(crate) fn hang(lead: &str, width: usize, text: &str) -> String {
    let indent = format!("\n{:width$}", "");
    format!("{lead}{}", plain(text.trim_end()).replace('\n', &indent))
}

/// Columns as wide as their widest cell, two spaces apart.
pub(crate) fn columns(rows: &[Vec<String>]) -> Vec<String> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count)
        .map(|place| rows.iter().filter_map(|row| row.get(place)).map(|cell| width(cell)).max())
        .map(Option::unwrap_or_default)
        .collect();
    rows.iter().map(|row| align(row, &widths).trim_end().to_owned()).collect()
}

fn align(row: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    for (place, cell) in row.iter().enumerate() {
        line.push_str(cell);
        if place + 1 < row.len() {
            let missing = widths[place] - width(cell) + 2;
            line.push_str(&" ".repeat(missing));
        }
    }
    line
}

fn width(cell: &str) -> usize {
    anstream::adapter::strip_str(cell).to_string().chars().count()
}

/// Prints a line of text on standard output.
pub(crate) fn line(text: &str) -> Result<()> {
    Ok(writeln!(anstream::stdout().lock(), "{}", colors_only(text))?)
}

/// Prints what a command is about to do. It is done also if the reader leaves early (`| head`).
pub(crate) fn announce(lines: impl IntoIterator<Item = String>) -> Result<()> {
    match lines.into_iter().try_for_each(|text| line(&text)) {
        Err(failure) if failure.is_reader_gone() => Ok(()),
        printed => printed,
    }
}

/// Prints bytes on standard output, unchanged.
pub(crate) fn raw(bytes: &[u8]) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// Prints a JSON document.
pub(crate) fn json(document: &str) -> Result<()> {
    raw(format!("{}\n", document.trim_end()).as_bytes())
}

/// Prints a note that is not part of the result.
pub(crate) fn note(text: &str) {
    // A closed standard error is ignored.
    let _ = writeln!(anstream::stderr().lock(), "{}", dim(&plain(text)));
}

/// Prints what failed and why.
pub(crate) fn error(purpose: &str, message: &str) {
    // A closed standard error is ignored.
    let message = plain(message);
    let _ = writeln!(anstream::stderr().lock(), "everwhen: could not {purpose}: {message}");
}

/// Whether standard error is a terminal with colors.
pub(crate) fn logs_in_color() -> bool {
    anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never
}

/// Whether the user can be asked on a terminal.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question that only `y` or `yes` confirms.
pub(crate) fn ask(question: &str) -> Result<bool> {
    write!(anstream::stderr().lock(), "{question} [y/N] ")?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// A progress bar; hidden unless on a terminal.
pub(crate) fn progress(total: u64, what: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    let style =
        ProgressStyle::with_template(&format!("{{bar:40}} {{pos}}/{{len}} {what}, {{eta}} left"));
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_never_moved_by_what_somebody_said() {
        assert_eq!(plain("a\u{1b}[2Jb\r\n\u{7}"), "a\\u{1b}[2Jb\n\\u{7}");
        assert_eq!(plain("a\u{202e}b"), "a\\u{202e}b");
        let line = format!("{} \u{1b}]0;OWNED\u{7} \u{1b}[2J \u{1b}", bold("a"));
        let shown = format!("{} \\u{{1b}}]0;OWNED\\u{{7}} \\u{{1b}}[2J \\u{{1b}}", bold("a"));
        assert_eq!(colors_only(&line), shown);
    }

    #[test]
    fn columns_line_up_whatever_their_color() {
        let rows = [vec![dim("a"), "b".into()], vec!["longer".into(), "c".into()]];
        let lines = columns(&rows).map_plain();
        assert_eq!(lines, ["a       b", "longer  c"]);
    }

    #[test]
    fn lines_of_one_text_stand_under_each_other() {
        assert_eq!(hang("12:00  ", 7, "one\ntwo\n"), "12:00  one\n       two");
    }

    trait Plain {
        fn map_plain(self) -> Vec<String>;
    }

    impl Plain for Vec<String> {
        fn map_plain(self) -> Vec<String> {
            self.iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect()
        }
    }
}

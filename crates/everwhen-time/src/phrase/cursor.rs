//! A place in the tokens of a text, and the steps a rule of the grammar takes from it.

use super::classes::{Classes, NONE};
use super::lexer::{Kind, Token};

/// What a rule gives: what it read, and where reading goes on. Nothing if it does not apply.
pub(super) type Read<'t, T> = Option<(T, Cursor<'t>)>;

/// A place in the tokens. Cheap to copy: a rule that fails leaves no trace.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    tokens: &'t [Token<'t>],
    at: usize,
    depth: u8,
}

/// How many tokens of a sentence are looked at on either side, so that reading stays linear.
pub(super) const LONGEST: usize = 60;

/// How deep phrases may stand inside phrases: "the day before the Friday before Easter" is two.
const DEEPEST: u8 = 2;

impl<'t> Cursor<'t> {
    /// The beginning of the text.
    pub(super) fn new(tokens: &'t [Token<'t>]) -> Self {
        Self { tokens, at: 0, depth: 0 }
    }

    /// The token here.
    pub(super) fn peek(self) -> Option<&'t Token<'t>> {
        self.tokens.get(self.at)
    }

    /// The token before.
    pub(super) fn previous(self) -> Option<&'t Token<'t>> {
        self.back(1)
    }

    /// The token `steps` before.
    pub(super) fn back(self, steps: usize) -> Option<&'t Token<'t>> {
        self.tokens.get(self.at.checked_sub(steps)?)
    }

    /// One token on.
    pub(super) fn step(self) -> Self {
        Self { at: self.at + 1, ..self }
    }

    /// How far into the tokens this is.
    pub(super) fn position(self) -> usize {
        self.at
    }

    /// One phrase deeper, unless that is too deep.
    pub(super) fn deeper(self) -> Option<Self> {
        (self.depth < DEEPEST).then_some(Self { depth: self.depth + 1, ..self })
    }

    /// Back to the depth of `other`.
    pub(super) fn level_with(self, other: Self) -> Self {
        Self { depth: other.depth, ..self }
    }

    /// Whether the token here can begin one of these.
    pub(super) fn begins_with(self, classes: Classes) -> bool {
        self.peek().is_some_and(|token| token.classes & classes != NONE)
    }

    /// This place, if the token here can begin one of these. Spares a look into a table that has no
    /// other words.
    pub(super) fn at_one_of(self, classes: Classes) -> Option<Self> {
        self.begins_with(classes).then_some(self)
    }

    /// The kind of the token here.
    pub(super) fn kind(self) -> Option<Kind> {
        self.peek().map(|token| token.kind)
    }

    /// The word here, if it is one.
    pub(super) fn text(self) -> Option<&'t str> {
        self.peek().filter(|token| token.kind == Kind::Word).map(|token| token.text)
    }

    /// Past this word.
    pub(super) fn word(self, word: &str) -> Option<Self> {
        (self.text()? == word).then(|| self.step())
    }

    /// Past any one of these words.
    pub(super) fn any(self, words: &[&str]) -> Option<Self> {
        words.contains(&self.text()?).then(|| self.step())
    }

    /// Past one of these words, if it is here.
    pub(super) fn maybe(self, words: &[&str]) -> Self {
        self.any(words).unwrap_or(self)
    }

    /// Past these words in this order, blanks between them.
    pub(super) fn words(self, words: &str) -> Option<Self> {
        words.split(' ').try_fold(self, Self::word)
    }

    /// Past the first of these word sequences that is here; name longer ones first.
    pub(super) fn one_of(self, sequences: &[&str]) -> Option<Self> {
        let first = self.text()?;
        sequences.iter().filter(|s| begins(s, first)).find_map(|s| self.words(s))
    }

    /// The meaning of the first of these word sequences that is here; name longer ones first.
    pub(super) fn pick<T: Copy>(self, table: &[(&str, T)]) -> Read<'t, T> {
        let first = self.text()?;
        table
            .iter()
            .filter(|(words, _)| begins(words, first))
            .find_map(|(words, value)| Some((*value, self.words(words)?)))
    }

    /// Past this mark.
    pub(super) fn mark(self, mark: char) -> Option<Self> {
        (self.kind()? == Kind::Mark(mark)).then(|| self.step())
    }

    /// Past a comma, if it is here.
    pub(super) fn comma(self) -> Self {
        self.mark(',').unwrap_or(self)
    }

    /// Past a hyphen without blanks, if it is here.
    pub(super) fn hyphen(self) -> Self {
        let tied = |after: Self| self.peek().is_some_and(|t| t.glued) && after.is_glued();
        self.mark('-').filter(|after| tied(*after)).unwrap_or(self)
    }

    /// Whether the token here follows the one before without a blank.
    pub(super) fn is_glued(self) -> bool {
        self.peek().is_some_and(|token| token.glued)
    }

    /// Whether the sentence, or at least a part of it, ends here.
    pub(super) fn at_break(self) -> bool {
        !matches!(self.kind(), Some(kind) if !matches!(kind, Kind::Mark(c) if is_break(c)))
    }

    /// Whether this is the first token of a sentence.
    pub(super) fn opens_sentence(self) -> bool {
        self.previous().is_none_or(ends_sentence)
    }

    /// The beginning of the sentence here, or a place far enough before.
    pub(super) fn sentence(self) -> Self {
        let start = self.at.saturating_sub(LONGEST);
        let before =
            self.tokens[start..self.at.min(self.tokens.len())].iter().rposition(ends_sentence);
        Self { at: before.map_or(start, |end| start + end + 1), ..self }
    }

    /// Whether nothing but marks is left.
    pub(super) fn is_over(self) -> bool {
        self.tokens.iter().skip(self.at).all(|token| matches!(token.kind, Kind::Mark(_)))
    }

    /// Whether a sentence begins here.
    pub(super) fn begins(self) -> bool {
        !matches!(self.previous(), Some(t) if !matches!(t.kind, Kind::Mark(c) if is_break(c)))
    }
}

/// Whether the first of some words is this one. Most differ in a single letter.
fn begins(words: &str, first: &str) -> bool {
    match words.as_bytes().get(first.len()) {
        None => words == first,
        Some(b' ') => words.starts_with(first),
        Some(_) => false,
    }
}

fn ends_sentence(token: &Token<'_>) -> bool {
    matches!(token.kind, Kind::Mark('.' | '!' | '?'))
}

fn is_break(mark: char) -> bool {
    !matches!(mark, '-' | '\'' | '/' | '&' | '#' | '$' | '%' | '@')
}

//! Aligns the messages of a request with the lines of a ledger: which are the same?
//!
//! The best common order wins: every match counts, and more so where the one before it matches too,
//! where as many messages lie between two matches as did, and at both ends. Among equals the newest
//! wins. A match that nothing supports is dropped.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::memory::Role;
use crate::ports::LedgerLine;

/// What a match is worth.
const MATCH: i64 = 4;
/// What it is worth more if the message before it matches the line before it.
const LINKED: i64 = 3;
/// What it is worth more if it is as far from an earlier match as it was; or at the end of the line, or at
/// the start of both.
const FITS: i64 = 2;
/// What it is worth less if lines were skipped to get there: clients rarely leave out the middle.
const SKIPS: i64 = 4;
/// How far apart two matches may be to support each other.
const REACH: usize = 16;

/// What a message is found by.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessageKey {
    pub(super) mark: [u8; 32],
    /// The mark of its line if it was forgotten.
    pub(super) keyed: Option<[u8; 32]>,
    /// Whether its text is long enough that it is not said twice by chance.
    pub(super) distinctive: bool,
}

/// Lines of a ledger, in their order along the line.
pub(super) struct LineRange<'l> {
    lines: &'l [LedgerLine],
    by_number: HashMap<u64, usize>,
    /// From here on no line is left out.
    whole_from: usize,
    /// The number of the first line of all.
    oldest: Option<u64>,
}

impl<'l> LineRange<'l> {
    /// These lines, of which those from `whole_from` on follow each other without a gap.
    pub(super) fn new(lines: &'l [LedgerLine], whole_from: usize, oldest: Option<u64>) -> Self {
        let by_number = lines.iter().enumerate().map(|(at, line)| (line.number, at)).collect();
        Self { lines, by_number, whole_from, oldest }
    }

    /// The place of the line before this one in its own history.
    fn parent(&self, at: usize) -> Option<usize> {
        self.by_number.get(&self.lines[at].after?).copied()
    }

    fn is_linked(&self, earlier: usize, later: usize) -> bool {
        self.parent(later) == Some(earlier)
            || (earlier + 1 == later
                && earlier >= self.whole_from
                && self.lines[later].after.is_none())
    }

    /// The user's message before this one in its own history, if only replies lie between them:
    /// agents that compact a chat send what the user said without the replies.
    fn over_replies(&self, later: usize) -> Option<usize> {
        let mut at = self.parent(later).filter(|at| self.lines[*at].role == Role::Assistant)?;
        for _ in 0..REACH {
            at = self.parent(at)?;
            match self.lines[at].role {
                Role::User => return Some(at),
                Role::Assistant => {}
                Role::Tool | Role::System => return None,
            }
        }
        None
    }

    /// Whether `later` comes exactly this many steps after `earlier` in its own history.
    fn is_steps_after(&self, earlier: usize, later: usize, steps: usize) -> bool {
        if steps == 1 {
            return self.is_linked(earlier, later);
        }
        let mut at = Some(later);
        for _ in 0..steps.min(REACH + 1) {
            at = at.and_then(|at| self.parent(at));
        }
        steps <= REACH && at == Some(earlier)
    }
}

/// For each message the place of its line, if it has one.
pub(super) fn align(keys: &[MessageKey], range: &LineRange<'_>) -> Vec<Option<usize>> {
    let chain = best_chain(keys, range);
    let mut found = vec![None; keys.len()];
    for place in 0..chain.len() {
        if is_supported(&chain, place, keys, range) {
            found[chain[place].0] = Some(chain[place].1);
        }
    }
    found
}

/// One message on one line, and the best way to get there.
struct Pair {
    message: usize,
    line: usize,
    score: i64,
    before: Option<usize>,
}

/// The best chain of pairs, rising in both orders.
fn best_chain(keys: &[MessageKey], range: &LineRange<'_>) -> Vec<(usize, usize)> {
    let mut by_mark: HashMap<[u8; 32], Vec<usize>> = HashMap::new();
    for (at, line) in range.lines.iter().enumerate() {
        by_mark.entry(line.mark).or_default().push(at);
    }
    let mut found = Matches {
        range,
        pairs: Vec::new(),
        of: vec![HashMap::new(); keys.len()],
        best: PrefixBest::new(range.lines.len()),
    };
    for (message, one) in keys.iter().enumerate() {
        let first = found.pairs.len();
        let marks = [Some(one.mark), one.keyed].into_iter().flatten();
        for line in marks.filter_map(|mark| by_mark.get(&mark)).flatten() {
            found.add(message, *line);
        }
        for (number, pair) in found.pairs.iter().enumerate().skip(first) {
            found.best.raise(pair.line, pair.score, number);
        }
    }
    found.chain()
}

/// The pairs of messages and lines with the same text, so far.
struct Matches<'s> {
    range: &'s LineRange<'s>,
    pairs: Vec<Pair>,
    /// For each message its pairs, by line.
    of: Vec<HashMap<usize, usize>>,
    best: PrefixBest,
}

impl Matches<'_> {
    /// Adds a pair, reached on the best way.
    fn add(&mut self, message: usize, line: usize) {
        let apart = self.best.below(line).map(|(score, pair)| (score - SKIPS, pair));
        let ways = [apart, self.linked(message, line), self.fitting(message, line)];
        let way = ways.into_iter().flatten().max_by_key(|(score, _)| *score);
        let opens = message == 0 && Some(self.range.lines[line].number) == self.range.oldest;
        let closes = line + 1 == self.range.lines.len();
        let ends = FITS * (i64::from(opens) + i64::from(closes));
        let (score, before) = way.map_or((0, None), |(score, pair)| (score, Some(pair)));
        self.of[message].insert(line, self.pairs.len());
        self.pairs.push(Pair { message, line, score: score + MATCH + ends, before });
    }

    /// From the message before, on the line before, or on the one before the replies in between.
    fn linked(&self, message: usize, line: usize) -> Option<(i64, usize)> {
        let previous = self.of.get(message.checked_sub(1)?)?;
        let earlier = [self.range.parent(line), line.checked_sub(1)];
        let linked = earlier
            .into_iter()
            .flatten()
            .filter(|earlier| *earlier < line && self.range.is_linked(*earlier, line));
        if let Some(pair) = linked.into_iter().find_map(|earlier| previous.get(&earlier)) {
            return Some((self.pairs[*pair].score + LINKED, *pair));
        }
        let said = self.range.over_replies(line).filter(|said| *said < line)?;
        let pair = previous.get(&said)?;
        Some((self.pairs[*pair].score + FITS, *pair))
    }

    /// From an earlier message, as many lines before as messages.
    fn fitting(&self, message: usize, line: usize) -> Option<(i64, usize)> {
        let mut at = self.range.parent(line)?;
        let mut best = None;
        for steps in 2..=message.min(REACH) {
            let Some(earlier) = self.range.parent(at) else { break };
            at = earlier;
            let pair = self.of[message - steps].get(&at).filter(|_| at < line);
            best = best.max(pair.map(|pair| (self.pairs[*pair].score + FITS, *pair)));
        }
        best
    }

    /// The best chain, oldest first.
    fn chain(&self) -> Vec<(usize, usize)> {
        let mut chain = Vec::new();
        let mut at = self.best.below(self.range.lines.len()).map(|(_, pair)| pair);
        while let Some(pair) = at {
            chain.push((self.pairs[pair].message, self.pairs[pair].line));
            at = self.pairs[pair].before;
        }
        chain.reverse();
        chain
    }
}

/// Whether a match is supported by more than chance.
fn is_supported(
    chain: &[(usize, usize)],
    place: usize,
    keys: &[MessageKey],
    range: &LineRange<'_>,
) -> bool {
    let (message, line) = chain[place];
    let steps_fit = |earlier: &(usize, usize), later: &(usize, usize)| {
        let steps = later.0 - earlier.0;
        range.is_steps_after(earlier.1, later.1, steps)
            || (steps == 1 && range.over_replies(later.1) == Some(earlier.1))
    };
    let before =
        place.checked_sub(1).is_some_and(|before| steps_fit(&chain[before], &chain[place]));
    let behind = chain.get(place + 1).is_some_and(|behind| steps_fit(&chain[place], behind));
    let opens = message == 0 && Some(range.lines[line].number) == range.oldest;
    let closes = place + 1 == chain.len() && line + 1 == range.lines.len();
    before || behind || opens || closes || keys[message].distinctive
}

/// The best pair on any line below a given one; among equals the one on the newest line, and there the
/// earliest message: the same words behind it are new. A binary indexed tree.
struct PrefixBest(Vec<Option<(i64, usize, Reverse<usize>)>>);

impl PrefixBest {
    fn new(lines: usize) -> Self {
        Self(vec![None; lines + 1])
    }

    fn raise(&mut self, line: usize, score: i64, pair: usize) {
        let mut node = line + 1;
        while node < self.0.len() {
            self.0[node] = self.0[node].max(Some((score, line, Reverse(pair))));
            node += node & node.wrapping_neg();
        }
    }

    fn below(&self, line: usize) -> Option<(i64, usize)> {
        let (mut node, mut best) = (line, None);
        while node > 0 {
            best = best.max(self.0[node]);
            node -= node & node.wrapping_neg();
        }
        best.map(|(score, _, Reverse(pair))| (score, pair))
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn mark(word: &str) -> [u8; 32] {
        let mut mark = [0; 32];
        mark[..word.len()].copy_from_slice(word.as_bytes());
        mark
    }

    /// One history, said word by word.
    fn line(words: &str) -> Vec<LedgerLine> {
        let line = |(number, word): (u64, &str)| LedgerLine {
            number,
            place: i64::try_from(number).ok(),
            mark: mark(word),
            occurrence: 1,
            role: Role::User,
            time: Timestamp::UNIX_EPOCH,
            since: None,
            after: (number > 1).then(|| number - 1),
            entry: None,
            delivered: false,
        };
        (1..).zip(words.split(' ')).map(line).collect()
    }

    /// The numbers of the lines on which the words are found; 0 for none.
    fn found(line: &[LedgerLine], words: &str) -> Vec<u64> {
        let key = |word| MessageKey { mark: mark(word), keyed: None, distinctive: false };
        let keys: Vec<MessageKey> = words.split(' ').map(key).collect();
        let range = LineRange::new(line, 0, line.first().map(|line| line.number));
        let places = align(&keys, &range);
        places.into_iter().map(|place| place.map_or(0, |place| line[place].number)).collect()
    }

    #[test]
    fn whole_cut_and_gone_on() {
        let line = line("hi hello ok good why because");
        assert_eq!(found(&line, "hi hello ok good why because"), [1, 2, 3, 4, 5, 6]);
        assert_eq!(found(&line, "good why because ok"), [4, 5, 6, 0]);
        assert_eq!(found(&line, "hi hello ok"), [1, 2, 3]);
    }

    #[test]
    fn the_same_words_again_are_new() {
        let line = line("hi hello ok good");
        assert_eq!(found(&line, "hi hello ok good ok"), [1, 2, 3, 4, 0]);
        assert_eq!(found(&line, "good ok"), [4, 0]);
        assert_eq!(found(&line, "other ok"), [0, 0], "one short word proves nothing");
    }

    #[test]
    fn repeats_are_told_apart_by_their_neighbours() {
        let line = line("ok one ok two ok three");
        assert_eq!(found(&line, "ok two ok three"), [3, 4, 5, 6]);
        assert_eq!(found(&line, "ok two ok"), [3, 4, 5]);
        assert_eq!(found(&line, "ok one ok TWO ok three"), [1, 2, 3, 0, 5, 6]);
    }

    #[test]
    fn edits_leave_the_others_in_their_places() {
        let line = line("a b c d e");
        assert_eq!(found(&line, "a B c D e"), [1, 0, 3, 0, 5]);
        assert_eq!(found(&line, "A b c d e"), [0, 2, 3, 4, 5]);
        assert_eq!(found(&line, "a b x y"), [1, 2, 0, 0]);
    }
}

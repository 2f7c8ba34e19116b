//! Lays the messages of a request beside the line: which are the same?
//!
//! The best common order wins: every match counts, a match whose neighbours match too counts almost
//! double, and among equals the newest wins. A match that nothing supports is dropped.

use std::collections::HashMap;

use crate::ports::LedgerLine;

/// What a match is worth.
const MATCH: i64 = 4;
/// What it is worth more if the message before it matches the line before it.
const LINKED: i64 = 3;
/// How far apart two matches may be to support each other.
const REACH: usize = 16;

/// A message to find.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sought {
    pub(super) mark: [u8; 32],
    /// Whether its text is long enough that nobody says it twice by chance.
    pub(super) distinctive: bool,
}

/// Lines of a ledger, in their order along the line.
pub(super) struct Stretch<'l> {
    lines: &'l [LedgerLine],
    by_number: HashMap<u64, usize>,
    /// From here on no line is left out.
    whole_from: usize,
    /// The number of the first line of all.
    oldest: Option<u64>,
}

impl<'l> Stretch<'l> {
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

    /// Whether `later` comes exactly so many steps after `earlier` in its own history.
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
pub(super) fn align(sought: &[Sought], stretch: &Stretch<'_>) -> Vec<Option<usize>> {
    let chain = best_chain(sought, stretch);
    let mut found = vec![None; sought.len()];
    for place in 0..chain.len() {
        if is_supported(&chain, place, sought, stretch) {
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
fn best_chain(sought: &[Sought], stretch: &Stretch<'_>) -> Vec<(usize, usize)> {
    let mut by_mark: HashMap<[u8; 32], Vec<usize>> = HashMap::new();
    for (at, line) in stretch.lines.iter().enumerate() {
        by_mark.entry(line.mark).or_default().push(at);
    }
    let mut pairs: Vec<Pair> = Vec::new();
    let mut best = PrefixBest::new(stretch.lines.len());
    let mut previous: HashMap<usize, usize> = HashMap::new();
    for (message, one) in sought.iter().enumerate() {
        let first = pairs.len();
        for line in by_mark.get(&one.mark).into_iter().flatten().copied() {
            let (score, before) = step(stretch, &pairs, &best, &previous, line);
            pairs.push(Pair { message, line, score, before });
        }
        previous = (first..pairs.len()).map(|pair| (pairs[pair].line, pair)).collect();
        for (number, pair) in pairs.iter().enumerate().skip(first) {
            best.raise(pair.line, pair.score, number);
        }
    }
    let mut chain = Vec::new();
    let mut at = best.below(stretch.lines.len()).map(|(_, pair)| pair);
    while let Some(pair) = at {
        chain.push((pairs[pair].message, pairs[pair].line));
        at = pairs[pair].before;
    }
    chain.reverse();
    chain
}

/// The best score with which a line can be reached, and from where.
fn step(
    stretch: &Stretch<'_>,
    pairs: &[Pair],
    best: &PrefixBest,
    previous: &HashMap<usize, usize>,
    line: usize,
) -> (i64, Option<usize>) {
    let apart = best.below(line);
    let neighbours = [stretch.parent(line), line.checked_sub(1)];
    let linked = neighbours
        .into_iter()
        .flatten()
        .filter(|earlier| *earlier < line && stretch.is_linked(*earlier, line))
        .find_map(|earlier| previous.get(&earlier).copied())
        .map(|pair| (pairs[pair].score + LINKED, pair));
    match linked.into_iter().chain(apart).max_by_key(|(score, _)| *score) {
        Some((score, pair)) => (score + MATCH, Some(pair)),
        None => (MATCH, None),
    }
}

/// Whether more than chance speaks for a match.
fn is_supported(
    chain: &[(usize, usize)],
    place: usize,
    sought: &[Sought],
    stretch: &Stretch<'_>,
) -> bool {
    let (message, line) = chain[place];
    let steps_fit = |earlier: &(usize, usize), later: &(usize, usize)| {
        stretch.is_steps_after(earlier.1, later.1, later.0 - earlier.0)
    };
    let before =
        place.checked_sub(1).is_some_and(|before| steps_fit(&chain[before], &chain[place]));
    let behind = chain.get(place + 1).is_some_and(|behind| steps_fit(&chain[place], behind));
    let opens = message == 0 && Some(stretch.lines[line].number) == stretch.oldest;
    let closes = place + 1 == chain.len() && line + 1 == stretch.lines.len();
    before || behind || opens || closes || sought[message].distinctive
}

/// The best pair on any line below a given one; among equals the one on the newest line. A binary
/// indexed tree.
struct PrefixBest(Vec<Option<(i64, usize, usize)>>);

impl PrefixBest {
    fn new(lines: usize) -> Self {
        Self(vec![None; lines + 1])
    }

    fn raise(&mut self, line: usize, score: i64, pair: usize) {
        let mut node = line + 1;
        while node < self.0.len() {
            self.0[node] = self.0[node].max(Some((score, line, pair)));
            node += node & node.wrapping_neg();
        }
    }

    fn below(&self, line: usize) -> Option<(i64, usize)> {
        let (mut node, mut best) = (line, None);
        while node > 0 {
            best = best.max(self.0[node]);
            node -= node & node.wrapping_neg();
        }
        best.map(|(score, _, pair)| (score, pair))
    }
}

//! The words of a segment: its terms, and the block of their postings.

use std::iter::Peekable;

use super::bytes::{Reader, Writer};
use crate::index::lexicon::Lexicon;
use crate::index::postings::Block;
use crate::index::{Index, Term};

/// The number of stems that are added at a time.
const STEMS: usize = 32;

/// The words of a segment that was read.
#[derive(Debug)]
pub(super) struct Words {
    /// Languages of documents, as they are among stems.
    languages: Stems,
    /// The stems of the terms of the block.
    stems: Stems,
    /// The postings, with the terms that the stems had when they were written.
    block: Block,
}

/// Stems, and the terms that they had when they were written, in rising order.
#[derive(Debug, Default)]
struct Stems {
    terms: Vec<Term>,
    texts: String,
    /// The end of each text.
    ends: Vec<u32>,
}

/// Writes the words of the documents from `first` on.
pub(super) fn write(index: &Index, writer: &mut Writer, first: u32) -> Option<()> {
    let block = index.words.block(first)?;
    writer.number(u64::from(block.documents));
    write_stems(&index.lexicon, writer, &index.lexicon.language_marks());
    write_stems(&index.lexicon, writer, &block.terms);
    let starts = std::iter::once(&0).chain(&block.ends);
    block.ends.iter().zip(starts).for_each(|(end, start)| writer.number(u64::from(end - start)));
    writer.units(&block.units);
    Some(())
}

/// Writes the stems of terms in rising order.
fn write_stems(lexicon: &Lexicon, writer: &mut Writer, terms: &[Term]) {
    let texts: Vec<&str> = terms.iter().filter_map(|term| lexicon.stem(*term)).collect();
    writer.number(texts.len() as u64);
    let mut next = 0;
    for (term, text) in terms.iter().zip(&texts) {
        writer.number(u64::from(term - next));
        writer.number(text.len() as u64);
        next = term + 1;
    }
    writer.text(&texts.concat());
}

impl Stems {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let mut stems = Self::default();
        let (mut next, mut end) = (0u32, 0u32);
        let count = reader.count()?;
        stems.terms.reserve_exact(count);
        stems.ends.reserve_exact(count);
        for _ in 0..count {
            let term = next.checked_add(reader.small()?)?;
            next = term.checked_add(1)?;
            end = end.checked_add(reader.small()?)?;
            stems.terms.push(term);
            stems.ends.push(end);
        }
        stems.texts = reader.text()?.to_owned();
        let are_texts = stems.ends.iter().all(|end| stems.texts.is_char_boundary(*end as usize));
        (are_texts && end as usize == stems.texts.len()).then_some(stems)
    }

    fn iter(&self) -> impl Iterator<Item = (Term, &str)> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let texts =
            starts.zip(&self.ends).map(|(start, end)| &self.texts[*start as usize..*end as usize]);
        self.terms.iter().copied().zip(texts)
    }
}

impl Words {
    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let documents = reader.small()?;
        let (languages, mut stems) = (Stems::read(reader)?, Stems::read(reader)?);
        let mut ends = Vec::with_capacity(stems.terms.len());
        let mut end = 0u32;
        for _ in 0..stems.terms.len() {
            end = end.checked_add(reader.small()?)?;
            ends.push(end);
        }
        let units = reader.units(end as usize)?;
        let terms = std::mem::take(&mut stems.terms);
        let block = Block::new(documents, terms, ends, units);
        stems.terms.clone_from(&block.terms);
        block.is_valid().then_some(Self { languages, stems, block })
    }

    /// Returns the number of documents.
    pub(super) fn documents(&self) -> usize {
        self.block.documents as usize
    }

    /// Adds the terms to a lexicon and returns the postings with the terms they have there.
    pub(super) fn into_block(self, lexicon: &mut Lexicon) -> Block {
        let Self { languages, stems, mut block } = self;
        let mut languages = languages.iter().peekable();
        lexicon.reserve_from(stems.terms.iter().copied());
        let (mut stems, mut some) = (stems.iter(), Vec::with_capacity(STEMS));
        for terms in block.terms.chunks_mut(STEMS) {
            some.clear();
            some.extend(stems.by_ref().take(STEMS));
            let last = some.last().map_or(0, |(last, _)| *last);
            let has_language = languages.peek().is_some_and(|(mark, _)| *mark < last);
            match some[..].try_into() {
                Ok(some) if !has_language => {
                    terms.copy_from_slice(&lexicon.add_stems::<STEMS>(some))
                }
                _ => add_in_order(lexicon, &mut languages, &some, terms),
            }
        }
        for (mark, text) in languages {
            lexicon.add_stem(text, mark);
        }
        if block.terms.is_sorted() { block.finish() } else { sorted(&block).finish() }
    }
}

/// Adds stems one by one, and languages between them in the order in which both were added, so that they
/// have the same numbers again. Sets the terms that the stems have.
fn add_in_order<'w>(
    lexicon: &mut Lexicon,
    languages: &mut Peekable<impl Iterator<Item = (Term, &'w str)>>,
    stems: &[(Term, &str)],
    terms: &mut [Term],
) {
    for ((expected, stem), term) in stems.iter().zip(terms) {
        while let Some((mark, text)) = languages.next_if(|(mark, _)| mark < expected) {
            lexicon.add_stem(text, mark);
        }
        *term = lexicon.add_stem(stem, *expected);
    }
}

/// Returns a block with its terms in rising order.
fn sorted(block: &Block) -> Block {
    let mut order: Vec<usize> = (0..block.terms.len()).collect();
    order.sort_unstable_by_key(|position| block.terms[*position]);
    let mut all = Block::empty(block.documents);
    all.units.reserve_exact(block.units.len());
    for position in order {
        all.terms.push(block.terms[position]);
        all.units.extend_from_slice(&block.units[block.range(position)]);
        all.ends.push(all.units.len() as u32);
    }
    all
}

//! The words of a segment: terms, speakers, groups, documents, and where terms occur.

use std::ops::Range;

use super::bytes::{Reader, Writer};
use crate::document::{DocumentId, DocumentInfo, GroupId, Micros, Placement, Source};
use crate::index::{Index, Postings};

/// Writes a range of documents, and what they need that no earlier segment has.
pub(super) fn write(index: &Index, writer: &mut Writer, range: Range<usize>) {
    let full = &index.full_segments;
    writer.number(range.start as u64);
    write_texts(writer, full.terms, index.lexicon.stems_from(full.terms).into_iter());
    let speakers = index.speakers[full.speakers..].iter();
    write_texts(writer, full.speakers, speakers.map(String::as_str));
    writer.number(full.groups as u64);
    let groups = &index.groups[full.groups..];
    writer.number(groups.len() as u64);
    groups.iter().for_each(|id| writer.raw(&id.0));
    writer.number(range.len() as u64);
    let mut previous = Previous::default();
    range.clone().for_each(|number| write_document(index, writer, number, &mut previous));
    write_occurrences(index, writer, range);
}

fn write_texts<'t>(
    writer: &mut Writer,
    first: usize,
    texts: impl ExactSizeIterator<Item = &'t str>,
) {
    writer.number(first as u64);
    writer.number(texts.len() as u64);
    texts.for_each(|text| writer.text(text));
}

/// Numbers of the previous document; only differences to them are stored.
#[derive(Default)]
struct Previous {
    sequence: u64,
    time: Micros,
    created: Micros,
}

impl Previous {
    fn new(info: &DocumentInfo) -> Self {
        Self { sequence: info.sequence, time: info.time, created: info.created }
    }
}

fn write_document(index: &Index, writer: &mut Writer, number: usize, previous: &mut Previous) {
    let (placement, info) = (&index.placements[number], &index.documents[number]);
    writer.raw(&info.id.0);
    writer.number(info.sequence - previous.sequence);
    writer.signed(info.time.wrapping_sub(previous.time));
    writer.signed(info.created.wrapping_sub(previous.created));
    writer.signed(info.removed);
    writer.number(u64::from(info.lasts));
    writer.number(u64::from(info.speaker));
    writer.number(u64::from(info.source.number()));
    writer.number(u64::from(placement.group));
    writer.number(u64::from(placement.length()) << 1 | u64::from(placement.is_reply()));
    *previous = Previous::new(info);
}

/// Writes for each term how many documents of the range contain it, then the documents and counts.
fn write_occurrences(index: &Index, writer: &mut Writer, range: Range<usize>) {
    for postings in &index.postings {
        let mut next = range.start as u32;
        let inside: Vec<(u32, u32)> = postings.iter_from(next, range.end as u32).collect();
        writer.number(inside.len() as u64);
        for (document, count) in inside {
            writer.number(u64::from(document - next) << 1 | u64::from(count > 1));
            if count > 1 {
                writer.number(u64::from(count));
            }
            next = document + 1;
        }
    }
}

/// Reads what was written, if it continues what the index holds.
pub(super) fn read(index: &mut Index, reader: &mut Reader<'_>) -> Option<()> {
    expect_number(reader, index.len())?;
    expect_number(reader, index.lexicon.len())?;
    for _ in 0..reader.count()? {
        index.lexicon.add_stem(reader.text()?)?;
    }
    index.postings.resize_with(index.lexicon.len(), Postings::new);
    expect_number(reader, index.speakers.len())?;
    for _ in 0..reader.count()? {
        index.speakers.push(reader.text()?.to_owned());
    }
    expect_number(reader, index.groups.len())?;
    for _ in 0..reader.count()? {
        index.group_number(GroupId(reader.array()?));
    }
    let first = index.len();
    let mut previous = Previous::default();
    for _ in 0..reader.count()? {
        read_document(index, reader, &mut previous)?;
    }
    read_occurrences(index, reader, first)
}

fn expect_number(reader: &mut Reader<'_>, known: usize) -> Option<()> {
    (reader.number()? == known as u64).then_some(())
}

fn read_document(
    index: &mut Index,
    reader: &mut Reader<'_>,
    previous: &mut Previous,
) -> Option<()> {
    let info = DocumentInfo {
        id: DocumentId(reader.array()?),
        sequence: previous.sequence.checked_add(reader.number()?)?,
        time: previous.time.wrapping_add(reader.signed()?),
        created: previous.created.wrapping_add(reader.signed()?),
        removed: reader.signed()?,
        lasts: reader.small()?,
        speaker: reader.number()?.try_into().ok()?,
        source: *Source::ALL.get(reader.small()? as usize)?,
    };
    let group = reader.small()?;
    let length = reader.small()?;
    ((group as usize) < index.groups.len()).then_some(())?;
    let placement = Placement::new(group, length >> 1, info.source, length & 1 == 1);
    *previous = Previous::new(&info);
    index.push(placement, info);
    Some(())
}

fn read_occurrences(index: &mut Index, reader: &mut Reader<'_>, first: usize) -> Option<()> {
    let end = index.len() as u64;
    for term in 0..index.postings.len() {
        let mut next = first as u64;
        for _ in 0..reader.count()? {
            let head = reader.number()?;
            let document = next.checked_add(head >> 1).filter(|document| *document < end)?;
            let count = if head & 1 == 1 { reader.small()? } else { 1 };
            let group = index.placements[document as usize].group;
            index.posting_bytes += index.postings[term].add(document as u32, count, group);
            next = document + 1;
        }
    }
    Some(())
}

//! The documents of a segment, with their speakers and groups.

use std::collections::HashMap;
use std::ops::Range;

use super::bytes::{Reader, Writer};
use crate::document::{DocumentId, DocumentInfo, GroupId, Micros, Placement, Source};
use crate::index::document_list::DocumentList;
use crate::index::{Index, SEGMENT_DOCUMENTS};

/// The documents of a segment that was read. Their groups and speakers are numbers of the lists here.
#[derive(Debug)]
pub(super) struct Documents {
    speakers: Vec<String>,
    groups: Vec<GroupId>,
    placements: Vec<Placement>,
    /// In columns, as the index has them: they are copied there as they are.
    documents: DocumentList,
}

/// Writes a range of documents.
pub(super) fn write(index: &Index, writer: &mut Writer, range: Range<usize>) {
    writer.number(index.speakers.len() as u64);
    index.speakers.iter().for_each(|speaker| writer.text(speaker));
    let (mut groups, mut numbers) = (Vec::new(), HashMap::new());
    for placement in &index.placements[range.clone()] {
        numbers.entry(placement.group).or_insert_with(|| {
            groups.push(index.groups[placement.group as usize]);
            groups.len() - 1
        });
    }
    writer.number(groups.len() as u64);
    groups.iter().for_each(|id| writer.raw(&id.0));
    writer.number(range.len() as u64);
    let mut previous = Previous::default();
    for number in range {
        let (placement, info) = (&index.placements[number], index.documents.get(number as u32));
        let group = numbers.get(&placement.group).map_or(0, |group| *group as u64);
        write_document(writer, (placement, &info), group, &mut previous);
    }
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

fn write_document(
    writer: &mut Writer,
    (placement, info): (&Placement, &DocumentInfo),
    group: u64,
    previous: &mut Previous,
) {
    writer.raw(&info.id.0);
    writer.number(info.sequence - previous.sequence);
    writer.signed(info.time.wrapping_sub(previous.time));
    writer.signed(info.created.wrapping_sub(previous.created));
    // Nearly all are current, and a small number takes one byte.
    writer.signed(info.removed.wrapping_sub(Micros::MAX));
    writer.number(u64::from(info.lasts));
    writer.number(u64::from(info.speaker));
    writer.number(u64::from(info.source.number()));
    writer.number(group);
    writer.number(placement.counts());
    *previous = Previous::new(info);
}

impl Documents {
    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let speakers = (0..reader.count()?).map(|_| reader.text().map(str::to_owned));
        let speakers = speakers.collect::<Option<Vec<String>>>()?;
        let groups = (0..reader.count()?).map(|_| reader.array().map(GroupId));
        let groups = groups.collect::<Option<Vec<GroupId>>>()?;
        let count = reader.count()?;
        let room = count.min(SEGMENT_DOCUMENTS);
        let (mut placements, mut documents) = (Vec::with_capacity(room), DocumentList::default());
        documents.reserve(room);
        let mut previous = Previous::default();
        for number in 0..count {
            let last = previous.sequence;
            let (placement, info) = read_document(reader, &mut previous)?;
            let is_valid = (number == 0 || last < info.sequence)
                && (placement.group as usize) < groups.len()
                && usize::from(info.speaker) <= speakers.len();
            is_valid.then_some(())?;
            placements.push(placement);
            documents.push(&info);
        }
        Some(Self { speakers, groups, placements, documents })
    }

    pub(super) fn len(&self) -> usize {
        self.placements.len()
    }

    /// Returns whether the sequence numbers, which rise, are in a range.
    pub(super) fn are_within(&self, after: u64, through: u64) -> bool {
        let sequence = |number: usize| self.documents.sequence(number as u32);
        self.len() == 0 || after < sequence(0) && sequence(self.len() - 1) <= through
    }

    /// Adds the documents to an index.
    pub(super) fn add(self, index: &mut Index) {
        let Self { speakers, groups, placements, documents } = self;
        let speakers: Vec<u16> =
            speakers.iter().map(|name| index.speaker_number(Some(name))).collect();
        let groups: Vec<u32> = groups.into_iter().map(|id| index.group_number(id)).collect();
        let speaker = |own: u16| own.checked_sub(1).map_or(0, |own| speakers[usize::from(own)]);
        index.documents.append(documents, speaker);
        for mut placement in placements {
            placement.group = groups[placement.group as usize];
            index.place(placement);
        }
    }
}

fn read_document(
    reader: &mut Reader<'_>,
    previous: &mut Previous,
) -> Option<(Placement, DocumentInfo)> {
    let info = DocumentInfo {
        id: DocumentId(reader.array()?),
        sequence: previous.sequence.checked_add(reader.number()?)?,
        time: previous.time.wrapping_add(reader.signed()?),
        created: previous.created.wrapping_add(reader.signed()?),
        removed: reader.signed()?.wrapping_add(Micros::MAX),
        lasts: reader.small()?,
        speaker: reader.number()?.try_into().ok()?,
        source: *Source::ALL.get(reader.small()? as usize)?,
    };
    let group = reader.small()?;
    let counts = reader.small()?;
    *previous = Previous::new(&info);
    Some((Placement::of_counts(group, info.source, counts), info))
}

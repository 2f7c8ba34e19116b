//! The documents of a segment, with their speakers and groups.

use std::collections::HashMap;
use std::ops::Range;

use super::bytes::{Reader, Writer};
use crate::document::{DocumentId, DocumentInfo, GroupId, Micros, Placement, Source};
use crate::index::{Index, SEGMENT_DOCUMENTS};

/// The documents of a segment that was read. Their groups and speakers are numbers of the lists here.
#[derive(Debug)]
pub(super) struct Documents {
    speakers: Vec<String>,
    groups: Vec<GroupId>,
    documents: Vec<(Placement, DocumentInfo)>,
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
        let (placement, info) = (&index.placements[number], &index.documents[number]);
        let group = numbers.get(&placement.group).map_or(0, |group| *group as u64);
        write_document(writer, (placement, info), group, &mut previous);
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
    writer.signed(info.removed.wrapping_add(1));
    writer.number(u64::from(info.lasts));
    writer.number(u64::from(info.speaker));
    writer.number(u64::from(info.source.number()));
    writer.number(group);
    writer.number(u64::from(placement.length()) << 1 | u64::from(placement.is_reply()));
    *previous = Previous::new(info);
}

impl Documents {
    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let speakers = (0..reader.count()?).map(|_| reader.text().map(str::to_owned));
        let speakers = speakers.collect::<Option<Vec<String>>>()?;
        let groups = (0..reader.count()?).map(|_| reader.array().map(GroupId));
        let groups = groups.collect::<Option<Vec<GroupId>>>()?;
        let mut previous = Previous::default();
        let count = reader.count()?;
        let mut documents = Vec::with_capacity(count.min(SEGMENT_DOCUMENTS));
        for _ in 0..count {
            documents.push(read_document(reader, &mut previous)?);
        }
        let is_known = |(placement, info): &(Placement, DocumentInfo)| {
            (placement.group as usize) < groups.len() && usize::from(info.speaker) <= speakers.len()
        };
        documents.iter().all(is_known).then_some(Self { speakers, groups, documents })
    }

    pub(super) fn len(&self) -> usize {
        self.documents.len()
    }

    /// Returns whether the sequence numbers rise and are in a range.
    pub(super) fn are_within(&self, after: u64, through: u64) -> bool {
        let sequence = |position: usize| self.documents[position].1.sequence;
        self.documents.is_sorted_by(|a, b| a.1.sequence < b.1.sequence)
            && (self.len() == 0 || after < sequence(0) && sequence(self.len() - 1) <= through)
    }

    /// Adds the documents to an index.
    pub(super) fn add(self, index: &mut Index) {
        let Self { speakers, groups, documents } = self;
        let speakers: Vec<u16> =
            speakers.iter().map(|name| index.speaker_number(Some(name))).collect();
        let groups: Vec<u32> = groups.into_iter().map(|id| index.group_number(id)).collect();
        for (mut placement, mut info) in documents {
            placement.group = groups[placement.group as usize];
            let speaker = usize::from(info.speaker).checked_sub(1);
            info.speaker = speaker.map_or(0, |number| speakers[number]);
            index.push(placement, info);
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
        removed: reader.signed()?.wrapping_sub(1),
        lasts: reader.small()?,
        speaker: reader.number()?.try_into().ok()?,
        source: *Source::ALL.get(reader.small()? as usize)?,
    };
    let group = reader.small()?;
    let length = reader.small()?;
    *previous = Previous::new(&info);
    Some((Placement::new(group, length >> 1, info.source, length & 1 == 1), info))
}

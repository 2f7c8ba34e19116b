//! Documents and indexes for the tests of this crate.

use crate::document::{Document, DocumentId, GroupId, Micros, Source};
use crate::index::Index;

/// Who a document of a test is from; answers of an assistant or a tool are replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    User,
    Assistant,
    System,
    Tool,
}

impl Role {
    pub(crate) const ALL: [Self; 4] = [Self::User, Self::Assistant, Self::System, Self::Tool];

    pub(crate) fn source(self) -> Source {
        Source::new(self as u8)
    }

    fn is_reply(self) -> bool {
        matches!(self, Self::Assistant | Self::Tool)
    }
}

/// A day in microseconds.
pub(crate) const DAY: Micros = 86_400_000_000;
/// Midnight of 2023-05-01 in UTC.
pub(crate) const MAY: Micros = 1_682_899_200_000_000;

/// The identifier of a group by a number.
pub(crate) fn group(number: u128) -> GroupId {
    GroupId(number.to_be_bytes())
}

/// A document of a group, written on a day of May 2023.
pub(crate) fn document(sequence: u64, group: u128, role: Role, text: &str) -> Document<'_> {
    let time = MAY + (sequence.clamp(1, 28) as Micros - 1) * DAY + 10 * DAY / 24;
    Document {
        id: DocumentId(u128::from(sequence).to_be_bytes()),
        group: self::group(group),
        sequence,
        time,
        lasts: 0,
        created: time,
        removed: None,
        source: role.source(),
        is_reply: role.is_reply(),
        speaker: None,
        text,
        tags: &[],
    }
}

/// An index of documents given as group, role and text.
pub(crate) fn index_of(documents: &[(u128, Role, &str)]) -> Index {
    let mut index = Index::default();
    for (sequence, (group, role, text)) in (1..).zip(documents) {
        index.add(&document(sequence, *group, *role, text));
    }
    index
}

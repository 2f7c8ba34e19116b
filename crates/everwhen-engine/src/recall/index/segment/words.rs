//! The words of a segment: terms, who spoke, conversations, entries, and where terms occur.

use std::ops::Range;

use super::bytes::{In, Out};
use crate::memory::Role;
use crate::recall::index::{EntryFacts, Home, Index, Micros, Postings};

/// Writes what a range of entries needs.
pub(super) fn write(index: &Index, out: &mut Out, range: Range<usize>) {
    out.number(range.start as u64);
    texts(out, index.frozen.terms, index.lexicon.stems_from(index.frozen.terms).into_iter());
    let speakers = &index.speakers[index.frozen.speakers..];
    texts(out, index.frozen.speakers, speakers.iter().map(String::as_str));
    out.number(index.frozen.conversations as u64);
    let conversations = &index.conversations[index.frozen.conversations..];
    out.number(conversations.len() as u64);
    conversations.iter().for_each(|id| out.raw(&id.bytes()));
    out.number(range.len() as u64);
    let mut before = Before::default();
    range.clone().for_each(|number| entry(index, out, number, &mut before));
    occurrences(index, out, range);
}

fn texts<'t>(out: &mut Out, first: usize, texts: impl ExactSizeIterator<Item = &'t str>) {
    out.number(first as u64);
    out.number(texts.len() as u64);
    texts.for_each(|text| out.text(text));
}

/// Numbers of the entry before, from which the next ones differ little.
#[derive(Default)]
struct Before {
    sequence: u64,
    time: Micros,
    created: Micros,
}

fn entry(index: &Index, out: &mut Out, number: usize, before: &mut Before) {
    let (home, facts) = (&index.homes[number], &index.facts[number]);
    out.raw(&facts.id.bytes());
    out.number(facts.sequence - before.sequence);
    out.signed(facts.time.wrapping_sub(before.time));
    out.signed(facts.created.wrapping_sub(before.created));
    out.signed(facts.gone);
    out.number(u64::from(facts.speaker));
    let role = Role::ALL.iter().position(|role| *role == facts.role).unwrap_or_default();
    out.number(role as u64);
    out.number(u64::from(home.conversation));
    out.number(u64::from(home.length()) << 1 | u64::from(home.is_reply()));
    *before = Before { sequence: facts.sequence, time: facts.time, created: facts.created };
}

/// Where each term occurs: how often in the range, then entries and counts.
fn occurrences(index: &Index, out: &mut Out, range: Range<usize>) {
    for postings in &index.postings {
        let mut next = range.start as u32;
        let inside: Vec<(u32, u32)> = postings.iter_from(next, range.end as u32).collect();
        out.number(inside.len() as u64);
        for (entry, count) in inside {
            out.number(u64::from(entry - next) << 1 | u64::from(count > 1));
            if count > 1 {
                out.number(u64::from(count));
            }
            next = entry + 1;
        }
    }
}

/// Takes in what was written, if it follows on what the index has.
pub(super) fn read(index: &mut Index, read: &mut In<'_>) -> Option<()> {
    expect(read, index.homes.len())?;
    expect(read, index.lexicon.len())?;
    for _ in 0..read.count()? {
        index.lexicon.add_stem(read.text()?)?;
    }
    index.postings.resize_with(index.lexicon.len(), Postings::new);
    expect(read, index.speakers.len())?;
    for _ in 0..read.count()? {
        index.speakers.push(read.text()?.to_owned());
    }
    expect(read, index.conversations.len())?;
    for _ in 0..read.count()? {
        index.conversation_number(uuid::Uuid::from_bytes(read.array()?).into());
    }
    let first = index.homes.len();
    let mut before = Before::default();
    for _ in 0..read.count()? {
        read_entry(index, read, &mut before)?;
    }
    read_occurrences(index, read, first)
}

fn expect(read: &mut In<'_>, known: usize) -> Option<()> {
    (read.number()? == known as u64).then_some(())
}

fn read_entry(index: &mut Index, read: &mut In<'_>, before: &mut Before) -> Option<()> {
    let facts = EntryFacts {
        id: uuid::Uuid::from_bytes(read.array()?).into(),
        sequence: before.sequence.checked_add(read.number()?)?,
        time: before.time.wrapping_add(read.signed()?),
        created: before.created.wrapping_add(read.signed()?),
        gone: read.signed()?,
        speaker: read.number()?.try_into().ok()?,
        role: *Role::ALL.get(read.small()? as usize)?,
    };
    let conversation = read.small()?;
    let length = read.small()?;
    ((conversation as usize) < index.conversations.len()).then_some(())?;
    (facts.role.is_reply() == (length & 1 == 1)).then_some(())?;
    let home = Home::new(conversation, length >> 1, facts.role, facts.gone == Micros::MAX);
    *before = Before { sequence: facts.sequence, time: facts.time, created: facts.created };
    index.push(home, facts);
    Some(())
}

fn read_occurrences(index: &mut Index, read: &mut In<'_>, first: usize) -> Option<()> {
    let end = index.homes.len() as u64;
    for term in 0..index.postings.len() {
        let mut next = first as u64;
        for _ in 0..read.count()? {
            let head = read.number()?;
            let entry = next.checked_add(head >> 1).filter(|entry| *entry < end)?;
            let count = if head & 1 == 1 { read.small()? } else { 1 };
            let conversation = index.homes[entry as usize].conversation;
            index.posted += index.postings[term].add(entry as u32, count, conversation);
            next = entry + 1;
        }
    }
    Some(())
}

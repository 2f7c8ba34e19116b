//! What of a write-ahead log SQLite will not read: pages that were written to it after the last one whose
//! checksum is right, or all of them if the header is damaged. SQLite ignores them silently.
//!
//! <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// The size of a page where the log does not say it.
const PAGE: usize = 4096;
/// The magic number of a log; its last bit says that checksums are made of big-endian words.
const MAGIC: u32 = 0x377f_0682;

/// How many pages of a log cannot be read, though they were written to it; 0 if there is no log.
pub(super) fn unreadable_pages(log: &Path) -> io::Result<u64> {
    let file = match File::open(log) {
        Ok(file) => BufReader::with_capacity(1 << 16, file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    count(file)
}

fn count(mut log: impl Read) -> io::Result<u64> {
    let mut header = [0; HEADER];
    if !read_whole(&mut log, &mut header)? {
        return Ok(0);
    }
    let page = page_size(&header);
    let mut frame = vec![0; FRAME_HEADER + page.unwrap_or(PAGE)];
    let Some(mut frames) = page.and_then(|_| Frames::behind(&header)) else {
        return count_frames(log, &mut frame);
    };
    let mut unreadable = 0;
    while read_whole(&mut log, &mut frame)? {
        unreadable += u64::from(frames.is_unreadable(&frame));
    }
    Ok(unreadable)
}

fn page_size(header: &[u8]) -> Option<usize> {
    let size = word(header, 8) as usize;
    (size.is_power_of_two() && (512..=65_536).contains(&size)).then_some(size)
}

fn count_frames(mut log: impl Read, frame: &mut [u8]) -> io::Result<u64> {
    let mut frames = 0;
    while read_whole(&mut log, frame)? {
        frames += 1;
    }
    Ok(frames)
}

/// What is known of the frames so far, each of which is a page.
struct Frames {
    salts: [u8; 8],
    /// The checksum of all frames so far.
    sum: Checksum,
    /// Whether SQLite has read all so far: it stops at the first one that is wrong.
    is_whole: bool,
}

impl Frames {
    /// The beginning of the log; nothing if its header is damaged, and SQLite reads none of it.
    fn behind(header: &[u8; HEADER]) -> Option<Self> {
        let magic = word(header, 0);
        let mut sum = Checksum { is_big: magic & 1 == 1, parts: [0, 0] };
        sum.add(&header[..24]);
        let is_sound = magic & !1 == MAGIC && sum.is_at(header, 24);
        let mut salts = [0; 8];
        salts.copy_from_slice(&header[16..24]);
        is_sound.then_some(Self { salts, sum, is_whole: true })
    }

    /// Whether this one was written to the log and SQLite will not read it. What an earlier use of the log
    /// left behind has other salts, and its checksum does not continue this one.
    fn is_unreadable(&mut self, frame: &[u8]) -> bool {
        let mut sum = self.sum.clone();
        sum.add(&frame[..8]);
        sum.add(&frame[FRAME_HEADER..]);
        let (has_salts, continues) = (frame[8..16] == self.salts, sum.is_at(frame, 16));
        if continues {
            self.sum = sum;
        }
        let is_ours = has_salts || continues;
        self.is_whole &= !is_ours || (has_salts && continues);
        is_ours && !self.is_whole
    }
}

/// Fills the buffer; false if there is less.
fn read_whole(log: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match log.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// The running checksum of a log.
#[derive(Clone)]
struct Checksum {
    is_big: bool,
    parts: [u32; 2],
}

impl Checksum {
    fn add(&mut self, bytes: &[u8]) {
        let [mut first, mut second] = self.parts;
        for pair in bytes.chunks_exact(8) {
            let words = [word(pair, 0), word(pair, 4)];
            let [a, b] = if self.is_big { words } else { words.map(u32::swap_bytes) };
            first = first.wrapping_add(a).wrapping_add(second);
            second = second.wrapping_add(b).wrapping_add(first);
        }
        self.parts = [first, second];
    }

    /// Whether these bytes hold it at this place.
    fn is_at(&self, bytes: &[u8], place: usize) -> bool {
        self.parts == [word(bytes, place), word(bytes, place + 4)]
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    /// The log of a few commits, as SQLite wrote it.
    fn log() -> Vec<u8> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log.db");
        let connection = Connection::open(&path).unwrap();
        let mode = connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
        mode.unwrap();
        connection.execute_batch("CREATE TABLE said (text TEXT)").unwrap();
        for number in 0..20 {
            connection.execute("INSERT INTO said VALUES (?1)", [number]).unwrap();
        }
        std::fs::read(path.with_extension("db-wal")).unwrap()
    }

    #[test]
    fn a_whole_log_has_no_unreadable_end() {
        let log = log();
        assert!(log.len() > 20 * 4096);
        assert_eq!(count(&log[..]).unwrap(), 0);
        assert_eq!(count(&log[..log.len() - 100]).unwrap(), 0, "cut off in a page");
        assert_eq!(count(&b""[..]).unwrap(), 0);
    }

    #[test]
    fn behind_a_flipped_bit_nothing_can_be_read() {
        let mut log = log();
        let frames = (log.len() - HEADER) / (FRAME_HEADER + 4096);
        let flipped = 5;
        log[HEADER + flipped * (FRAME_HEADER + 4096) + 1000] ^= 4;
        assert_eq!(count(&log[..]).unwrap(), (frames - flipped) as u64);
    }
    #[test]
    fn behind_a_damaged_header_nothing_can_be_read() {
        let log = log();
        let frames = (log.len() - HEADER) / (FRAME_HEADER + PAGE);
        for place in 0..HEADER {
            let mut damaged = log.clone();
            damaged[place] ^= 4;
            assert_eq!(count(&damaged[..]).unwrap(), frames as u64, "byte {place}");
            assert_eq!(count(&damaged[..HEADER]).unwrap(), 0, "nothing was in it");
        }
    }

    #[test]
    fn a_page_that_is_no_longer_marked_as_of_this_log_is_not_taken_for_an_old_one() {
        let mut log = log();
        let frame = FRAME_HEADER + PAGE;
        for unreadable in [1, 5] {
            let first = log.len() - unreadable * frame;
            log[first + 8] ^= 4;
            assert_eq!(count(&log[..]).unwrap(), unreadable as u64);
        }
    }

    #[test]
    fn what_an_earlier_use_of_the_log_left_behind_is_not_missed() {
        let (log, earlier) = (log(), log());
        let all = [&log[..], &earlier[HEADER..]].concat();
        assert_eq!(count(&all[..]).unwrap(), 0);
    }
}

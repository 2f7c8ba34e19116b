//! The end of a write-ahead log that SQLite will not read: pages that were written to it after the last
//! one whose checksum is right. SQLite ignores them silently.
//!
//! <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
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
    let (magic, page) = (word(&header, 0), word(&header, 8) as usize);
    if magic & !1 != MAGIC || !(512..=65_536).contains(&page) {
        return Ok(0);
    }
    let mut sum = Checksum { is_big: magic & 1 == 1, parts: [0, 0] };
    sum.add(&header[..24]);
    let salts = &header[16..24];
    let (mut frame, mut unreadable) = (vec![0; FRAME_HEADER + page], 0);
    while read_whole(&mut log, &mut frame)? {
        // What an earlier use of the log left behind has other salts.
        if frame[8..16] != *salts {
            continue;
        }
        sum.add(&frame[..8]);
        sum.add(&frame[FRAME_HEADER..]);
        // The checksum is of all frames so far: once it is wrong, it stays wrong.
        unreadable += u64::from(sum.parts != [word(&frame, 16), word(&frame, 20)]);
    }
    Ok(unreadable)
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
}

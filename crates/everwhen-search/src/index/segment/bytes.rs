//! Encoding of segments: variable-length numbers, texts, and a checksum at the end.
//!
//! Reading trusts nothing: truncated or out-of-range input gives `None`, never a panic.

/// Length of a checksum.
pub(super) const CHECKSUM_BYTES: usize = 4;

/// Returns the checksum of bytes, a CRC-32: it finds damage, and takes a small part of the time of a
/// cryptographic hash. It does not protect against forged segments: a program that can write them can write entries.
pub(super) fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    crc32fast::hash(bytes).to_le_bytes()
}

/// Writes values into bytes.
#[derive(Debug, Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// Writes a signed number; small absolute values take few bytes.
    pub(super) fn signed(&mut self, value: i64) {
        self.number((value << 1 ^ value >> 63).cast_unsigned());
    }

    pub(super) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.raw(text.as_bytes());
    }

    /// Writes units of two bytes.
    pub(super) fn units(&mut self, units: &[u16]) {
        self.bytes.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
    }

    pub(super) fn floats(&mut self, values: &[f32]) {
        self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    }

    /// Returns the bytes with their checksum at the end.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let checksum = checksum(&self.bytes);
        self.raw(&checksum);
        self.bytes
    }

    /// Returns the bytes alone.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Reads values from bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    /// Returns a reader of the bytes before the checksum; `None` if it is wrong.
    pub(super) fn verified(bytes: &'b [u8]) -> Option<Self> {
        let (rest, checksum) = bytes.split_last_chunk::<CHECKSUM_BYTES>()?;
        (self::checksum(rest) == *checksum).then_some(Self::new(rest))
    }

    fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Reads units of two bytes.
    pub(super) fn units(&mut self, len: usize) -> Option<Vec<u16>> {
        let units = self.raw(len.checked_mul(2)?)?.as_chunks::<2>().0;
        Some(units.iter().map(|unit| u16::from_le_bytes(*unit)).collect())
    }

    /// Reads words of eight bytes.
    pub(super) fn words(&mut self, len: usize) -> Option<Vec<u64>> {
        let words = self.raw(len.checked_mul(8)?)?.as_chunks::<8>().0;
        Some(words.iter().map(|word| u64::from_le_bytes(*word)).collect())
    }

    pub(super) fn floats(&mut self, len: usize) -> Option<Vec<f32>> {
        let values = self.raw(len.checked_mul(4)?)?.as_chunks::<4>().0;
        Some(values.iter().map(|value| f32::from_le_bytes(*value)).collect())
    }

    pub(super) fn raw(&mut self, len: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*taken)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let (byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if *byte < 0x80 {
                return Some(value);
            }
            shift += 7;
        }
    }

    /// Reads the number of items that follow. Each takes at least one byte, which bounds the number.
    pub(super) fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.rest.len()).then_some(count)
    }

    pub(super) fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    pub(super) fn signed(&mut self) -> Option<i64> {
        let value = self.number()?;
        Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    pub(super) fn text(&mut self) -> Option<&'b str> {
        let len = self.count()?;
        std::str::from_utf8(self.raw(len)?).ok()
    }

    /// Returns whether everything was reader.
    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn any_damage_changes_the_checksum() {
        let bytes: Vec<u8> = (0..1_000u32).map(|one| (one * one % 251) as u8).collect();
        let known = checksum(&bytes);
        for (place, bit) in (0..bytes.len()).flat_map(|place| (0..8).map(move |bit| (place, bit))) {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 << bit;
            assert_ne!(checksum(&damaged), known, "{place} {bit}");
            // The same damage in the next block is in the same lane.
            if let Some(other) = damaged.get_mut(place + 64) {
                *other ^= 1 << bit;
                assert_ne!(checksum(&damaged), known, "{place} {bit}, twice");
            }
        }
        let moved = [&bytes[64..128], &bytes[..64], &bytes[128..]].concat();
        assert_ne!(checksum(&moved), known);
        assert_ne!(checksum(&[0; 64]), checksum(&[0; 65]));
        assert_ne!(checksum(&bytes[..999]), known);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(numbers in proptest::collection::vec(any::<(u64, i64)>(), 0..20), text in ".{0,20}") {
            let mut writer = Writer::default();
            for (number, signed) in &numbers {
                writer.number(*number);
                writer.signed(*signed);
            }
            writer.text(&text);
            let bytes = writer.finish();
            let mut reader = Reader::verified(&bytes).unwrap();
            for (number, signed) in numbers {
                prop_assert_eq!((reader.number(), reader.signed()), (Some(number), Some(signed)));
            }
            prop_assert_eq!(reader.text(), Some(text.as_str()));
            prop_assert!(reader.is_at_end());
        }

        #[test]
        fn any_bytes_can_be_read(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let mut reader = Reader::new(&bytes);
            while reader.number().is_some() {}
            let mut reader = Reader::new(&bytes);
            while reader.text().is_some() {}
            prop_assert!(Reader::verified(&bytes).is_none());
        }
    }
}

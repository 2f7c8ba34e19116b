//! How vectors lie in a file: a header, then records of one size.
//!
//! ```text
//! header   "everwhen vectors 1\n\0"  dimensions u32  BLAKE3 of the model's name, 32 bytes
//! record   BLAKE3 of what was embedded, 32 bytes  f32 × dimensions  checksum, 8 bytes
//! ```
//!
//! Numbers are little-endian. The checksum is the beginning of the BLAKE3 of the record before
//! it. As all records have one size, a damaged one hides no other, and a torn end is what is left
//! over after whole records.

/// What was embedded, by its hash.
pub(super) type Key = [u8; 32];

const MAGIC: &[u8; 20] = b"everwhen vectors 1\n\0";
const KEY_BYTES: usize = 32;
const CHECKSUM_BYTES: usize = 8;
/// Bytes before the first record.
pub(super) const HEADER_BYTES: usize = 56;

/// The beginning of every file of a model.
pub(super) fn header(model: &str, dimensions: usize) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    header.extend(u32::try_from(dimensions).unwrap_or(u32::MAX).to_le_bytes());
    header.extend(blake3::hash(model.as_bytes()).as_bytes());
    header
}

/// The dimensions of the vectors behind a header, if it is one of ours.
pub(super) fn dimensions(header: &[u8]) -> Option<usize> {
    let rest = header.strip_prefix(MAGIC)?;
    let bytes: [u8; 4] = rest.get(..4)?.try_into().ok()?;
    usize::try_from(u32::from_le_bytes(bytes)).ok().filter(|dimensions| *dimensions <= 1 << 16)
}

/// Bytes of a record.
pub(super) fn record_bytes(dimensions: usize) -> usize {
    KEY_BYTES + dimensions * 4 + CHECKSUM_BYTES
}

/// A vector as a record.
pub(super) fn write(key: &Key, vector: &[f32]) -> Vec<u8> {
    let mut record = key.to_vec();
    record.extend(vector.iter().flat_map(|value| value.to_le_bytes()));
    let checksum = checksum(&record);
    record.extend(checksum);
    record
}

/// The key of a record, if the record is whole.
pub(super) fn key(record: &[u8]) -> Option<Key> {
    let (content, sum) = record.split_at_checked(record.len().checked_sub(CHECKSUM_BYTES)?)?;
    if sum != checksum(content) {
        return None;
    }
    content.get(..KEY_BYTES)?.try_into().ok()
}

/// The vector of a record, if the record is whole and has this key.
pub(super) fn vector(record: &[u8], wanted: &Key) -> Option<Vec<f32>> {
    if key(record)? != *wanted {
        return None;
    }
    let numbers = record[KEY_BYTES..record.len() - CHECKSUM_BYTES].as_chunks::<4>().0;
    Some(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}

fn checksum(content: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut sum = [0; CHECKSUM_BYTES];
    sum.copy_from_slice(&blake3::hash(content).as_bytes()[..CHECKSUM_BYTES]);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_what_they_are_said_to_be() {
        assert_eq!(header("m", 3).len(), HEADER_BYTES);
        assert_eq!(write(&[7; 32], &[1.0, 2.0, 3.0]).len(), record_bytes(3));
    }

    proptest::proptest! {
        #[test]
        fn a_record_comes_back_and_any_changed_byte_is_noticed(
            name in proptest::array::uniform32(0_u8..),
            numbers in proptest::collection::vec(-1.0_f32..1.0, 1..9),
            place in 0_usize..9999,
            change in 1_u8..,
        ) {
            let mut record = write(&name, &numbers);
            proptest::prop_assert_eq!(vector(&record, &name), Some(numbers));
            proptest::prop_assert_eq!(vector(&record, &[0; 32]).is_some(), name == [0; 32]);
            let place = place % record.len();
            record[place] ^= change;
            proptest::prop_assert_eq!(key(&record), None);
            proptest::prop_assert_eq!(key(&record[..place]), None);
        }
    }
}

//! Bytes that are written here and read here: numbers in as few bytes as they need, and a seal.
//!
//! Reading never trusts: what is cut off, out of range or not sealed is nothing, not a panic.

/// Bytes of the seal at the end.
pub(super) const SEAL: usize = 32;

/// The seal of some bytes.
pub(super) type Seal = [u8; SEAL];

/// Bytes being written.
#[derive(Debug, Default)]
pub(super) struct Out {
    bytes: Vec<u8>,
}

impl Out {
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

    /// A number that may be negative; small ones take few bytes.
    pub(super) fn signed(&mut self, value: i64) {
        self.number((value << 1 ^ value >> 63).cast_unsigned());
    }

    pub(super) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.raw(text.as_bytes());
    }

    /// The bytes with their seal behind them.
    pub(super) fn sealed(mut self) -> Vec<u8> {
        let seal = blake3::hash(&self.bytes);
        self.raw(seal.as_bytes());
        self.bytes
    }
}

/// Bytes being read.
#[derive(Debug, Clone, Copy)]
pub(super) struct In<'b> {
    rest: &'b [u8],
}

impl<'b> In<'b> {
    /// What is inside sealed bytes, and the seal; nothing if the seal is broken.
    pub(super) fn unsealed(bytes: &'b [u8]) -> Option<(Self, Seal)> {
        let (rest, seal) = bytes.split_last_chunk::<SEAL>()?;
        (blake3::hash(rest).as_bytes() == seal).then_some((Self { rest }, *seal))
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

    /// A number of things that follow, each of at least one byte; so it cannot ask for the moon.
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

    /// Whether everything was read.
    pub(super) fn is_done(&self) -> bool {
        self.rest.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(numbers in proptest::collection::vec(any::<(u64, i64)>(), 0..20), text in ".{0,20}") {
            let mut out = Out::default();
            for (number, signed) in &numbers {
                out.number(*number);
                out.signed(*signed);
            }
            out.text(&text);
            let bytes = out.sealed();
            let (mut read, _) = In::unsealed(&bytes).unwrap();
            for (number, signed) in numbers {
                prop_assert_eq!((read.number(), read.signed()), (Some(number), Some(signed)));
            }
            prop_assert_eq!(read.text(), Some(text.as_str()));
            prop_assert!(read.is_done());
        }

        #[test]
        fn any_bytes_can_be_read(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let mut read = In { rest: &bytes };
            while read.number().is_some() {}
            let mut read = In { rest: &bytes };
            while read.text().is_some() {}
            prop_assert!(In::unsealed(&bytes).is_none());
        }
    }
}

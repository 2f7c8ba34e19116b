//! What had been forgotten in a memory at some moment, by any process that uses the store.

use std::fmt;
use std::str::FromStr;

use super::MemoryId;

/// What had been forgotten in a memory and its vault. What was made of something that was read at such a moment may
/// be kept only while the mark [is still](Self::is_still) valid. Written as `5 mem_… 2`, or `5` for a memory that did
/// not exist. The default, before anything was forgotten, is for a reader that could not find out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForgetMark {
    /// The vault's epoch of forgetting.
    pub vault: u64,
    /// Which memory it is, and its own epoch; `None` if it does not exist.
    pub memory: Option<(MemoryId, u64)>,
}

impl ForgetMark {
    /// Returns whether nothing was forgotten in the memory between this mark and a later one.
    #[must_use]
    pub fn is_still(&self, now: &Self) -> bool {
        match self.memory {
            Some(_) => self.memory == now.memory,
            None => self.vault == now.vault,
        }
    }

    /// Returns whether the memory exists and nothing was ever forgotten in it.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.memory.is_some_and(|(_, forgotten)| forgotten == 0)
    }
}

impl fmt::Display for ForgetMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.vault)?;
        self.memory.map_or(Ok(()), |(id, forgotten)| write!(f, " {id} {forgotten}"))
    }
}

/// Such a text is none of ours.
#[derive(Debug)]
pub struct NoForgetMark;

impl FromStr for ForgetMark {
    type Err = NoForgetMark;

    fn from_str(text: &str) -> Result<Self, NoForgetMark> {
        let parts: Vec<&str> = text.split(' ').collect();
        let number = |text: &str| text.parse().map_err(|_| NoForgetMark);
        let memory = match parts[1..] {
            [] => None,
            [id, forgotten] => Some((id.parse().map_err(|_| NoForgetMark)?, number(forgotten)?)),
            _ => return Err(NoForgetMark),
        };
        Ok(Self { vault: number(parts[0])?, memory })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_written_and_compared() {
        let memory = "mem_00000000000000000000000001".parse().unwrap();
        let mark = |vault, forgotten| ForgetMark { vault, memory: Some((memory, forgotten)) };
        let absent = |vault| ForgetMark { vault, memory: None };
        for one in [mark(5, 2), absent(7)] {
            assert_eq!(one.to_string().parse::<ForgetMark>().unwrap(), one);
        }
        for text in ["", "x", "5 mem_1", "5 x 2", "5 mem_00000000000000000000000001 2 3"] {
            text.parse::<ForgetMark>().unwrap_err();
        }
        assert!(mark(5, 2).is_still(&mark(9, 2)), "something else was forgotten");
        assert!(!mark(5, 2).is_still(&mark(6, 3)) && !mark(5, 2).is_still(&absent(6)));
        assert!(absent(5).is_still(&mark(5, 0)), "the memory was made since");
        assert!(!absent(5).is_still(&absent(6)), "it may have been made and forgotten since");
        assert!(mark(5, 0).is_untouched() && !mark(5, 1).is_untouched());
    }
}

//! What an index knows of each entry besides its words.

use crate::memory::{EntryId, Role};

/// An instant in microseconds, as stores keep it.
pub(crate) type Micros = i64;

/// No entry.
pub(crate) const NO_ENTRY: u32 = u32::MAX;

/// Where an entry belongs, small because it is read for every occurrence of a term.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Home {
    pub(crate) conversation: u32,
    /// Terms in it, above four bits: whether it is a reply, whether it is in force, and who spoke.
    packed: u32,
}

const REPLY: u32 = 1;
const CURRENT: u32 = 2;
/// Bits below the role, and below the length.
const ROLE_SHIFT: u32 = 2;
const SHIFT: u32 = 4;

impl Home {
    /// The home of an entry.
    pub(crate) fn new(conversation: u32, length: u32, role: Role, current: bool) -> Self {
        let mut home = Self { conversation, packed: length << SHIFT };
        home.packed |= if role.is_reply() { REPLY } else { 0 };
        home.packed |= (role as u32) << ROLE_SHIFT;
        home.set_current(current);
        home
    }

    /// Terms in it, stop words not counted.
    pub(crate) fn length(self) -> u32 {
        self.packed >> SHIFT
    }

    /// Whether it answers another entry.
    pub(crate) fn is_reply(self) -> bool {
        self.packed & REPLY != 0
    }

    /// Whether one of these roles spoke; see [`roles`].
    pub(crate) fn is_by(self, roles: u8) -> bool {
        let role = self.packed >> ROLE_SHIFT & 0b11;
        roles >> role & 1 != 0
    }

    /// Whether it is in force now.
    pub(crate) fn is_current(self) -> bool {
        self.packed & CURRENT != 0
    }

    /// Says whether it is in force now.
    pub(crate) fn set_current(&mut self, current: bool) {
        self.packed = self.packed & !CURRENT | if current { CURRENT } else { 0 };
    }
}

/// Some roles, one bit each.
pub(crate) fn roles(some: &[Role]) -> u8 {
    some.iter().fold(0, |bits, role| bits | 1 << *role as u8)
}

/// What else is known of an entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryFacts {
    pub(crate) id: EntryId,
    pub(crate) sequence: u64,
    /// When it was said.
    pub(crate) time: Micros,
    /// When it was stored; never before an earlier entry.
    pub(crate) created: Micros,
    /// Since when it is no longer in force; the end of time if it is, its beginning if it was
    /// forgotten.
    pub(crate) gone: Micros,
    /// The number of the speaker, from 1; 0 if not named.
    pub(crate) speaker: u16,
    /// Who spoke.
    pub(crate) role: Role,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_keeps_its_parts_apart() {
        for role in Role::ALL {
            let mut home = Home::new(7, 123_456, role, true);
            for current in [true, false] {
                home.set_current(current);
                assert_eq!((home.length(), home.is_current()), (123_456, current));
                assert_eq!(home.is_reply(), role.is_reply());
                let by: Vec<Role> =
                    Role::ALL.into_iter().filter(|one| home.is_by(roles(&[*one]))).collect();
                assert_eq!(by, [role]);
                assert!(home.is_by(roles(&Role::ALL)) && !home.is_by(0));
            }
        }
    }
}

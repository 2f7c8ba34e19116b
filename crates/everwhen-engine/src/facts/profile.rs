//! The profile: the present value of everything that has one.

use jiff::Timestamp;

use super::FactView;
use crate::memory::FactId;

/// One matter and its present value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileLine {
    /// Which matter, such as `a1c`.
    pub key: String,
    /// Its present value, such as `6.8%`.
    pub value: String,
    /// When it was mentioned.
    pub mentioned_at: Timestamp,
    /// The fact that says so.
    pub fact: FactId,
}

/// The present values among these facts, by name.
pub fn profile(facts: &[FactView]) -> Vec<ProfileLine> {
    let current = facts.iter().filter(|view| view.is_current());
    let mut lines: Vec<ProfileLine> = current
        .filter_map(|view| {
            let matter = view.fact.matter.as_ref()?;
            Some(ProfileLine {
                key: matter.key.clone(),
                value: matter.value.clone(),
                mentioned_at: view.last_mentioned_at,
                fact: view.fact.id,
            })
        })
        .collect();
    lines.sort_by(|a, b| (&a.key, b.mentioned_at).cmp(&(&b.key, a.mentioned_at)));
    lines.dedup_by(|later, first| later.key == first.key);
    lines
}

//! The profile: the present value of everything that has one.

use jiff::Timestamp;

use super::FactView;
use crate::memory::FactId;
use crate::similarity::denies;

/// One matter and a present value of it.
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

/// The present values among these facts, by name, the newest first. A matter such as `medication`
/// has as many lines as it has values.
pub fn profile(facts: &[FactView]) -> Vec<ProfileLine> {
    let holds = |view: &&FactView| view.is_current() && !denies(&view.fact.statement);
    let current = facts.iter().filter(holds);
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
    lines
}

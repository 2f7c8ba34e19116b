//! Whose memories are meant: the ids of a user, an agent, an app and a run.

use everwhen::memory::{Address, MemoryId, Name};
use everwhen::{Error, Result};
use serde_json::{Map, Value, json};

/// The kinds of ids; the first that is given names the memory.
pub(super) const KINDS: [&str; 4] = ["user", "agent", "app", "run"];

/// The ids of one request or record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Ids([Option<String>; 4]);

impl Ids {
    /// Reads the ids from an object, such as a body or `filters`.
    pub(super) fn read(values: &Value) -> Self {
        Self(KINDS.map(|kind| {
            let value = &values[format!("{kind}_id")];
            let number = || value.as_i64().map(|number| number.to_string());
            value.as_str().map(ToOwned::to_owned).or_else(number).filter(|id| !id.is_empty())
        }))
    }

    /// Whose a memory is, by its name.
    pub(super) fn of_memory(name: &str) -> Self {
        let (owner, id) = entity(name);
        Self(KINDS.map(|kind| (kind == owner).then(|| id.to_owned())))
    }

    /// These ids, or those of an owner where none is given.
    pub(super) fn or_else_of(self, owner: &Self) -> Self {
        if self.is_empty() { owner.clone() } else { self }
    }

    /// These ids, completed by others.
    pub(super) fn or(self, others: Self) -> Self {
        let mut ids = self;
        for (id, other) in ids.0.iter_mut().zip(others.0) {
            *id = id.take().or(other);
        }
        ids
    }

    /// Whether none is given.
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// How many are given.
    pub(super) fn count(&self) -> usize {
        self.0.iter().flatten().count()
    }

    /// The name of the memory, by the first id that is given.
    pub(super) fn memory_name(&self) -> Result<String> {
        let first = KINDS.iter().zip(&self.0).find_map(|(kind, id)| Some((*kind, id.as_deref()?)));
        let (kind, id) = first.ok_or_else(|| {
            Error::invalid(
                "one of user_id, agent_id, app_id and run_id is needed, such as user_id=\"ana\"",
            )
        })?;
        Ok(memory_name(kind, id))
    }

    /// The memory.
    pub(super) fn memory(&self) -> Result<Address<MemoryId>> {
        Ok(Address::Name(Name::new("memory", self.memory_name()?)?))
    }

    /// The ids as fields of an object; those that are absent are null.
    pub(super) fn write(&self) -> Map<String, Value> {
        KINDS.iter().zip(&self.0).map(|(kind, id)| (format!("{kind}_id"), json!(id))).collect()
    }
}

/// The name of the memory of a user, agent, app or run. Users have plain names, since other interfaces name
/// memories so, too.
pub(super) fn memory_name(kind: &str, id: &str) -> String {
    let is_taken = KINDS.iter().any(|kind| id.starts_with(&format!("{kind}:")));
    match kind {
        "user" if !is_taken => id.to_owned(),
        kind => format!("{kind}:{id}"),
    }
}

/// The kind and the id that a memory's name means.
pub(super) fn entity(name: &str) -> (&'static str, &str) {
    let found = KINDS.iter().find_map(|kind| {
        let id = name.strip_prefix(kind)?.strip_prefix(':')?;
        Some((*kind, id))
    });
    found.unwrap_or((KINDS[0], name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_a_memory_of_its_own_and_can_be_read_from_its_name() {
        for (kind, id) in [("user", "ana"), ("agent", "ana"), ("user", "agent:ana"), ("run", "7")] {
            assert_eq!(entity(&memory_name(kind, id)), (kind, id));
        }
        let ids = Ids::read(&json!({ "agent_id": "a", "run_id": 7 }));
        assert_eq!(ids.memory_name().unwrap(), "agent:a");
        assert_eq!(ids.write()["run_id"], "7");
        assert!(Ids::read(&json!({ "user_id": "" })).memory_name().is_err());
        assert_eq!(Ids::of_memory("agent:a"), Ids::read(&json!({ "agent_id": "a" })));
        assert_eq!(Ids::of_memory("ana"), Ids::read(&json!({ "user_id": "ana" })));
    }
}

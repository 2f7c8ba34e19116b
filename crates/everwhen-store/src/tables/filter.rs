//! A statement whose conditions are made for one question.

use everwhen_engine::ports::MemoryRef;

use super::{Dialect, Value, place};

/// The conditions of a list and the values they compare with.
pub(super) struct Filter<'v> {
    conditions: String,
    pub(super) values: Vec<Value<'v>>,
}

impl<'v> Filter<'v> {
    /// Only what is in this memory.
    pub(super) fn new(memory: MemoryRef) -> Self {
        Self { conditions: super::IN_MEMORY.to_owned(), values: place(memory).into() }
    }

    /// Only what is in this memory, found by another index than that of the memory: without statistics
    /// SQLite would read all of it.
    pub(super) fn by_other_index(dialect: Dialect, memory: MemoryRef) -> Self {
        let conditions =
            format!("WHERE vault_id = ?1 AND {} = ?2", dialect.not_by_index("memory_id"));
        Self { conditions, values: place(memory).into() }
    }

    /// Only what is in this memory, for a statement that an index alone answers.
    pub(super) fn in_index(dialect: Dialect, memory: MemoryRef) -> Self {
        Self { conditions: dialect.in_index().to_owned(), values: place(memory).into() }
    }

    /// Takes a value; answers how the statement names it.
    pub(super) fn value(&mut self, value: impl Into<Value<'v>>) -> String {
        self.values.push(value.into());
        format!("?{}", self.values.len())
    }

    /// Adds a condition that names its values itself.
    pub(super) fn condition(&mut self, condition: &str) {
        self.conditions.push_str(" AND ");
        self.conditions.push_str(condition);
    }

    /// Adds a comparison with a value.
    pub(super) fn add(&mut self, comparison: &str, value: impl Into<Value<'v>>) {
        let value = self.value(value);
        self.condition(&format!("{comparison} {value}"));
    }

    /// Adds a comparison with a value, if there is one.
    pub(super) fn add_if(&mut self, comparison: &str, value: Option<impl Into<Value<'v>>>) {
        if let Some(value) = value {
            self.add(comparison, value);
        }
    }

    /// The statement in the words of a database: what is selected, the conditions, and the rest.
    pub(super) fn sql(&self, dialect: Dialect, select: &str, rest: &str) -> String {
        dialect.parameters(format!("{select} {} {rest}", self.conditions))
    }
}

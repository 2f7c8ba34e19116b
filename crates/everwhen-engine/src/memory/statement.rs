//! One statement of a graph, as an entry: a sentence for people, labels for us.

use super::{Entry, EntryId, Name, NewEntry, Role, Said};
use crate::{Error, Result};

/// The label of every statement.
pub(crate) const STATEMENT_LABEL: &str = "graph";

/// That one thing relates to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphRelation {
    /// The thing it starts from.
    pub from: String,
    /// The thing it leads to.
    pub to: String,
    /// How, in active voice: `works_at`.
    pub kind: String,
}

/// What an entry says about the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Statement {
    /// There is a thing.
    Entity { name: String, kind: String },
    /// Something is so about a thing.
    Observation { of: String, text: String },
    /// Two things relate.
    Relation(GraphRelation),
    /// What an earlier entry says is no longer so.
    Gone { entry: EntryId, text: String },
}

impl Statement {
    /// The entry that says it.
    pub(crate) fn entry(&self) -> Result<NewEntry> {
        let mut entry = NewEntry::new(Role::User, Said::new(self.sentence())?);
        entry.tags = vec![Name::new("tag", STATEMENT_LABEL)?];
        for (label, text) in self.labels() {
            let named = Name::new(label, format!("{label}={text}"));
            entry.tags.push(named.map_err(|_| unfit(label, text))?);
        }
        Ok(entry)
    }

    /// What an entry says; nothing if it is no statement. Anyone may tag an entry `type=email`, so
    /// [`STATEMENT_LABEL`] decides.
    pub(crate) fn read(entry: &Entry) -> Option<Self> {
        if !entry.tags.iter().any(|tag| tag.as_str() == STATEMENT_LABEL) {
            return None;
        }
        let label = |label: &str| {
            let texts = entry.tags.iter().map(Name::as_str);
            let mut named = texts.filter_map(|text| text.strip_prefix(label)?.strip_prefix('='));
            named.next().map(ToOwned::to_owned)
        };
        if let Some(gone) = label("gone") {
            let text = entry.content.as_str().to_owned();
            return Some(Self::Gone { entry: gone.parse().ok()?, text });
        }
        if let Some(of) = label("of") {
            return Some(Self::Observation { of, text: entry.content.as_str().to_owned() });
        }
        let kind = label("type")?;
        match (label("name"), label("from"), label("to")) {
            (Some(name), ..) => Some(Self::Entity { name, kind }),
            (None, Some(from), Some(to)) => Some(Self::Relation(GraphRelation { from, to, kind })),
            _ => None,
        }
    }

    /// The statement in words.
    pub(crate) fn sentence(&self) -> String {
        match self {
            Self::Entity { name, kind } => format!("{name} ({kind})"),
            Self::Observation { text, .. } => text.clone(),
            Self::Relation(it) => format!("{} {} {}", it.from, it.kind, it.to),
            Self::Gone { text, .. } => format!("No longer: {text}"),
        }
    }

    fn labels(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Entity { name, kind } => vec![("name", name.clone()), ("type", kind.clone())],
            Self::Observation { of, .. } => vec![("of", of.clone())],
            Self::Relation(it) => {
                vec![("from", it.from.clone()), ("to", it.to.clone()), ("type", it.kind.clone())]
            }
            Self::Gone { entry, .. } => vec![("gone", entry.to_string())],
        }
    }
}

fn unfit(label: &str, text: String) -> Error {
    let shown: String = text.chars().take(40).collect();
    Error::invalid(format!(
        "{label} {shown:?} does not fit; names and types are one line of at most 190 characters, \
         without spaces at the end"
    ))
}

/// Whether an entry is a statement of a graph.
pub(crate) fn is_statement(entry: &Entry) -> bool {
    Statement::read(entry).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tagged(tags: &[&str]) -> Entry {
        let tags = tags.iter().map(|tag| Name::new("tag", *tag).unwrap()).collect();
        Entry { tags, ..Entry::said(Role::User, "Ben has the contract.") }
    }

    #[test]
    fn tags_of_other_programs_are_no_statements() {
        for tags in [&["type=email", "from=anna", "to=ben"][..], &["of=anna"]] {
            assert_eq!(Statement::read(&tagged(tags)), None, "{tags:?}");
            let labelled: Vec<&str> = tags.iter().copied().chain([STATEMENT_LABEL]).collect();
            assert!(Statement::read(&tagged(&labelled)).is_some(), "{labelled:?}");
        }
    }
}

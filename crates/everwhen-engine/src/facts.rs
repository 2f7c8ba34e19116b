//! Facts: one short dated statement each, with the entry it rests on.
//!
//! Walk of a conversation that is over (`distill`): read it → propose facts, by a model or by rules
//! → believe what the entries bear out → embed → in one transaction, put them beside what is
//! known, link them (`fact_views::reconcile`) and end the job. What is shown ([`FactView`]) follows from the
//! links: repeated, replaced, denied, current.

pub(crate) mod distill;
mod draft;
mod events;
pub(crate) mod extract;
mod fade;
pub(crate) mod forget;
mod keep;
mod lines;
mod model;
mod profile;
mod query;
mod revise;

pub use crate::fact_views::FactView;
#[cfg(test)]
pub(crate) use crate::fact_views::reconcile::tests::plain_fact as fact_for_tests;
pub(crate) use crate::fact_views::{views, views_at, views_by_links};
pub use crate::memory::{
    Evidence, Fact, FactRules, FactVector, Fading, HALF_LIFE, Link, Matter, Priority, Relation,
    Source, WrittenBy,
};
pub(crate) use draft::Draft;
pub(crate) use keep::keep;
pub use lines::{FactLines, by_month};
pub use profile::{ProfileLine, profile};
pub use query::FactQuery;
pub use revise::FactCorrection;

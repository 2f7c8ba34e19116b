//! Facts: one short dated statement each, with the entry it rests on.
//!
//! Walk of a conversation that is over (`distill`): read it → propose facts, by a model or by rules
//! → believe what the entries bear out → embed → in one transaction, put them beside what is
//! known, link them (`reconcile`) and end the job. What is shown ([`FactView`]) follows from the
//! links: repeated, replaced, denied, current.

mod closeness;
pub(crate) mod distill;
mod draft;
mod extract;
mod fact;
mod fade;
mod keep;
mod lines;
mod model;
mod profile;
mod query;
mod reconcile;
mod state;

pub(crate) use closeness::{Ruler, figures};
pub(crate) use draft::{Draft, content_words};
pub use fact::{Evidence, Fact, FactVector, Link, Matter, Relation, Source, WrittenBy};
pub(crate) use fade::Retrieved;
pub use fade::{Fading, HALF_LIFE};
pub(crate) use keep::{forget_entries, keep};
pub use lines::by_month;
pub(crate) use model::{transcript, windows};
pub use profile::{ProfileLine, profile};
pub use query::FactQuery;
#[cfg(test)]
pub(crate) use reconcile::tests::plain_fact as fact_for_tests;
pub use state::FactView;
pub(crate) use state::{views, views_at};

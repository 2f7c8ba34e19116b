//! Asking for facts, and what may be done to one: pin it.

use std::sync::Arc;

use jiff::Timestamp;

use super::{Fact, FactLines, FactView, ProfileLine, by_month, profile};
use super::{views, views_at, views_by_links};
use crate::index::FactListKey;
use crate::memory::{Address, FactId, MemoryId, Name};
use crate::ports::{FactSelection, PastKind};
use crate::receipt::{Done, Idempotency, Receipt};
use crate::similarity::Ruler;
use crate::time::{Period, Zone, read_period};
use crate::vault::{Absent, Page, Vault, View, page, page_limit};
use crate::{Error, Result};

/// Which facts to list, in order of mention.
#[derive(Debug, Clone, Default)]
pub struct FactQuery {
    /// As the vault believed at this creation_time; as it believes now if absent.
    pub as_of: Option<Timestamp>,
    /// Only what holds in this stretch, such as `2025-04`; what was replaced since is among it.
    pub about: Option<String>,
    /// Those that were replaced, too.
    pub all: bool,
    /// Only with this tag.
    pub tag: Option<Name>,
    /// Only those pinned.
    pub pinned: bool,
    /// Go on behind this fact.
    pub from: Option<(Timestamp, FactId)>,
    /// The maximum number.
    pub limit: Option<usize>,
}

impl FactQuery {
    fn admits(&self, view: &FactView, about: Option<Period>) -> bool {
        let believed = self.all || about.is_some() || view.is_current();
        let holds = about.is_none_or(|about| view.holds.intersection(&about).is_some());
        believed
            && holds
            && view.fact.withdrawn_at.is_none()
            && self.tag.as_ref().is_none_or(|tag| view.fact.tags.contains(tag))
            && (!self.pinned || view.fact.pinned_at.is_some())
    }
}

/// The period a query is about, as its caller wrote it.
fn read_about(text: &str, now: Timestamp, zone: &Zone) -> Result<Period> {
    read_period(text, now, zone)
        .map_err(|error| Error::invalid(format!("about {}", error.message())))
}

impl Vault {
    /// Facts by when they were first mentioned: those believed now, or as the query says.
    pub async fn facts(
        &self,
        memory: Address<MemoryId>,
        query: FactQuery,
    ) -> Result<Page<FactView, (Timestamp, FactId)>> {
        let limit = page_limit(query.limit)?;
        let (now, zone) = (self.engine().now(), self.info().await?.zone);
        let about = query.about.as_deref().map(|text| read_about(text, now, &zone)).transpose()?;
        let all = self.fact_views(memory, query.as_of).await?;
        let mut shown: Vec<&FactView> =
            all.iter().filter(|view| query.admits(view, about)).collect();
        // Pinned ones stand first.
        shown.sort_by_key(|view| (view.fact.pinned_at.is_none(), place(view)));
        if let Some(from) = query.from {
            let known = shown.iter().position(|view| place(view) == from).map(|at| at + 1);
            let behind = || {
                shown.partition_point(|view| view.fact.pinned_at.is_some() || place(view) <= from)
            };
            shown.drain(..known.unwrap_or_else(behind));
        }
        let shown = shown.into_iter().take(limit + 1).cloned().collect();
        Ok(page(shown, limit, place))
    }

    /// What is believed now as text for a model, by month; with `lines.all`, what was replaced, too.
    pub async fn facts_by_month(
        &self,
        memory: Address<MemoryId>,
        lines: FactLines,
    ) -> Result<String> {
        let all = self.fact_views(memory, None).await?;
        let counts = |view: &&FactView| view.is_current() || lines.all;
        let valid = all.iter().filter(counts).filter(|view| view.fact.withdrawn_at.is_none());
        let shown: Vec<FactView> = valid.cloned().collect();
        Ok(by_month(&shown, &self.info().await?.zone, lines))
    }

    /// The present value of everything that has one, or what the vault believed at another time.
    pub async fn profile(
        &self,
        memory: Address<MemoryId>,
        as_of: Option<Timestamp>,
    ) -> Result<Vec<ProfileLine>> {
        Ok(profile(&self.fact_views(memory, as_of).await?))
    }

    /// A fact, whatever became of it.
    pub async fn fact(&self, memory: Address<MemoryId>, id: FactId) -> Result<FactView> {
        let (mut line, place) = self.line(memory, id).await?;
        Ok(line.swap_remove(place))
    }

    /// Everything that was believed of the same matter, oldest first.
    pub async fn fact_history(
        &self,
        memory: Address<MemoryId>,
        id: FactId,
    ) -> Result<Vec<FactView>> {
        Ok(self.line(memory, id).await?.0)
    }

    /// Lets a fact stand first in every list, and never fade; or takes that back.
    pub async fn pin_fact(
        &self,
        memory: Address<MemoryId>,
        id: FactId,
        pinned: bool,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        self.edit_memory(memory, Absent::Refuse, idempotency, move |edit| {
            let fact = edit
                .tx
                .facts(edit.place(), FactSelection::Id(id))?
                .pop()
                .ok_or_else(|| no_fact(id))?;
            let pinned_at = if pinned { fact.pinned_at.or(Some(edit.now)) } else { None };
            edit.keep_fact(id)?;
            edit.put_fact(&Fact { pinned_at, ..fact })?;
            Ok(Receipt::Fact(id))
        })
        .await
    }

    /// All facts of a memory as they are shown, those withdrawn too unless `as_of` is given.
    pub(super) async fn fact_views(
        &self,
        memory: Address<MemoryId>,
        instant: Option<Timestamp>,
    ) -> Result<Arc<Vec<FactView>>> {
        let (ruler, cache) = (self.engine().ruler(), Arc::clone(&self.engine().index_cache));
        self.read(memory, move |view, memory| {
            let zone = &view.vault.zone;
            let Some(at) = instant else {
                let facts = view.snapshot.facts(view.place, FactSelection::WithoutVectors)?;
                return Ok(Arc::new(views(facts, zone)));
            };
            let key = FactListKey::new(view.place, memory, at, zone);
            if let Some(shown) = cache.fact_lists.get(&key) {
                return Ok(shown);
            }
            let shown = Arc::new(views_as_of(view, at, &ruler)?);
            cache.fact_lists.put(key, &shown);
            Ok(shown)
        })
        .await
    }

    /// The facts of the line that a fact stands in, oldest first, and its place among them.
    async fn line(&self, memory: Address<MemoryId>, id: FactId) -> Result<(Vec<FactView>, usize)> {
        let shown = self.fact_views(memory, None).await?;
        let said = |view: &FactView| view.fact.id == id || view.repeated_by.contains(&id);
        let mut first = shown.iter().position(said).ok_or_else(|| no_fact(id))?;
        let asked = shown[first].fact.id;
        while let Some(earlier) = shown[first].supersedes
            && let Some(place) = shown.iter().position(|view| view.fact.id == earlier)
        {
            first = place;
        }
        let mut line = vec![shown[first].clone()];
        for view in shown.iter() {
            let follows = |one: &FactView| Some(one.fact.id) == view.supersedes;
            if line.iter().any(follows) {
                line.push(view.clone());
            }
        }
        let place =
            line.iter().position(|view| view.fact.id == asked).ok_or_else(|| no_fact(id))?;
        Ok((line, place))
    }
}

/// The facts of a memory as they were shown at an instant. They are compared again only if some of them were
/// withdrawn since, or stored later than what follows them.
fn views_as_of(view: &View<'_>, at: Timestamp, ruler: &Ruler) -> Result<Vec<FactView>> {
    let (snapshot, zone) = (view.snapshot, &view.vault.zone);
    let past = snapshot.past(view.place, at, &[PastKind::Facts])?;
    let facts = snapshot.facts(view.place, FactSelection::WithoutVectors)?;
    if let Some(shown) = views_by_links(facts, (at, &past.facts), zone) {
        return Ok(shown);
    }
    let facts = snapshot.facts(view.place, FactSelection::All)?;
    Ok(views_at(facts, (at, &past.facts), ruler, zone))
}

fn place(view: &FactView) -> (Timestamp, FactId) {
    (view.fact.mentioned_at, view.fact.id)
}

pub(super) fn no_fact(id: FactId) -> Error {
    Error::not_found(format!("fact not found: {id}"))
}

//! What happened when, and how far apart.

use everwhen::Result;

use crate::mcp::guest::Guest;
use crate::mcp::tool::{Effect, Tool};
use crate::mcp::wire::{self, TimelineAsked};

/// Dated lines, oldest first.
pub(crate) struct GetTimeline;

impl Tool for GetTimeline {
    type Takes = wire::GetTimeline;
    type Gives = wire::TimelineTold;
    const NAME: &'static str = "get_timeline";
    const TITLE: &'static str = "Get timeline";
    const ABOUT: &'static str = "What the user said, one dated line each, oldest first, with the \
        days between lines. Use for questions of order, first or last times, and how long ago.";
    const EFFECT: Effect = Effect::Reads;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        let memory = guest.memory(takes.memory.as_deref())?;
        let vault = guest.vault(takes.vault.as_deref()).await?;
        Ok(match takes.read()? {
            TimelineAsked::Everything(query) => vault.timeline(memory, query).await?.into(),
            TimelineAsked::About(query) => vault.timeline_about(memory, query).await?.into(),
        })
    }
}

/// The distance between two moments.
pub(crate) struct TimeBetween;

impl Tool for TimeBetween {
    type Takes = wire::TimeBetween;
    type Gives = wire::BetweenTold;
    const NAME: &'static str = "time_between";
    const TITLE: &'static str = "Time between";
    const ABOUT: &'static str = "The exact time between two entries or dates, on the calendar of \
        the vault's time zone. Use instead of subtracting dates.";
    const EFFECT: Effect = Effect::Reads;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        let memory = guest.memory(takes.memory.as_deref())?;
        let vault = guest.vault(takes.vault.as_deref()).await?;
        Ok(vault.time_between(memory, &takes.from, &takes.to).await?.into())
    }
}

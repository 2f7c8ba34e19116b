//! Usage of the language model.

use everwhen::ports::Spent;
use everwhen::usage;
use everwhen::{Error, Result};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Filter for usage.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct UsageQuery {
    /// First day (UTC); all days if absent.
    #[param(format = Date, pattern = "^[1-8][0-9]{3}-", example = "2025-03-01")]
    since: Option<String>,
}

impl UsageQuery {
    /// Converts it to the engine's type.
    pub(crate) fn read(self) -> Result<Date> {
        let Some(text) = self.since else { return Ok(Date::MIN) };
        text.parse().map_err(|_| {
            Error::invalid(format!("since is {text:?}; write a day, such as 2025-03-01"))
        })
    }
}

/// Usage of the language model by a vault.
#[derive(Serialize, ToSchema)]
pub(crate) struct Usage {
    /// By day, model and purpose.
    data: Vec<UsageRow>,
    /// The sum.
    total: UsageTotal,
    /// This calendar month (UTC), whatever `since` is.
    month: UsageMonth,
}

/// What language models cost in a calendar month, in the currency of the configured prices.
#[derive(Serialize, ToSchema)]
pub(crate) struct UsageMonth {
    /// The first day of the month, in UTC.
    #[schema(format = Date, examples("2025-03-01"))]
    since: String,
    /// The cost for this vault.
    cost: f64,
    /// The cost for all vaults, which the cap is for; absent for the holder of an API key, who may use one vault only.
    #[serde(skip_serializing_if = "Option::is_none")]
    server_cost: Option<f64>,
    /// The cap (`llm.spending_cap`), after which no model is called until the next month; null if there is none.
    #[schema(required = true)]
    cap: Option<f64>,
}

impl UsageMonth {
    /// Converts what a month cost; what other vaults cost only if `is_for_all`.
    pub(crate) fn new(month: usage::MonthCost, is_for_all: bool) -> Self {
        Self {
            since: month.since.to_string(),
            cost: amount(month.vault_nanos),
            server_cost: is_for_all.then(|| amount(month.total_nanos)),
            cap: month.cap_nanos.map(amount),
        }
    }
}

/// Billionths in the currency of the configured prices.
fn amount(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}

/// Usage on one day, of one model, for one purpose.
#[derive(Serialize, ToSchema)]
struct UsageRow {
    /// The day, in UTC.
    #[schema(format = Date, examples("2025-03-01"))]
    day: String,
    /// The model.
    #[schema(examples("openai:gpt-4o-mini"))]
    model: String,
    /// The purpose.
    #[schema(examples("facts"))]
    purpose: String,
    #[serde(flatten)]
    total: UsageTotal,
}

/// Counts, tokens and cost.
#[derive(Serialize, ToSchema)]
struct UsageTotal {
    /// Number of calls.
    calls: u64,
    /// Number of cached replies, which cost nothing.
    cached: u64,
    /// Input tokens.
    input_tokens: u64,
    /// Output tokens.
    output_tokens: u64,
    /// The cost, in the currency of the configured prices.
    cost: f64,
}

impl UsageTotal {
    fn new(calls: u64, cached: u64, spent: Spent) -> Self {
        let Spent { input_tokens, output_tokens, cost_nanos } = spent;
        Self { calls, cached, input_tokens, output_tokens, cost: amount(cost_nanos) }
    }
}

impl Usage {
    /// Converts what was used.
    pub(crate) fn new(rows: Vec<usage::Usage>, month: UsageMonth) -> Self {
        let sum = |count: fn(&usage::Usage) -> u64| rows.iter().map(count).sum();
        let spent = rows.iter().fold(Spent::default(), |sum, row| sum + row.spent);
        let total = UsageTotal::new(sum(|row| row.calls), sum(|row| row.cached), spent);
        let row = |row: usage::Usage| UsageRow {
            day: row.day.to_string(),
            model: row.model,
            purpose: row.purpose,
            total: UsageTotal::new(row.calls, row.cached, row.spent),
        };
        Self { data: rows.into_iter().map(row).collect(), total, month }
    }
}

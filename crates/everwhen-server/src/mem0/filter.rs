//! Filters of mem0: fields with a value or an operator, joined by `AND`, `OR` and `NOT`.

use everwhen::{Error, Result};
use jiff::Timestamp;
use serde_json::Value;

/// How deep a filter may be nested.
const DEPTH: usize = 16;

/// Whether a record passes a filter. No filter lets everything pass.
pub(super) fn passes(record: &Value, filter: &Value) -> Result<bool> {
    passes_at(record, filter, 0)
}

fn passes_at(record: &Value, filter: &Value, depth: usize) -> Result<bool> {
    if depth > DEPTH {
        return Err(Error::invalid(format!("filters are nested deeper than {DEPTH}")));
    }
    let Some(fields) = filter.as_object() else { return Ok(true) };
    for (name, wanted) in fields {
        let each = || wanted.as_array().into_iter().flatten();
        let inner = |filter| passes_at(record, filter, depth + 1);
        let passed = match name.as_str() {
            "AND" => each().map(inner).collect::<Result<Vec<_>>>()?.iter().all(|one| *one),
            "OR" => each().map(inner).collect::<Result<Vec<_>>>()?.iter().any(|one| *one),
            "NOT" if wanted.is_array() => {
                !each().map(inner).collect::<Result<Vec<_>>>()?.iter().any(|one| *one)
            }
            "NOT" => !inner(wanted)?,
            "metadata" if wanted.is_object() => passes_at(&record["metadata"], wanted, depth + 1)?,
            name => compare(&record[name], wanted)?,
        };
        if !passed {
            return Ok(false);
        }
    }
    Ok(true)
}

fn compare(found: &Value, wanted: &Value) -> Result<bool> {
    let Some(operators) = wanted.as_object() else { return Ok(is_equal(found, wanted)) };
    for (operator, value) in operators {
        let passed = match operator.as_str() {
            "eq" => is_equal(found, value),
            "ne" => !is_equal(found, value),
            "in" => value.as_array().into_iter().flatten().any(|one| is_equal(found, one)),
            "nin" => !value.as_array().into_iter().flatten().any(|one| is_equal(found, one)),
            "gt" => order(found, value).is_some_and(std::cmp::Ordering::is_gt),
            "gte" => order(found, value).is_some_and(std::cmp::Ordering::is_ge),
            "lt" => order(found, value).is_some_and(std::cmp::Ordering::is_lt),
            "lte" => order(found, value).is_some_and(std::cmp::Ordering::is_le),
            "contains" => contains(found, value, false),
            "icontains" => contains(found, value, true),
            other => return Err(Error::invalid(format!("unknown operator {other:?} in filters"))),
        };
        if !passed {
            return Ok(false);
        }
    }
    Ok(true)
}

/// `"*"` is any value; a list has a value if one of its items is it.
fn is_equal(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (found, Value::String(any)) if any == "*" => !found.is_null(),
        (Value::Array(items), wanted) if !wanted.is_array() => items.contains(wanted),
        (found, wanted) => found == wanted,
    }
}

fn contains(found: &Value, wanted: &Value, any_case: bool) -> bool {
    let wanted = wanted.as_str().unwrap_or_default();
    match found {
        Value::Array(items) => items.iter().any(|item| contains(item, &wanted.into(), any_case)),
        Value::String(text) if any_case => text.to_lowercase().contains(&wanted.to_lowercase()),
        Value::String(text) => text.contains(wanted),
        _ => false,
    }
}

/// Numbers, times and other texts in their order.
fn order(found: &Value, wanted: &Value) -> Option<std::cmp::Ordering> {
    if let (Some(found), Some(wanted)) = (found.as_f64(), wanted.as_f64()) {
        return found.partial_cmp(&wanted);
    }
    match (instant(found), instant(wanted)) {
        (Some(found), Some(wanted)) => Some(found.cmp(&wanted)),
        _ => Some(found.as_str()?.cmp(wanted.as_str()?)),
    }
}

/// A time: RFC 3339, a day in UTC, or seconds since 1970.
pub(super) fn instant(value: &Value) -> Option<Timestamp> {
    if let Some(seconds) = value.as_i64() {
        return Timestamp::from_second(seconds).ok();
    }
    if let Some(seconds) = value.as_f64() {
        return Timestamp::from_millisecond((seconds * 1000.0) as i64).ok();
    }
    let text = value.as_str()?;
    let zone = everwhen::time::Zone::utc();
    everwhen::time::read_time_in(text, &zone).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn filters_mean_what_mem0_says() {
        let record = json!({
            "user_id": "ana", "agent_id": null, "created_at": "2024-03-02T10:00:00Z",
            "categories": ["food"], "memory": "Likes Tea", "metadata": { "n": 3, "kind": "taste" },
        });
        for (filter, expected) in [
            (json!({}), true),
            (json!(null), true),
            (json!({ "user_id": "ana" }), true),
            (json!({ "user_id": "*" }), true),
            (json!({ "agent_id": "*" }), false),
            (json!({ "AND": [{ "user_id": "ana" }, { "metadata": { "kind": "taste" } }] }), true),
            (json!({ "OR": [{ "user_id": "bob" }, { "user_id": { "in": ["ana"] } }] }), true),
            (json!({ "OR": [{ "user_id": "bob" }] }), false),
            (json!({ "NOT": [{ "user_id": "ana" }] }), false),
            (json!({ "NOT": { "user_id": "bob" } }), true),
            (json!({ "created_at": { "gte": "2024-03-02", "lt": "2024-03-03" } }), true),
            (json!({ "created_at": { "gt": 1_709_400_000 } }), false),
            (json!({ "metadata": { "n": { "lte": 3, "ne": 4 } } }), true),
            (json!({ "categories": { "contains": "food" } }), true),
            (json!({ "categories": "food" }), true),
            (json!({ "memory": { "icontains": "tea" } }), true),
            (json!({ "memory": { "contains": "tea" } }), false),
        ] {
            assert_eq!(passes(&record, &filter).unwrap(), expected, "{filter}");
        }
        assert!(passes(&record, &json!({ "memory": { "like": "x" } })).is_err());
    }
}

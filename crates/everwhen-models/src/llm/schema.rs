//! Replies as JSON that fits a schema: read strictly, and described, never quoted, when wrong.
//!
//! Of JSON Schema this knows what providers can be held to: `type`, `properties`, `required`,
//! `additionalProperties: false`, `items`, `enum`. A schema that says more is checked for that much.

use everwhen_engine::json::Json;
use everwhen_engine::{Error, Result};
use serde_json::Value;

/// The schema itself.
pub(super) fn read(text: &str) -> Result<Value> {
    serde_json::from_str(text)
        .map_err(|error| Error::invalid(format!("the schema of a reply is not JSON: {error}")))
}

/// The reply as JSON that fits; else what is wrong with it.
pub(super) fn fitting(text: &str, schema: &Value) -> Result<Json, String> {
    let value: Value = serde_json::from_str(unfenced(text)).map_err(|error| {
        format!("it is not JSON (line {}, column {})", error.line(), error.column())
    })?;
    fits(schema, &value, "the reply")?;
    Ok(json(value))
}

/// The text inside a code fence, if the whole reply is one; models add them whatever the prompt says.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inside = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inside.map_or(text, |inside| inside.strip_prefix("json").unwrap_or(inside).trim())
}

fn fits(schema: &Value, value: &Value, place: &str) -> Result<(), String> {
    if let Some(kinds) = schema.get("type")
        && !is_of(kinds, value)
    {
        return Err(format!("{place} is not of type {kinds}"));
    }
    if let Some(choices) = schema.get("enum").and_then(Value::as_array)
        && !choices.contains(value)
    {
        return Err(format!("{place} is none of {}", Value::from(choices.clone())));
    }
    match value {
        Value::Object(members) => members_fit(schema, members, place),
        Value::Array(items) => items_fit(schema, items, place),
        _ => Ok(()),
    }
}

fn members_fit(
    schema: &Value,
    members: &serde_json::Map<String, Value>,
    place: &str,
) -> Result<(), String> {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        if !members.contains_key(name) {
            return Err(format!("{place} has no {name:?}"));
        }
    }
    for (name, value) in members {
        match schema["properties"].get(name) {
            Some(schema) => fits(schema, value, &format!("{place}.{name}"))?,
            None if schema["additionalProperties"] == Value::Bool(false) => {
                return Err(format!("{place} has members that the schema does not name"));
            }
            None => {}
        }
    }
    Ok(())
}

fn items_fit(schema: &Value, items: &[Value], place: &str) -> Result<(), String> {
    let Some(schema) = schema.get("items") else { return Ok(()) };
    let mut numbered = items.iter().enumerate();
    numbered.try_for_each(|(at, item)| fits(schema, item, &format!("{place}[{at}]")))
}

fn is_of(kinds: &Value, value: &Value) -> bool {
    match kinds {
        Value::String(kind) => is_one(kind, value),
        Value::Array(kinds) => kinds.iter().any(|kind| is_of(kind, value)),
        _ => true,
    }
}

fn is_one(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

fn json(value: Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(value),
        Value::Number(number) => Json::Number(number.as_f64().unwrap_or(f64::NAN)),
        Value::String(text) => Json::Text(text),
        Value::Array(items) => Json::List(items.into_iter().map(json).collect()),
        Value::Object(members) => {
            Json::Object(members.into_iter().map(|(name, value)| (name, json(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r#"{"type": "object", "required": ["facts"], "additionalProperties": false,
        "properties": {"facts": {"type": "array", "items": {"type": "object",
            "properties": {"text": {"type": "string"}, "entry": {"type": "integer"},
                "source": {"enum": ["confirmed", "inferred"]}, "when": {"type": ["string", "null"]}},
            "required": ["text", "entry"]}}}}"#;

    fn problem(text: &str) -> String {
        fitting(text, &read(SCHEMA).unwrap()).unwrap_err()
    }

    #[test]
    fn what_fits_is_read_with_or_without_a_fence() {
        let text = r#"{"facts": [{"text": "a", "entry": 1, "source": "inferred", "when": null}]}"#;
        for text in [text.to_owned(), format!("```json\n{text}\n```"), format!(" ```\n{text}```\n")]
        {
            let json = fitting(&text, &read(SCHEMA).unwrap()).unwrap();
            assert_eq!(json.list("facts")[0].text("text"), Some("a"));
        }
    }

    #[test]
    fn what_does_not_fit_is_described_by_its_place_and_not_quoted() {
        assert_eq!(problem("Sure! my diary"), "it is not JSON (line 1, column 1)");
        assert_eq!(problem("[]"), "the reply is not of type \"object\"");
        assert_eq!(problem("{}"), "the reply has no \"facts\"");
        let foreign = problem(r#"{"facts": [], "my diary": 1}"#);
        assert_eq!(foreign, "the reply has members that the schema does not name");
        assert_eq!(problem(r#"{"facts": [{"text": "a"}]}"#), "the reply.facts[0] has no \"entry\"");
        let text = r#"{"facts": [{"text": "a", "entry": 1.5}]}"#;
        assert_eq!(problem(text), "the reply.facts[0].entry is not of type \"integer\"");
        let text = r#"{"facts": [{"text": "a", "entry": 1, "source": "my diary"}]}"#;
        assert!(problem(text).ends_with(r#"is none of ["confirmed","inferred"]"#));
        let text = r#"{"facts": [{"text": "a", "entry": 1, "when": 3}]}"#;
        assert!(problem(text).contains("when is not of type"));
    }

    #[test]
    fn a_schema_that_is_none_is_the_callers_mistake() {
        assert!(!read("{").unwrap_err().is_retryable());
    }
}

//! What a language model answered, as JSON, for the table of kept replies.

use everwhen_engine::Result;
use everwhen_engine::json::Json;
use everwhen_engine::ports::{Finish, Reply, Spent};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::damaged;

#[derive(Serialize, Deserialize)]
struct ReplyRow {
    text: String,
    json: Option<Value>,
    model: String,
    finish: String,
    spent: [u64; 3],
}

/// The reply as JSON.
pub(crate) fn write_reply(reply: &Reply) -> String {
    let Spent { input_tokens, output_tokens, cost_nanos } = reply.spent;
    let row = ReplyRow {
        text: reply.text.clone(),
        json: reply.json.as_ref().map(value),
        model: reply.model.clone(),
        finish: finish_name(reply.finish).to_owned(),
        spent: [input_tokens, output_tokens, cost_nanos],
    };
    serde_json::to_string(&row).expect("a reply can be written as JSON")
}

/// The reply from its JSON.
pub(crate) fn read_reply(text: &str) -> Result<Reply> {
    let row: ReplyRow = serde_json::from_str(text).map_err(|error| damaged("reply", error))?;
    let [input_tokens, output_tokens, cost_nanos] = row.spent;
    Ok(Reply {
        text: row.text,
        json: row.json.map(json),
        model: row.model,
        finish: finish(&row.finish)?,
        spent: Spent { input_tokens, output_tokens, cost_nanos },
        cached: false,
        unusable: None,
    })
}

const FINISHES: [Finish; 4] = [Finish::Stop, Finish::Length, Finish::Filtered, Finish::Other];

fn finish_name(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop => "stop",
        Finish::Length => "length",
        Finish::Filtered => "filtered",
        Finish::Other => "other",
    }
}

fn finish(text: &str) -> Result<Finish> {
    let found = FINISHES.into_iter().find(|finish| finish_name(*finish) == text);
    found.ok_or_else(|| damaged("finish of a reply", text))
}

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::from(*value),
        Json::Number(number) => Value::from(*number),
        Json::Text(text) => Value::from(text.as_str()),
        Json::List(items) => items.iter().map(value).collect(),
        Json::Object(members) => {
            members.iter().map(|(name, member)| (name.clone(), value(member))).collect()
        }
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

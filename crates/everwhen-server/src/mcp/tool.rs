//! The trait of a tool: its name, its description for models, its input and output schemas, and
//! what it does.

use std::pin::Pin;
use std::sync::Arc;

use everwhen::key::Scope;
use everwhen::{Error, ErrorKind, Result};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, ToolAnnotations};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::call::{NOTHING_YET, ToolCall};

/// One tool.
pub(crate) trait Tool: 'static {
    /// The arguments.
    type Input: DeserializeOwned + JsonSchema + Send;
    /// The result.
    type Output: Serialize + JsonSchema;
    /// The name in the protocol.
    const NAME: &'static str;
    /// The name shown to people.
    const TITLE: &'static str;
    /// Tells a model when to use it.
    const DESCRIPTION: &'static str;
    /// What it does to a memory.
    const EFFECT: ToolEffect;

    /// Runs the tool.
    fn call(
        call: ToolCall,
        input: Self::Input,
    ) -> impl Future<Output = Result<Self::Output>> + Send;

    /// The result where nothing has been remembered yet. Without one, that is an error.
    fn nothing_yet() -> Option<Self::Output> {
        None
    }

    /// The result as plain text, for a tool whose texts models know. Without one, the text is JSON.
    fn plain_text(_: &Self::Output) -> Option<String> {
        None
    }
}

/// What a tool does to a memory.
#[derive(Clone, Copy)]
pub(crate) enum ToolEffect {
    /// It only reads.
    Reads,
    /// It adds; a second call adds again.
    Adds,
    /// It sets a value; calling it again changes nothing.
    Sets,
    /// It removes.
    Removes,
}

impl ToolEffect {
    /// The scope that a key needs for it.
    fn scope(self) -> Scope {
        match self {
            Self::Reads => Scope::Read,
            Self::Adds | Self::Sets | Self::Removes => Scope::Write,
        }
    }

    /// The four hints of the protocol. A memory is a closed world.
    fn hints(self) -> ToolAnnotations {
        let (reads, removes, again) = match self {
            Self::Reads => (true, false, true),
            Self::Adds => (false, false, false),
            Self::Sets => (false, false, true),
            Self::Removes => (false, true, true),
        };
        ToolAnnotations::new()
            .read_only(reads)
            .destructive(removes)
            .idempotent(again)
            .open_world(false)
    }
}

type ToolFuture = Pin<Box<dyn Future<Output = CallToolResult> + Send>>;

/// A tool as it is listed and called.
pub(crate) struct ToolEntry {
    pub(crate) shown: rmcp::model::Tool,
    /// The scope that a key needs for it.
    pub(crate) scope: Scope,
    run: fn(ToolCall, JsonObject) -> ToolFuture,
}

impl ToolEntry {
    /// Builds the entry of the tool `T`.
    pub(crate) fn of<T: Tool>() -> Self {
        let shown = rmcp::model::Tool::new(T::NAME, T::DESCRIPTION, Arc::new(shape::<T::Input>()))
            .with_title(T::TITLE)
            .with_raw_output_schema(Arc::new(shape::<T::Output>()))
            .with_annotations(T::EFFECT.hints());
        Self {
            shown,
            scope: T::EFFECT.scope(),
            run: |call, arguments| Box::pin(run::<T>(call, arguments)),
        }
    }

    /// Calls the tool. Errors are part of the result, so that the model can correct its call.
    pub(crate) async fn call(&self, call: ToolCall, arguments: JsonObject) -> CallToolResult {
        (self.run)(call, arguments).await
    }
}

async fn run<T: Tool>(call: ToolCall, arguments: JsonObject) -> CallToolResult {
    match answer::<T>(call, arguments).await {
        Ok((value, None)) => CallToolResult::structured(value),
        Ok((value, Some(text))) => {
            let mut result = CallToolResult::structured(value);
            result.content = vec![ContentBlock::text(text)];
            result
        }
        Err(error) => CallToolResult::error(vec![ContentBlock::text(advice(&error))]),
    }
}

/// The error message, with advice where the model made no mistake: a memory that does not exist yet
/// is created by its first entry.
fn advice(error: &Error) -> String {
    match error.message() {
        new if new.starts_with("memory not found") => {
            format!("{new}; the first add_entry makes it")
        }
        message => message.to_owned(),
    }
}

/// The result as JSON and, where the tool has one, as plain text.
async fn answer<T: Tool>(call: ToolCall, arguments: JsonObject) -> Result<(Value, Option<String>)> {
    call.require(T::EFFECT.scope())?;
    let is_named = PLACES.iter().any(|place| arguments.get(*place).is_some_and(|v| !v.is_null()));
    let input = serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        Error::invalid(format!("the arguments of {} do not fit: {error}", T::NAME))
    })?;
    let output = T::call(call, input).await.or_else(|error| match T::nothing_yet() {
        Some(nothing) if !is_named && is_new_memory(&error) => Ok(nothing),
        _ => Err(error),
    })?;
    let value = serde_json::to_value(&output)
        .map_err(|error| Error::damaged(format!("cannot write the answer as JSON: {error}")))?;
    Ok((value, T::plain_text(&output)))
}

/// The arguments that name a memory. A memory that the caller names and that does not exist may be a
/// spelling mistake, so it stays an error.
const PLACES: [&str; 4] = ["memory", "memory_id", "vault", "vault_id"];

/// Whether the error says that the memory has not been created by a first entry.
fn is_new_memory(error: &Error) -> bool {
    let begins = |text| error.message().starts_with(text);
    error.kind() == ErrorKind::NotFound && (begins("memory not found") || begins(NOTHING_YET))
}

/// The JSON schema of `T` in its shortest form, using only what every client supports: no
/// references, no nullable types, no titles.
fn shape<T: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    plain(&mut schema);
    match schema {
        Value::Object(shape) => shape,
        _ => JsonObject::new(),
    }
}

fn plain(schema: &mut Value) {
    let Some(shape) = schema.as_object_mut() else { return };
    for word in ["title", "format", "minimum", "default"] {
        if shape.get(word).is_some_and(|value| !value.is_object()) {
            shape.remove(word);
        }
    }
    if let Some(choices) = shape.get_mut("anyOf").and_then(Value::as_array_mut) {
        choices.retain(|choice| choice["type"] != "null");
        if let [Value::Object(only)] = choices.as_mut_slice() {
            let only = std::mem::take(only);
            shape.remove("anyOf");
            shape.extend(only);
        }
    }
    if let Some(types) = shape.get("type").and_then(Value::as_array) {
        let known = types.iter().find(|kind| *kind != "null").cloned();
        shape.insert("type".into(), known.unwrap_or_default());
    }
    if let Some(choices) = shape.get_mut("enum").and_then(Value::as_array_mut) {
        choices.retain(|choice| !choice.is_null());
    }
    parts(shape);
}

/// Simplifies all nested schemas.
fn parts(shape: &mut JsonObject) {
    if let Some(properties) = shape.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().for_each(plain);
    }
    if let Some(items) = shape.get_mut("items") {
        plain(items);
    }
}

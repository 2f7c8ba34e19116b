//! What a tool is: a name, what a model reads about it, the shape of what it takes and gives, and
//! what it does.

use std::pin::Pin;
use std::sync::Arc;

use everwhen::key::Scope;
use everwhen::{Error, Result};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, ToolAnnotations};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::call::ToolCall;

/// One tool.
pub(crate) trait Tool: 'static {
    /// What it takes.
    type Input: DeserializeOwned + JsonSchema + Send;
    /// What it gives.
    type Output: Serialize + JsonSchema;
    /// Its public name.
    const NAME: &'static str;
    /// Its name for people.
    const TITLE: &'static str;
    /// When a model should use it.
    const DESCRIPTION: &'static str;
    /// What it does to a memory.
    const EFFECT: ToolEffect;

    /// Does it.
    fn call(
        call: ToolCall,
        input: Self::Input,
    ) -> impl Future<Output = Result<Self::Output>> + Send;
}

/// What a tool does to a memory.
#[derive(Clone, Copy)]
pub(crate) enum ToolEffect {
    /// It looks.
    Reads,
    /// It adds; a second call adds again.
    Adds,
    /// It sets something; a second call changes nothing more.
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

    /// The four hints of the protocol. The world of a memory is closed.
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

/// A tool among others.
pub(crate) struct ToolEntry {
    pub(crate) shown: rmcp::model::Tool,
    /// The scope that a key needs for it.
    pub(crate) scope: Scope,
    run: fn(ToolCall, JsonObject) -> ToolFuture,
}

impl ToolEntry {
    /// The tool `T`, ready to be shown and called.
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

    /// Calls it. What goes wrong is told to the model, which can do better.
    pub(crate) async fn call(&self, call: ToolCall, arguments: JsonObject) -> CallToolResult {
        (self.run)(call, arguments).await
    }
}

async fn run<T: Tool>(call: ToolCall, arguments: JsonObject) -> CallToolResult {
    match answer::<T>(call, arguments).await {
        Ok(value) => CallToolResult::structured(value),
        Err(error) => CallToolResult::error(vec![ContentBlock::text(advice(&error))]),
    }
}

/// What went wrong, and what to do where nothing was done wrong: a memory that does not exist yet
/// only wants its first entry.
fn advice(error: &Error) -> String {
    match error.message() {
        new if new.starts_with("memory not found") => {
            format!("{new}; the first add_entry makes it")
        }
        message => message.to_owned(),
    }
}

async fn answer<T: Tool>(call: ToolCall, arguments: JsonObject) -> Result<Value> {
    call.require(T::EFFECT.scope())?;
    let input = serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        Error::invalid(format!("the arguments of {} do not fit: {error}", T::NAME))
    })?;
    let output = T::call(call, input).await?;
    serde_json::to_value(output)
        .map_err(|error| Error::damaged(format!("cannot write the answer as JSON: {error}")))
}

/// The shape of `T` in as few words as it takes, and in those that every client understands:
/// nothing referred to, nothing nullable, no names of our types.
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

/// The same for every shape inside.
fn parts(shape: &mut JsonObject) {
    if let Some(properties) = shape.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().for_each(plain);
    }
    if let Some(items) = shape.get_mut("items") {
        plain(items);
    }
}

//! Rules between fields, which a field's own schema cannot say, and references where a schema
//! would be written twice.

use serde_json::{Value, json};

/// Adds them to the schemas. They say what must not be, which programs that make clients pass over.
pub(super) fn add(schemas: &mut Value) {
    // Only the assistant's questions wait for an answer.
    schemas["NewEntry"]["not"] = json!({
        "properties": {
            "role": { "enum": ["user", "system", "tool"] },
            "is_question": { "const": true },
        },
        "required": ["is_question"],
    });
    // A period needs at least one end.
    schemas["Forget"]["not"] = json!({
        "properties": { "after": { "type": "null" }, "before": { "type": "null" } },
    });
    refer_from_pages(schemas);
}

/// A page of things refers to the things.
fn refer_from_pages(schemas: &mut Value) {
    let schemas = schemas.as_object_mut().into_iter().flatten();
    for (name, page) in schemas {
        if let Some(row) = name.strip_prefix("Page_") {
            let row = format!("#/components/schemas/{row}");
            page["properties"]["data"]["items"] = json!({ "$ref": row });
        }
    }
}

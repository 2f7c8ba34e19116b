//! Constraints between fields, which the schema of one field cannot express, and references in
//! place of repeated schemas.

use serde_json::{Value, json};

/// Adds the constraints as `not` schemas, which client generators ignore.
pub(super) fn add(schemas: &mut Value) {
    // Only questions of the assistant wait for an answer.
    for entry in ["NewEntry", "ImportedEntry"] {
        schemas[entry]["not"] = json!({
            "properties": {
                "role": { "enum": ["user", "system", "tool"] },
                "is_question": { "const": true },
            },
            "required": ["is_question"],
        });
    }
    // A period needs at least one end.
    schemas["Forget"]["not"] = json!({
        "properties": { "after": { "type": "null" }, "before": { "type": "null" } },
    });
    refer_from_pages(schemas);
}

/// Pages refer to the schema of their items.
fn refer_from_pages(schemas: &mut Value) {
    let schemas = schemas.as_object_mut().into_iter().flatten();
    for (name, page) in schemas {
        if let Some(row) = name.strip_prefix("Page_") {
            let row = format!("#/components/schemas/{row}");
            page["properties"]["data"]["items"] = json!({ "$ref": row });
        }
    }
}

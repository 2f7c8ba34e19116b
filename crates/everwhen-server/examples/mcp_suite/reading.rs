//! Resources and prompts.

use rmcp::ErrorData;
use rmcp::model::*;
use serde_json::{Value, json};

use crate::tools::DOT;
use crate::{Answer, said};

/// Resources at fixed addresses.
pub(crate) fn resources() -> Vec<Resource> {
    let all = [
        ("test://static-text", "text/plain"),
        ("test://static-binary", "image/png"),
        ("test://watched-resource", "text/plain"),
    ];
    let resource = |(uri, kind): (&str, &str)| {
        said(json!({ "uri": uri, "name": uri, "description": "For the suite", "mimeType": kind }))
    };
    all.into_iter().map(resource).collect()
}

/// Resources at made addresses.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![said(json!({
        "uriTemplate": "test://template/{id}/data", "name": "template",
        "description": "For the suite", "mimeType": "application/json",
    }))]
}

/// What is at an address.
pub(crate) fn resource(uri: &str) -> Answer<ReadResourceResult> {
    let made = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
    let content = match (uri, made) {
        (_, Some(id)) => {
            let data =
                json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            json!({ "uri": uri, "mimeType": "application/json", "text": data.to_string() })
        }
        ("test://static-text", _) => json!({
            "uri": uri, "mimeType": "text/plain",
            "text": "This is the content of the static text resource.",
        }),
        ("test://watched-resource", _) => {
            json!({ "uri": uri, "mimeType": "text/plain", "text": "Watched." })
        }
        ("test://static-binary", _) => json!({ "uri": uri, "mimeType": "image/png", "blob": DOT }),
        _ => {
            let data = json!({ "uri": uri });
            return Err(ErrorData::resource_not_found("Resource not found", Some(data)));
        }
    };
    Ok(ReadResourceResult::new(vec![said(content)]))
}

/// Prompts with their arguments.
pub(crate) fn prompts() -> Vec<Prompt> {
    let all: [(&str, &[&str]); 5] = [
        ("test_simple_prompt", &[]),
        ("test_prompt_with_arguments", &["arg1", "arg2"]),
        ("test_prompt_with_embedded_resource", &["resourceUri"]),
        ("test_prompt_with_image", &[]),
        ("test_input_required_result_prompt", &[]),
    ];
    let prompt = |(name, arguments): (&str, &[&str])| {
        let argument =
            |name: &&str| json!({ "name": name, "description": "For the suite", "required": true });
        let arguments: Vec<Value> = arguments.iter().map(argument).collect();
        said(json!({ "name": name, "description": "For the suite", "arguments": arguments }))
    };
    all.into_iter().map(prompt).collect()
}

/// A prompt, filled in.
pub(crate) fn prompt(asked: &GetPromptRequestParams) -> Answer<GetPromptResult> {
    let argument = |name: &str| {
        let given = asked.arguments.as_ref().and_then(|all| all.get(name)?.as_str());
        given.unwrap_or_default().to_owned()
    };
    let text = |text: String| json!({ "type": "text", "text": text });
    let contents = match asked.name.as_str() {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.".into())],
        "test_prompt_with_arguments" => {
            let (one, two) = (argument("arg1"), argument("arg2"));
            vec![text(format!("Prompt with arguments: arg1='{one}', arg2='{two}'"))]
        }
        "test_prompt_with_embedded_resource" => {
            let resource = json!({
                "uri": argument("resourceUri"), "mimeType": "text/plain",
                "text": "Embedded resource content for testing.",
            });
            let embedded = json!({ "type": "resource", "resource": resource });
            vec![embedded, text("Please process the embedded resource above.".into())]
        }
        "test_prompt_with_image" => {
            let image = json!({ "type": "image", "data": DOT, "mimeType": "image/png" });
            vec![image, text("Please analyze the image above.".into())]
        }
        name => return Err(ErrorData::invalid_params(format!("Unknown prompt: {name}"), None)),
    };
    let message = |content: Value| said(json!({ "role": "user", "content": content }));
    Ok(GetPromptResult::new(contents.into_iter().map(message).collect()))
}

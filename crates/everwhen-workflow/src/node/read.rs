//! Parses nodes that call a model or run another workflow.

use super::{
    ChunkProcessor, ImageProcessor, NodeKind, Passing, Prompt, Stamps, Standard, SubWorkflow,
    Windows, WorkflowChoice,
};
use crate::jinja;
use crate::properties::Properties;
use crate::source::Value;
use crate::template::Template;

pub(super) fn standard(read: &mut Properties<'_>) -> Option<NodeKind> {
    Some(NodeKind::Standard(Box::new(model(read))))
}

/// The properties of a call to a model.
fn model(read: &mut Properties<'_>) -> Standard {
    let jinja = read.flag("jinja2");
    let windows = Windows {
        messages: read.amount("nMessagesToIncludeInVariable", 5),
        tokens: read.amount("estimatedTokensToIncludeInVariable", 2048),
        min_messages: read.amount("minMessagesInVariable", 5),
        max_tokens: read.amount("maxEstimatedTokensInVariable", 2048),
        tags: read.flag("addUserAssistantTags"),
    };
    Standard {
        endpoint: read.required_template("endpointName"),
        preset: preset(read),
        system_prompt: prompt(read, "systemPrompt", jinja),
        prompt: prompt(read, "prompt", jinja),
        last_messages: read.amount("lastMessagesToSendInsteadOfPrompt", 5),
        max_tokens: read.amount("maxResponseSizeInTokens", 400),
        windows,
        stamps: Stamps {
            on: read.flag("addDiscussionIdTimestampsForLLM"),
            relative: read.flag("useRelativeTimestamps"),
            group_chat: read.flag("useGroupChatTimestampLogic"),
        },
        passing: passing(read),
        response_start: read
            .flag("removeCustomTextFromResponseStart")
            .then(|| read.template("responseStartTextToRemove"))
            .flatten(),
    }
}

/// The preset; an empty name is none.
pub(super) fn preset(read: &mut Properties<'_>) -> Option<Template> {
    read.text("preset").filter(|name| !name.trim().is_empty()).map(Template::read)
}

fn passing(read: &mut Properties<'_>) -> Passing {
    let text = |read: &mut Properties<'_>, flag: &str, name: &str, usual: &str| {
        read.flag(flag).then(|| read.text(name).unwrap_or(usual).to_owned())
    };
    const TOKENS: &str = "lastMessagesToSendInsteadOfPromptMaxTokenSize";
    Passing {
        images: read.flag("acceptImages"),
        max_images: read.amount("maxImagesToSend", 0),
        tools: read.flag("allowTools"),
        tool_exchange: read.flag("appendNativeToolExchange"),
        lowercase_calls: read.flag("lowercaseToolCallFunctionNames"),
        show_calls: read.flag("includeToolCallsInConversation"),
        last_messages_tokens: read.value(TOKENS).is_some().then(|| read.amount(TOKENS, 0)),
        merge_with: text(
            read,
            "mergeConsecutiveAssistantMessages",
            "mergeConsecutiveAssistantMessagesDelimiter",
            "\n",
        ),
        between: text(
            read,
            "insertUserTurnBetweenAssistantMessages",
            "insertedUserTurnText",
            "Continue.",
        ),
    }
}

fn prompt(read: &mut Properties<'_>, name: &str, jinja: bool) -> Prompt {
    let text = read.text(name).unwrap_or_default();
    if !jinja {
        return Prompt::Plain(Template::read(text));
    }
    if let Err(error) = jinja::check(text) {
        let line = read.value(name).map_or(read.line(), |found| found.line);
        read.refuse(line, format!("{name:?} is no Jinja template: {error}"));
    }
    Prompt::Jinja(text.to_owned())
}

pub(super) fn image_processor(read: &mut Properties<'_>) -> Option<NodeKind> {
    Some(NodeKind::ImageProcessor(Box::new(ImageProcessor {
        ask: model(read),
        add_as_message: read.flag("addAsUserMessage"),
        message: read.template("message"),
        keeps: read.flag("saveVisionResponsesToDiscussionId"),
    })))
}

pub(super) fn custom(read: &mut Properties<'_>) -> Option<NodeKind> {
    Some(NodeKind::CustomWorkflow(sub_workflow(read)))
}

fn sub_workflow(read: &mut Properties<'_>) -> SubWorkflow {
    let line = read.value("workflowName").map_or(read.line(), |found| found.line);
    SubWorkflow {
        name: read.required("workflowName").to_owned(),
        folder: folder(read),
        line,
        inputs: read.templates("scoped_variables"),
        system_prompt: overriding(read, "firstNodeSystemPromptOverride"),
        prompt: overriding(read, "firstNodePromptOverride"),
    }
}

/// A prompt that replaces another one; an empty text replaces nothing.
fn overriding(read: &mut Properties<'_>, name: &str) -> Option<Template> {
    read.template(name).filter(|text| !text.is_empty())
}

/// The folder of another workflow; an empty name is the usual one.
fn folder(read: &mut Properties<'_>) -> Option<String> {
    let name = read.text("workflowUserFolderOverride")?;
    Some(name.to_owned()).filter(|name| !name.trim().is_empty())
}

pub(super) fn chunk_processor(read: &mut Properties<'_>) -> Option<NodeKind> {
    let id = read.required("id").to_owned();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if !id.chars().all(plain) {
        read.refuse(read.line(), "\"id\" may hold letters, digits, dots, hyphens and underscores");
    }
    Some(NodeKind::ConversationChunkProcessor(Box::new(ChunkProcessor {
        id,
        run: sub_workflow(read),
        size: read.amount("chunkSize", 10),
        lookback: read.amount("lookbackMessages", 4),
        directory: read.required_template("cursorDirectory"),
        return_file: read.template("returnFile").filter(|path| !path.is_empty()),
    })))
}

pub(super) fn fork(read: &mut Properties<'_>) -> Option<NodeKind> {
    let key = read.required_template("conditionalKey");
    let inputs = read.templates("scoped_variables");
    let folder = folder(read);
    let overrides = read.object("routeOverrides");
    let mut routes = Vec::new();
    for (value, name) in read.object("conditionalWorkflows") {
        let Value::Text(workflow) = &name.value else {
            read.refuse(name.line, format!("the route {value:?} must name a workflow"));
            continue;
        };
        let own = overrides.iter().find(|(route, _)| route.eq_ignore_ascii_case(value));
        let prompt = |name: &str| match &own?.1.get(name)?.value {
            Value::Text(text) => Some(Template::read(text)),
            _ => None,
        };
        routes.push((
            value.to_lowercase(),
            SubWorkflow {
                name: workflow.clone(),
                folder: folder.clone(),
                line: name.line,
                inputs: inputs.clone(),
                system_prompt: prompt("systemPromptOverride"),
                prompt: prompt("promptOverride"),
            },
        ));
    }
    let otherwise_text = read.template("UseDefaultContentInsteadOfWorkflow");
    let otherwise = routes.iter().position(|(value, _)| value == "default");
    let otherwise = otherwise.map(|place| routes.remove(place).1);
    if otherwise_text.is_none() && otherwise.is_none() {
        read.refuse(
            read.line(),
            "no route is left if no value fits; add a \"Default\" to \"conditionalWorkflows\", or \
             \"UseDefaultContentInsteadOfWorkflow\"",
        );
    }
    Some(NodeKind::ConditionalCustomWorkflow(Box::new(WorkflowChoice {
        key,
        routes,
        otherwise_text,
        otherwise,
    })))
}

//! ChatGPT: `conversations.json`, shards `conversations-NNN.json`, with `export_manifest.json`, and the
//! slim messages since July 2026; also single conversations as browser extensions save them.

use everwhen_engine::memory::Role;
use serde_json::Value;

use super::Source;
use crate::import::input::Document;
use crate::import::moment;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample};
use crate::import::text;
use crate::import::thread::{Message, Thread, TreeMessage};

/// ChatGPT.
pub(super) static SOURCE: Source = Source {
    name: "chatgpt",
    title: "ChatGPT",
    takes: "the zip of a data export, or conversations.json of it",
    folders: &[],
    claims,
    read,
};

fn claims(sample: &Sample<'_>) -> Claim {
    let is_manifest = sample.any(|one| one["logical_files"].is_object());
    let is_export = |one: &Value| {
        one["mapping"].is_object()
            || one["conversations"]
                .as_array()
                .is_some_and(|all| all.iter().any(|c| c["mapping"].is_object()))
    };
    Claim::when(is_manifest || sample.any(is_export))
}

fn read(reading: &mut Reading<'_>) {
    let mut slim = None;
    for document in reading.documents() {
        if document.file_name() == "export_manifest.json" {
            check_manifest(reading, document);
            continue;
        }
        reading.elements(document, &["conversations"], &mut |reading, _, index, conversation| {
            if !conversation["mapping"].is_object() {
                reading.leave_out("folders and projects");
                return;
            }
            slim.get_or_insert_with(|| is_slim(&conversation));
            let place = format!("{}: conversation {}", document.place, index + 1);
            take(reading, &conversation, &place);
        });
        if reading.is_stopped() {
            return;
        }
    }
    if slim == Some(true) {
        reading.warn(
            "this kind of export has no messages of tools; an older export of the same account may have \
             them, and importing it later adds them",
        );
    }
}

/// Whether the messages are of the kind since July 2026.
fn is_slim(conversation: &Value) -> bool {
    let nodes = conversation["mapping"].as_object();
    nodes.is_some_and(|nodes| {
        nodes
            .values()
            .all(|node| node.get("children").is_none() && node["message"].get("status").is_none())
    })
}

/// Parts that the manifest names and that are missing are reported, not ignored.
fn check_manifest<'r>(reading: &mut Reading<'r>, document: &'r Document) {
    let Some(manifest) = reading.value(document) else { return };
    let files = &manifest["logical_files"]["conversations.json"]["files"];
    let named = files.as_array().map_or(&[][..], Vec::as_slice).iter().filter_map(Value::as_str);
    let missing: Vec<&str> =
        named.filter(|name| reading.beside(document, name).is_none()).collect();
    if !missing.is_empty() {
        reading.warn(format!(
            "{} parts named in the manifest are missing: {}; fetch the export again if it is incomplete",
            missing.len(),
            missing.join(", ")
        ));
    }
}

fn take(reading: &mut Reading<'_>, conversation: &Value, place: &str) {
    let is_temporary = ["is_temporary_chat", "is_temporary", "is_do_not_remember"]
        .iter()
        .any(|field| conversation[*field].as_bool() == Some(true));
    if is_temporary {
        reading.leave_out("temporary chats");
        return;
    }
    let id = conversation["conversation_id"].as_str().or_else(|| conversation["id"].as_str());
    let Some(id) = id.or_else(|| conversation["current_node"].as_str()) else {
        reading.report.problem(format!("{place}: it has no id; it was left out"));
        return;
    };
    let mut thread = Thread::new(id, place);
    thread.title = conversation["title"].as_str().map(str::to_owned);
    thread.created = moment::of_value(&conversation["create_time"]);
    let project = ["conversation_template_id", "gizmo_id"]
        .iter()
        .find_map(|field| conversation[*field].as_str());
    let Some(mapping) = conversation["mapping"].as_object() else { return };
    let nodes = mapping.iter().map(|(key, node)| TreeMessage {
        id: key.clone(),
        parent: node["parent"].as_str().map(str::to_owned),
        message: message(reading, &node["message"]).map(|mut message| {
            message.id = Some(format!("{id}/{key}"));
            if let Some(project) = project {
                message.more.insert("project".to_owned(), project.into());
            }
            message.beside(&node["message"]["metadata"]["everwhen"])
        }),
    });
    let nodes: Vec<TreeMessage> = nodes.collect();
    thread.take_tree(nodes, conversation["current_node"].as_str());
    reading.take(thread);
}

/// What a message says; nothing for one that is no speech.
fn message(reading: &mut Reading<'_>, message: &Value) -> Option<Message> {
    if !message.is_object() {
        return None;
    }
    let content = &message["content"];
    let kind = content["content_type"].as_str().unwrap_or("text");
    let mut role = text::role(message["author"]["role"].as_str()?)?;
    let metadata = &message["metadata"];
    let recipient = message["recipient"].as_str().filter(|recipient| *recipient != "all");
    if matches!(kind, "thoughts" | "reasoning_recap") {
        reading.leave_out("thoughts");
        return None;
    }
    if metadata["is_visually_hidden_from_conversation"].as_bool() == Some(true)
        && !reading.options.hidden
        && role != Role::Tool
    {
        reading.leave_out(if role == Role::System { "instructions" } else { "hidden messages" });
        return None;
    }
    if recipient.is_some()
        || matches!(
            kind,
            "execution_output"
                | "tether_quote"
                | "tether_browsing_display"
                | "sonic_webpage"
                | "system_error"
                | "computer_output"
                | "citable_code_output"
        )
    {
        role = Role::Tool;
    }
    if matches!(kind, "user_editable_context" | "model_editable_context") {
        role = Role::System;
    }
    let said = said(reading, content, kind, metadata);
    let mut taken = Message::new(role, said, moment::of_value(&message["create_time"]))
        .model(metadata["model_slug"].as_str());
    if taken.time.is_none() && !message["create_time"].is_null() {
        taken.more.insert("source_time".to_owned(), message["create_time"].to_string().into());
    }
    let tool = recipient.or_else(|| message["author"]["name"].as_str());
    if role == Role::Tool {
        taken.tools.extend(tool.map(str::to_owned));
    }
    Some(taken)
}

fn said(reading: &mut Reading<'_>, content: &Value, kind: &str, metadata: &Value) -> String {
    let mut parts: Vec<String> = Vec::new();
    match kind {
        "text" | "multimodal_text" => {
            let all = content["parts"].as_array().map_or(&[][..], Vec::as_slice);
            parts.extend(all.iter().filter_map(|part| part_text(reading, part)));
        }
        "user_editable_context" => {
            let texts = ["user_profile", "user_instructions"].iter();
            parts.extend(texts.filter_map(|field| content[*field].as_str().map(str::to_owned)));
        }
        _ => {
            let fields = ["text", "result", "model_set_context", "output_str", "summary"].iter();
            match fields.filter_map(|field| content[*field].as_str()).next() {
                Some(found) => parts.push(found.to_owned()),
                None => reading.leave_out(&format!("content of type {kind}")),
            }
        }
    }
    let attached = metadata["attachments"].as_array().map_or(&[][..], Vec::as_slice);
    parts.extend(attached.iter().map(|one| {
        let name = one["name"].as_str().unwrap_or_default();
        let mime =
            one["mime_type"].as_str().or_else(|| one["mimeType"].as_str()).unwrap_or_default();
        let kind = if mime.starts_with("image/") { "image" } else { "file" };
        text::attachment(kind, name, one["size"].as_u64())
    }));
    text::join(parts.iter().map(String::as_str))
}

fn part_text(reading: &mut Reading<'_>, part: &Value) -> Option<String> {
    match part {
        Value::String(text) => Some(text.clone()),
        Value::Object(_) => match part["content_type"].as_str().unwrap_or_default() {
            "audio_transcription" => part["text"].as_str().map(str::to_owned),
            "image_asset_pointer" => {
                let name = part["asset_pointer"].as_str().unwrap_or_default();
                let name = name.rsplit('/').next().unwrap_or_default();
                Some(text::attachment("image", name, part["size_bytes"].as_u64()))
            }
            "audio_asset_pointer" | "real_time_user_audio_video_asset_pointer" => None,
            other => {
                reading.leave_out(&format!("part of type {other}"));
                part["text"].as_str().map(str::to_owned)
            }
        },
        _ => None,
    }
}

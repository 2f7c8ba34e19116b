//! Parses nodes that compute a text from other texts, and locks.

use super::{FileToRead, NodeKind, TextPart};
use crate::condition::Condition;
use crate::properties::{Amount, Properties};
use crate::template::Template;

pub(super) fn lock(read: &mut Properties<'_>) -> Option<NodeKind> {
    Some(NodeKind::WorkflowLock { lock: read.required("workflowLockId").to_owned() })
}

pub(super) fn conditional(read: &mut Properties<'_>) -> Option<NodeKind> {
    let line = read.value("condition").map_or(read.line(), |found| found.line);
    let text = read.value("condition").is_some().then(|| read.text("condition"));
    let Some(text) = text else {
        read.required("condition");
        return None;
    };
    match Condition::read(text?) {
        Ok(condition) => Some(NodeKind::Conditional(condition)),
        Err(error) => {
            read.refuse(line, format!("the condition cannot be read: {error}"));
            None
        }
    }
}

pub(super) fn concatenator(read: &mut Properties<'_>) -> Option<NodeKind> {
    if read.value("strings").is_none() {
        read.required("strings");
    }
    Some(NodeKind::StringConcatenator {
        strings: read.templates("strings"),
        delimiter: read.text("delimiter").unwrap_or_default().to_owned(),
    })
}

pub(super) fn static_response(read: &mut Properties<'_>) -> Option<NodeKind> {
    let content = read.template("content").unwrap_or_else(|| Template::read(""));
    Some(NodeKind::StaticResponse { content })
}

pub(super) fn file_to_read(read: &mut Properties<'_>) -> Option<NodeKind> {
    let head = pieces(read, "headCount");
    let tail = pieces(read, "tailCount");
    let part = match (head, tail) {
        (Some(_), Some(_)) => {
            read.refuse(read.line(), "give \"headCount\" or \"tailCount\", not both");
            None
        }
        (Some(count), None) => Some(TextPart::Head(count)),
        (None, Some(count)) => Some(TextPart::Tail(count)),
        (None, None) => None,
    };
    Some(NodeKind::GetCustomFile(FileToRead {
        path: read.required_template("filepath"),
        delimiter: read.text("delimiter").filter(|text| !text.is_empty()).map(str::to_owned),
        replacement: read.text("customReturnDelimiter").map(str::to_owned),
        part,
        piece_delimiter: read.text("chunkDelimiter").unwrap_or("\n").to_owned(),
    }))
}

fn pieces(read: &mut Properties<'_>, name: &str) -> Option<usize> {
    let line = read.value(name)?.line;
    match read.amount(name, 1) {
        Amount::Fixed(count) if count >= 1 => usize::try_from(count).ok(),
        _ => {
            read.refuse(line, format!("{name:?} must be a whole number from 1 on"));
            None
        }
    }
}

pub(super) fn file_to_write(read: &mut Properties<'_>) -> Option<NodeKind> {
    let append = match read.text("mode") {
        None | Some("overwrite") => false,
        Some("append") => true,
        Some(other) => {
            let sentence = format!("mode is {other:?}; use \"overwrite\" or \"append\"");
            read.refuse(read.line(), sentence);
            false
        }
    };
    let path = read.required_template("filepath");
    Some(NodeKind::SaveCustomFile { path, content: read.required_template("content"), append })
}

pub(super) fn tag(read: &mut Properties<'_>) -> Option<NodeKind> {
    Some(NodeKind::TagTextExtractor {
        from: read.required_template("tagToExtractFrom"),
        tag: read.required_template("fieldToExtract"),
        otherwise: read.template("defaultText"),
    })
}

pub(super) fn field(read: &mut Properties<'_>) -> Option<NodeKind> {
    Some(NodeKind::JsonExtractor {
        from: read.required_template("jsonToExtractFrom"),
        field: read.required_template("fieldToExtract"),
    })
}

pub(super) fn arithmetic(read: &mut Properties<'_>) -> Option<NodeKind> {
    Some(NodeKind::ArithmeticProcessor { expression: read.required_template("expression") })
}

pub(super) fn chunker(read: &mut Properties<'_>) -> Option<NodeKind> {
    let count = pieces(read, "count").unwrap_or(1);
    if read.value("count").is_none() {
        read.required("count");
    }
    let part = match read.required("mode") {
        "head" => TextPart::Head(count),
        "tail" => TextPart::Tail(count),
        other => {
            let sentence = format!("mode is {other:?}; use \"head\" or \"tail\"");
            read.refuse(read.line(), sentence);
            TextPart::Head(count)
        }
    };
    Some(NodeKind::DelimitedChunker {
        content: read.required_template("content"),
        delimiter: read.required_template("delimiter"),
        part,
    })
}

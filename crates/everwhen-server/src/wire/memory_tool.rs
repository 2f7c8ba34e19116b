//! Commands of Anthropic's memory tool as clients send them: REST, MCP and the proxy read the same fields.

use everwhen::time::read_time;
use everwhen::{Error, FileCommand, Result};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Number;
use utoipa::ToSchema;

use super::TimeIn;

/// The memory that holds the files unless the caller names another.
pub(crate) const FILES_MEMORY: &str = "files";

/// A command of Anthropic's memory tool.
#[derive(Deserialize, ToSchema, JsonSchema)]
#[schema(as = FileCommand)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileCommandInput {
    #[schema(inline)]
    command: FileCommandName,
    /// File or directory below /memories; for all but rename
    path: Option<String>,
    /// view: first and last line; -1 is the end
    #[serde(default, deserialize_with = "range")]
    #[schema(value_type = Option<Vec<i64>>, min_items = 2, max_items = 2)]
    #[schemars(with = "Option<Vec<i64>>", length(equal = 2))]
    view_range: Option<(i64, i64)>,
    /// create: the text
    file_text: Option<String>,
    /// str_replace: text that occurs once
    old_str: Option<String>,
    /// str_replace: the text in its place; nothing if absent
    new_str: Option<String>,
    /// insert: after this line; 0 is the beginning
    #[serde(default, deserialize_with = "line")]
    insert_line: Option<i64>,
    /// insert: the text
    insert_text: Option<String>,
    /// rename
    old_path: Option<String>,
    /// rename
    new_path: Option<String>,
    /// view: the files as they were at this time (RFC 3339)
    #[schema(value_type = Option<TimeIn>)]
    as_of: Option<String>,
}

/// The six commands.
#[derive(Clone, Copy, Deserialize, ToSchema, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum FileCommandName {
    View,
    Create,
    StrReplace,
    Insert,
    Delete,
    Rename,
}

impl FileCommandInput {
    /// The time at which the files are viewed.
    pub(crate) fn as_of(&self) -> Result<Option<Timestamp>> {
        let read = |text| read_time(text).map_err(|error| Error::from(error).at("as_of"));
        self.as_of.as_deref().map(read).transpose()
    }

    /// The engine's command, or an error for the model that names the missing parameter.
    pub(crate) fn command(self) -> Result<FileCommand> {
        let missing =
            |field: &str| Error::invalid(format!("Missing required parameter: `{field}`"));
        let needed = |value: Option<String>, field| value.ok_or_else(|| missing(field));
        let path = needed(self.path, "path");
        Ok(match self.command {
            FileCommandName::View => FileCommand::View { path: path?, lines: self.view_range },
            FileCommandName::Create => {
                FileCommand::Create { path: path?, text: needed(self.file_text, "file_text")? }
            }
            FileCommandName::StrReplace => FileCommand::Replace {
                path: path?,
                old: needed(self.old_str, "old_str")?,
                new: self.new_str.unwrap_or_default(),
            },
            FileCommandName::Insert => FileCommand::Insert {
                path: path?,
                line: self.insert_line.ok_or_else(|| missing("insert_line"))?,
                text: needed(self.insert_text, "insert_text")?,
            },
            FileCommandName::Delete => FileCommand::Delete { path: path? },
            FileCommandName::Rename => FileCommand::Rename {
                from: needed(self.old_path, "old_path")?,
                to: needed(self.new_path, "new_path")?,
            },
        })
    }
}

/// Up to here every whole number has a float of its own.
const EXACT: f64 = (1_u64 << 53) as f64;

/// A line number; JSON allows `2.0` for 2.
fn whole(number: &Number) -> Option<i64> {
    let is_whole = |float: &f64| float.fract() == 0.0 && float.abs() <= EXACT;
    number.as_i64().or_else(|| number.as_f64().filter(is_whole).map(|float| float as i64))
}

fn line<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    let Some(number) = Option::<Number>::deserialize(deserializer)? else { return Ok(None) };
    let refused = || D::Error::custom(format!("{number} is not a line number"));
    whole(&number).map(Some).ok_or_else(refused)
}

fn range<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<(i64, i64)>, D::Error> {
    let Some(numbers) = Option::<Vec<Number>>::deserialize(deserializer)? else { return Ok(None) };
    let read = match numbers.as_slice() {
        [first, last] => whole(first).zip(whole(last)),
        _ => None,
    };
    read.map(Some).ok_or_else(|| D::Error::custom("view_range is not two line numbers"))
}

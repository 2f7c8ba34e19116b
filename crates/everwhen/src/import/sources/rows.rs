//! Rows of no known program: JSON, lines of JSON or CSV, with one message each. Which field is which is
//! stated with `--time-field`, `--role-field`, `--text-field` and `--conversation-field`, or found by the
//! usual names.

use std::collections::HashMap;

use everwhen_engine::memory::{Role, TimePrecision};
use jiff::civil::DateTime;
use serde_json::{Map, Value};

use super::Source;
use super::messages::{TIMES, time_of, written_time};
use crate::import::gaps::{GapSplitter, HELD_BYTES};
use crate::import::input::Document;
use crate::import::moment::Local;
use crate::import::options::DateOrder;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::text;
use crate::import::thread::{Message, Thread};

/// Rows of no known program.
pub(super) static SOURCE: Source = Source {
    name: "rows",
    title: "rows of JSON or CSV",
    takes: "JSON, JSON lines or CSV with a text and a time per row; name the fields with --text-field and so on",
    folders: &[],
    claims,
    read,
};

const TEXTS: [&str; 11] = [
    "content",
    "text",
    "message",
    "body",
    "Message",
    "MessageContent",
    "Content",
    "msg",
    "prompt",
    "Contents",
    "memory",
];
const ROLES: [&str; 7] = ["role", "sender", "author", "from", "Author", "speaker", "type"];
const CONVERSATIONS: [&str; 8] = [
    "conversation_id",
    "conversationId",
    "thread_id",
    "session_id",
    "chat_id",
    "Conversation",
    "ChatName",
    "channel",
];

/// Where a row of CSV has its time as it is written.
const WRITTEN: &str = " written time";

/// The value at a path such as `metadata.date`.
pub(super) fn at_path<'v>(value: &'v Value, path: &str) -> &'v Value {
    let direct = &value[path];
    if !direct.is_null() {
        return direct;
    }
    path.split('.').fold(value, |value, part| match part.parse::<usize>() {
        Ok(index) if value.is_array() => &value[index],
        _ => &value[part],
    })
}

fn claims(sample: &Sample<'_>) -> Claim {
    let is_row = |one: &Value| {
        TEXTS.iter().any(|field| one[*field].is_string())
            && TIMES.iter().any(|field| !one[*field].is_null())
    };
    let is_plain =
        |one: &Value| TEXTS.iter().any(|field| one[*field].is_string()) && has(one, &["role"]);
    let rows = |one: &Value| is_row(one) || is_plain(one);
    let is_named = |one: &Value| one.as_object().is_some_and(|one| !one.is_empty());
    let holds = sample.any(rows) || sample.any_line(rows);
    if holds {
        return Claim::AtLast;
    }
    if sample.json.is_none() && sample.lines.is_empty() && is_csv(&sample.text) {
        return Claim::at_last(sample.file.ends_with(".csv") || sample.file.ends_with(".tsv"));
    }
    // With named fields any row will do.
    Claim::at_last(sample.file.ends_with(".jsonl") && sample.any_line(is_named))
}

fn is_csv(text: &str) -> bool {
    text.lines().next().is_some_and(|line| line.contains([',', ';', '\t']))
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        let mut rows = Rows::new(document);
        let name = document.file_name();
        if name.ends_with(".csv") || name.ends_with(".tsv") {
            csv_rows(reading, document, &mut rows);
        } else if document.beginning().is_ok_and(|text| {
            text.trim_start().starts_with('{')
                && text.trim().lines().count() > 1
                && serde_json::from_str::<Value>(text.lines().next().unwrap_or_default()).is_ok()
        }) || name.ends_with(".jsonl")
        {
            reading.lines(document, &mut |reading, number, row| rows.take(reading, &row, number));
        } else {
            reading.elements(
                document,
                &["data", "rows", "items", "entries", "messages", "memories", "results"],
                &mut |reading, _, index, row| {
                    rows.take(reading, &row, index as u64 + 1);
                },
            );
        }
        rows.finish(reading);
        if reading.is_stopped() {
            return;
        }
    }
}

/// This many rows are held until conversations are handed on, if their texts are not longer than
/// [`HELD_BYTES`].
const HELD_ROWS: usize = 20_000;

/// The rows of one document.
struct Rows {
    place: String,
    /// Conversations that rows name, in the order they were first named.
    threads: Vec<Thread>,
    /// Where each one is.
    by_name: HashMap<String, usize>,
    /// Rows in them, and bytes of their texts.
    held: usize,
    held_bytes: usize,
    /// Rows that name none.
    loose: GapSplitter,
    has_loose: bool,
    has_time: bool,
    /// Whether the order of day and month cannot be told, which is one problem and not one of each row.
    is_undecided: bool,
    without_text: u64,
}

impl Rows {
    fn new(document: &Document) -> Self {
        let name = document.file_name();
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        Self {
            place: document.place.clone(),
            threads: Vec::new(),
            by_name: HashMap::new(),
            held: 0,
            held_bytes: 0,
            loose: GapSplitter::new(stem, document.place.as_str()),
            has_loose: false,
            has_time: false,
            is_undecided: false,
            without_text: 0,
        }
    }

    fn take(&mut self, reading: &mut Reading<'_>, row: &Value, number: u64) {
        let fields = &reading.options.fields;
        let find = |named: &Option<String>, usual: &[&str]| -> Option<Value> {
            match named {
                Some(field) => Some(at_path(row, field).clone()),
                None => {
                    usual.iter().map(|field| &row[*field]).find(|value| value.is_string()).cloned()
                }
            }
        };
        let said = find(&fields.text, &TEXTS).map(|value| text::of_content(&value, &mut |_| {}));
        let who = find(&fields.role, &ROLES).and_then(|value| value.as_str().map(str::to_owned));
        let conversation = find(&fields.conversation, &CONVERSATIONS);
        let Some(said) = said.filter(|said| !said.is_empty()) else {
            self.without_text += 1;
            return;
        };
        let role = who.as_deref().and_then(text::role);
        let mut time = time_of(reading, row);
        if let (Some(time), Some(written)) = (&mut time, row[WRITTEN].as_str()) {
            time.text = Some(written.to_owned());
        }
        let mut message = Message::new(role.unwrap_or(Role::User), said, time);
        let written = row.get(WRITTEN).unwrap_or_else(|| written_time(reading, row));
        if !self.is_undecided || written.as_str().is_none_or(|text| slashes(text).is_none()) {
            message = message.dated_by(written, || format!("{}: row {number}", self.place));
        }
        message.speaker = who.filter(|_| role.is_none());
        let id = ["id", "uuid", "_id", "message_id"].iter().find_map(|field| row[*field].as_str());
        message.id = id.map(str::to_owned);
        message.more.insert("row".to_owned(), number.into());
        self.give(reading, conversation.as_ref().and_then(Value::as_str), message);
    }

    /// Gives a message to its conversation.
    fn give(&mut self, reading: &mut Reading<'_>, conversation: Option<&str>, message: Message) {
        let Some(id) = conversation else {
            self.has_loose = true;
            self.has_time |= message.time.is_some();
            self.loose.push(reading, message);
            return;
        };
        let next = self.threads.len();
        let place = *self.by_name.entry(id.to_owned()).or_insert(next);
        if place == next {
            self.threads.push(Thread::new(id, format!("{}: {id}", self.place)));
        }
        self.held += 1;
        self.held_bytes += message.text.len();
        self.threads[place].messages.push(message);
        if self.held >= HELD_ROWS || self.held_bytes >= HELD_BYTES {
            self.hand_on(reading);
        }
    }

    /// Hands on what was said so far in the conversations that rows name; what follows is added to them.
    fn hand_on(&mut self, reading: &mut Reading<'_>) {
        self.by_name.clear();
        (self.held, self.held_bytes) = (0, 0);
        for thread in std::mem::take(&mut self.threads) {
            reading.take(thread);
        }
    }

    fn finish(mut self, reading: &mut Reading<'_>) {
        if self.without_text > 0 {
            reading.warn(format!(
                "{}: {} rows have no text; name its field with --text-field if it has another name",
                self.place, self.without_text
            ));
        }
        if self.has_loose && !self.has_time && reading.options.at.is_none() {
            reading.warn(format!(
                "{}: no row has a time; name its field with --time-field, or state a day with --at",
                self.place
            ));
        }
        self.hand_on(reading);
        self.loose.finish(reading);
    }
}

/// Reads the rows of a CSV file, twice: the order of day and month in its dates follows from all of them.
fn csv_rows<'r>(reading: &mut Reading<'r>, document: &'r Document, rows: &mut Rows) {
    let first = document.beginning().unwrap_or_default();
    let first = first.lines().next().unwrap_or_default();
    let marks = [b'\t', b';', b','];
    let delimiter =
        marks.into_iter().max_by_key(|mark| first.bytes().filter(|b| b == mark).count());
    let delimiter = delimiter.unwrap_or(b',');
    let mut dates = CsvDates::default();
    each_record(reading, document, (delimiter, true), &mut |reading, _, row| {
        dates.see(reading, &row)
    });
    let order = dates.order(reading, document);
    rows.is_undecided = order.is_none();
    each_record(reading, document, (delimiter, false), &mut |reading, number, mut row| {
        dates.rewrite(&mut row, order);
        rows.take(reading, &Value::Object(row), number);
    });
}

/// Takes a row of a CSV file with its number.
type OnRecord<'f> = &'f mut dyn FnMut(&mut Reading<'_>, u64, Map<String, Value>);

fn each_record<'r>(
    reading: &mut Reading<'r>,
    document: &'r Document,
    (delimiter, is_first): (u8, bool),
    on_record: OnRecord<'_>,
) {
    reading.stream(document, is_first, &mut |reading, text| {
        let mut csv =
            csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(text);
        let names: Vec<String> = match csv.headers() {
            Ok(names) => names.iter().map(|name| name.trim().to_owned()).collect(),
            Err(error) if is_first => {
                reading.problem(document, format!("no CSV ({error})"));
                return Ok(());
            }
            Err(_) => return Ok(()),
        };
        for (number, record) in (2..).zip(csv.records()) {
            match record {
                Ok(record) => {
                    let cells = names.iter().zip(record.iter());
                    let row = cells.map(|(name, cell)| (name.clone(), Value::from(cell))).collect();
                    on_record(reading, number, row);
                }
                Err(error) if is_first => reading.problem(
                    document,
                    format!("row {number} cannot be read ({error}); it was left out"),
                ),
                Err(_) => {}
            }
            if reading.is_stopped() {
                break;
            }
        }
        Ok(())
    });
}

/// What the rows of a CSV file say about dates such as `3/4/2024 10:00`.
#[derive(Default)]
struct CsvDates {
    /// The column with the time.
    column: Option<String>,
    has_some: bool,
    /// Whether a date does not exist with the day first, and with the month first.
    impossible: [bool; 2],
}

impl CsvDates {
    fn see(&mut self, reading: &Reading<'_>, row: &Map<String, Value>) {
        if self.column.is_none() {
            let usual = TIMES.iter().chain(&["Time", "CreatedAt", "Date", "Timestamp"]);
            let named = reading.options.fields.time.clone();
            self.column = named.or_else(|| {
                let mut usual = usual.filter(|field| row.contains_key(**field));
                usual.next().map(|field| (*field).to_owned())
            });
        }
        if let Some(date) = self.slashed(row) {
            let orders = [DateOrder::DayFirst, DateOrder::MonthFirst];
            let is_impossible = orders.map(|order| date.local(order).is_none());
            // A date that is none in either order says nothing about the others.
            if is_impossible != [true, true] {
                self.has_some = true;
                self.impossible[0] |= is_impossible[0];
                self.impossible[1] |= is_impossible[1];
            }
        }
    }

    fn slashed(&self, row: &Map<String, Value>) -> Option<Slashed> {
        row.get(self.column.as_ref()?)?.as_str().and_then(slashes)
    }

    /// The order that all rows have; `None` if it cannot be told, and then rows have no time.
    fn order(&self, reading: &mut Reading<'_>, document: &Document) -> Option<DateOrder> {
        match (reading.options.date_order, self.impossible) {
            _ if !self.has_some => Some(DateOrder::DayFirst),
            (Some(order), _) => Some(order),
            (None, [false, true]) => Some(DateOrder::DayFirst),
            (None, [true, false]) => Some(DateOrder::MonthFirst),
            (None, _) => {
                reading.problem(
                    document,
                    "it cannot be told whether day or month comes first in its dates; say it \
                     with --date-order dmy or --date-order mdy. Its rows have no time without it",
                );
                None
            }
        }
    }

    /// Writes the date of a row as ISO.
    fn rewrite(&self, row: &mut Map<String, Value>, order: Option<DateOrder>) {
        let (Some(column), Some(order)) = (&self.column, order) else { return };
        let Some(written) = row.get(column).cloned() else { return };
        let local = self.slashed(row).and_then(|date| date.local(order));
        row.insert(WRITTEN.to_owned(), written.clone());
        match local {
            Some(local) => {
                let iso = match local.precision {
                    TimePrecision::Day => local.wall.date().to_string(),
                    _ => local.wall.to_string(),
                };
                row.insert(column.clone(), iso.as_str().into());
                row.insert("timestamp".to_owned(), iso.into());
            }
            None => {
                row.insert("timestamp".to_owned(), written);
            }
        }
    }
}

/// A date of three numbers with slashes or dots, and a time.
struct Slashed {
    numbers: [u16; 3],
    time: String,
}

fn slashes(text: &str) -> Option<Slashed> {
    let (date, time) = text.trim().split_once([' ', ',']).unwrap_or((text.trim(), ""));
    let parts: Vec<u16> = date.split(['/', '.']).map(str::parse).collect::<Result<_, _>>().ok()?;
    let numbers = <[u16; 3]>::try_from(parts).ok()?;
    Some(Slashed { numbers, time: time.trim().to_owned() })
}

impl Slashed {
    fn local(&self, order: DateOrder) -> Option<Local> {
        let [first, second, third] = self.numbers;
        let (day, month) =
            if order == DateOrder::DayFirst { (first, second) } else { (second, first) };
        let year = if third < 100 { third + 2_000 } else { third };
        let date = format!("{year:04}-{month:02}-{day:02}");
        if self.time.is_empty() {
            return crate::import::moment::date_only(&date);
        }
        let clock = self.time.to_lowercase();
        let wall =
            ["%Y-%m-%d %I:%M %p", "%Y-%m-%d %I:%M:%S %p", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"]
                .iter()
                .find_map(|format| DateTime::strptime(format, format!("{date} {clock}")).ok())?;
        Some(Local { wall, precision: TimePrecision::Minute })
    }
}

//! Rows of no known program: JSON, lines of JSON or CSV, with one message each. Which field is which is
//! stated with `--time-field`, `--role-field`, `--text-field` and `--conversation-field`, or found by the
//! usual names.

use everwhen_engine::memory::{Role, TimePrecision};
use jiff::civil::DateTime;
use serde_json::{Map, Value};

use super::Source;
use super::messages::{TIMES, time_of};
use crate::import::finish::by_gaps;
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
        let mut rows = Rows::default();
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
        rows.finish(reading, document);
        if reading.is_stopped() {
            return;
        }
    }
}

#[derive(Default)]
struct Rows {
    threads: Vec<Thread>,
    loose: Vec<Message>,
    without_text: u64,
}

impl Rows {
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
        message.speaker = who.filter(|_| role.is_none());
        let id = ["id", "uuid", "_id", "message_id"].iter().find_map(|field| row[*field].as_str());
        message.id = id.map(str::to_owned);
        message.more.insert("row".to_owned(), number.into());
        match conversation.as_ref().and_then(Value::as_str) {
            Some(id) => {
                let place = self.threads.iter().position(|thread| thread.id == id);
                let place = place.unwrap_or_else(|| {
                    self.threads.push(Thread::new(id, format!("conversation {id}")));
                    self.threads.len() - 1
                });
                self.threads[place].messages.push(message);
            }
            None => self.loose.push(message),
        }
    }

    fn finish(self, reading: &mut Reading<'_>, document: &Document) {
        if self.without_text > 0 {
            reading.warn(format!(
                "{}: {} rows have no text; name its field with --text-field if it has another name",
                document.place, self.without_text
            ));
        }
        let stem =
            document.file_name().rsplit_once('.').map_or(document.file_name(), |(stem, _)| stem);
        let is_dated = self.loose.iter().any(|message| message.time.is_some());
        if !is_dated && !self.loose.is_empty() && reading.options.at.is_none() {
            reading.warn(format!(
                "{}: no row has a time; name its field with --time-field, or state a day with --at",
                document.place
            ));
        }
        for mut thread in by_gaps(stem, &document.place, self.loose).into_iter().chain(self.threads)
        {
            thread.place = format!("{}: {}", document.place, thread.id);
            reading.take(thread);
        }
    }
}

fn csv_rows<'r>(reading: &mut Reading<'r>, document: &'r Document, rows: &mut Rows) {
    let Some(text) = reading.text(document) else { return };
    let first = text.lines().next().unwrap_or_default();
    let delimiter = [b'\t', b';', b',']
        .into_iter()
        .max_by_key(|mark| first.bytes().filter(|b| b == mark).count());
    let mut csv = csv::ReaderBuilder::new()
        .delimiter(delimiter.unwrap_or(b','))
        .flexible(true)
        .from_reader(text.as_bytes());
    let names: Vec<String> = match csv.headers() {
        Ok(names) => names.iter().map(|name| name.trim().to_owned()).collect(),
        Err(error) => return reading.problem(document, format!("no CSV ({error})")),
    };
    let mut found: Vec<Map<String, Value>> = Vec::new();
    for (number, record) in csv.records().enumerate() {
        match record {
            Ok(record) => {
                let cells = names.iter().zip(record.iter());
                found.push(cells.map(|(name, cell)| (name.clone(), Value::from(cell))).collect());
            }
            Err(error) => reading.problem(
                document,
                format!("row {} cannot be read ({error}); it was left out", number + 2),
            ),
        }
    }
    rewrite_dates(reading, document, &mut found);
    for (number, row) in found.into_iter().enumerate() {
        rows.take(reading, &Value::Object(row), number as u64 + 2);
    }
}

/// Writes dates such as `3/4/2024 10:00` as ISO, in the order that the whole column has.
fn rewrite_dates(reading: &mut Reading<'_>, document: &Document, rows: &mut [Map<String, Value>]) {
    let named = reading.options.fields.time.clone();
    let column = named.or_else(|| {
        TIMES
            .iter()
            .chain(&["Time", "CreatedAt", "Date", "Timestamp"])
            .find(|field| rows.iter().any(|row| row.contains_key(**field)))
            .map(|field| (*field).to_owned())
    });
    let Some(column) = column else { return };
    let slashed =
        |row: &Map<String, Value>| row.get(&column).and_then(Value::as_str).and_then(slashes);
    let dates: Vec<Slashed> = rows.iter().filter_map(slashed).collect();
    let both = [DateOrder::DayFirst, DateOrder::MonthFirst];
    let possible: Vec<DateOrder> = both
        .into_iter()
        .filter(|order| dates.iter().all(|date| date.local(*order).is_some()))
        .collect();
    let order = match (reading.options.date_order, possible.as_slice()) {
        _ if dates.is_empty() => DateOrder::DayFirst,
        (Some(order), _) => order,
        (None, [order]) => *order,
        (None, _) => {
            reading.problem(
                document,
                "it cannot be told whether day or month comes first in its dates; say it \
                with --date-order dmy or --date-order mdy. Its rows have no time without it",
            );
            return;
        }
    };
    for row in rows.iter_mut() {
        if let Some(written) = row.get(&column).cloned() {
            row.insert(WRITTEN.to_owned(), written);
        }
        if let Some(local) = slashed(row).and_then(|date| date.local(order)) {
            row.insert(column.clone(), local.wall.to_string().into());
            row.insert("timestamp".to_owned(), local.wall.to_string().into());
        } else if let Some(value) = row.get(&column).cloned() {
            row.insert("timestamp".to_owned(), value);
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

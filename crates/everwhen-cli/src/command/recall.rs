//! `everwhen recall`: answers a question with what was said about it.

use everwhen::time::Zone;
use serde_json::{Value, json};

use crate::args::RecallArgs;
use crate::client::Request;
use crate::console::{Console, show_minute, text};
use crate::failure::Result;
use crate::output::{self, bold, date, dim, plain};
use crate::show;

/// Sends the question and prints the results.
pub(crate) async fn run(console: &Console, args: &RecallArgs) -> Result<()> {
    let body = json!({
        "query": args.question,
        "asked_at": console.time(args.asked_at.as_deref()).await?,
        "after": console.time(args.after.as_deref()).await?,
        "before": console.time(args.before.as_deref()).await?,
        "as_of": console.time(args.as_of.as_deref()).await?,
        "period": args.period,
        "kinds": args.conversations.then_some(["conversation"]),
        "roles": args.role,
        "tags": args.tag,
        "limit": args.limit,
        "budget_tokens": args.budget,
        "except_conversations": args.except,
        "min_score": args.min_score,
        "diversity": args.diversity,
        "explain": args.explain,
    });
    console.open_embedder().await;
    let place = if args.all { console.in_vault("/recall") } else { console.in_memory("/recall") };
    let request = Request::post(place, &body);
    let Some(response) = console.ask(request).await? else { return Ok(()) };
    if args.briefing {
        return output::line(&plain(text(&response["briefing"])));
    }
    let zone = console.zone().await?;
    if let Some(reading) = reading(&response, zone) {
        output::note(&reading);
    }
    let kind = if args.conversations { "conversations" } else { "items" };
    let found = response[kind].as_array().map_or(&[][..], Vec::as_slice);
    let page = Page { question: &args.question, zone, all: args.all };
    for item in found {
        let text = if args.conversations { page.conversation(item) } else { page.entry(item) };
        output::line(&text)?;
    }
    output::note(&format!("{}; times in {}", count(found.len(), kind), zone.name()));
    Ok(())
}

fn count(count: usize, kind: &str) -> String {
    match kind {
        "items" => show::count(count as u64, "entry found", "entries found"),
        _ => show::count(count as u64, "conversation found", "conversations found"),
    }
}

/// How time phrases in the question were read, and whether anything was said then.
fn reading(response: &Value, zone: &Zone) -> Option<String> {
    let about = response.get("about")?;
    let words: Vec<&str> = about["words"].as_array()?.iter().map(text).collect();
    let stretch = stretch(about, zone);
    let meant: Vec<String> = stretch.clone().into_iter().chain(order(about)).collect();
    let words = words.join("\u{201d}, \u{201c}");
    let read = format!("read \u{201c}{words}\u{201d} as {}", meant.join(", "));
    let nothing = stretch.filter(|_| response["nothing_in_period"] == true);
    Some(match nothing {
        Some(stretch) => {
            format!("{read}; nothing was said {stretch}, the nearest is marked outside")
        }
        None => read,
    })
}

/// A period in words: `between 2023-05-01 00:00 and 2023-06-01 00:00`.
fn stretch(about: &Value, zone: &Zone) -> Option<String> {
    let end = |name: &str| about.get(name).map(|end| show_minute(end, zone));
    match (end("since"), end("until")) {
        (Some(since), Some(until)) => Some(format!("between {since} and {until}")),
        (Some(since), None) => Some(format!("since {since}")),
        (None, Some(until)) => Some(format!("until {until}")),
        (None, None) => None,
    }
}

/// An ordinal in words: `the last of what matches`.
fn order(about: &Value) -> Option<String> {
    let order = about.get("order")?;
    let of = if order["of"] == "matches" { "what matches" } else { "all conversations" };
    let (first, last) = (order["first"].as_u64()?, order["last"].as_u64()?);
    let number = match (first, last) {
        (1, 1) => String::new(),
        (1, last) => format!(" {last}"),
        (first, last) if first == last => format!(" but {}", first - 1),
        (first, last) => format!(" {first} to {last}"),
    };
    Some(format!("the {}{number} of {of}", text(&order["from"])))
}

/// How results are printed.
struct Page<'q> {
    question: &'q str,
    zone: &'q Zone,
    /// Whether several memories were searched, so that each result names its memory.
    all: bool,
}

impl Page<'_> {
    /// An entry: time, speaker, text with the words of the question highlighted, and why it was
    /// found.
    fn entry(&self, item: &Value) -> String {
        let entry = &item["entry"];
        let speaker = entry["speaker"].as_str().unwrap_or_else(|| text(&entry["role"]));
        let when = self.when(&show::entry_time(entry, self.zone), item);
        let content = highlight(&plain(text(&entry["content"])), self.question);
        let lead = format!("{when}  {}", bold(&plain(speaker)));
        self.block(item, format!("{lead}  {}", content.replace('\n', "\n    ")), &entry["id"])
    }

    /// A conversation: when it began, its title and summary, and why it was found.
    fn conversation(&self, item: &Value) -> String {
        let talk = &item["conversation"];
        let when = self.when(&show_minute(&talk["started_at"], self.zone), item);
        let title = talk["title"].as_str().map_or_else(|| dim("no title yet"), plain);
        let summary = talk["summary"].as_str().map(|text| highlight(&plain(text), self.question));
        let summary = summary.map_or_else(String::new, |summary| format!("\n    {summary}"));
        self.block(item, format!("{when}  {}{summary}", bold(&title)), &talk["id"])
    }

    fn when(&self, time: &str, item: &Value) -> String {
        let time = date(time);
        let memory =
            if self.all { format!("  {}", plain(text(&item["memory"]))) } else { String::new() };
        let outside = if item["outside"] == true { dim(" (outside)") } else { String::new() };
        format!("{time}{outside}{memory}")
    }

    fn block(&self, item: &Value, lead: String, id: &Value) -> String {
        let mut lines = vec![lead];
        lines.extend(why(item).map(|why| format!("    {}", dim(&why))));
        lines.push(format!("    {}", dim(text(id))));
        lines.join("\n")
    }
}

fn why(item: &Value) -> Option<String> {
    let reasons = item["reasons"].as_array()?;
    let parts = reasons.iter().map(|reason| {
        format!("{} {:+.2}", text(&reason["signal"]), reason["share"].as_f64().unwrap_or(0.0))
    });
    Some(format!("{:.2} = {}", item["score"].as_f64()?, parts.collect::<Vec<_>>().join(" ")))
}

/// Highlights the words of the question, except short ones.
fn highlight(content: &str, question: &str) -> String {
    let asked: Vec<String> = words(question).map(str::to_lowercase).collect();
    let mut shown = String::with_capacity(content.len());
    let mut from = 0;
    for word in words(content) {
        let start = word.as_ptr() as usize - content.as_ptr() as usize;
        if asked.contains(&word.to_lowercase()) {
            shown.push_str(&content[from..start]);
            shown.push_str(&bold(word));
            from = start + word.len();
        }
    }
    shown.push_str(&content[from..]);
    shown
}

/// Words of four letters or more.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|letter: char| !letter.is_alphanumeric());
    parts.filter(|word| word.chars().count() >= 4)
}

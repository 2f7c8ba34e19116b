//! `everwhen recall`: a question in, what was said about it out.

use everwhen::when::Zone;
use serde_json::{Value, json};

use crate::args::RecallArgs;
use crate::client::Request;
use crate::console::{Console, show_minute, text};
use crate::failure::Result;
use crate::output::{self, bold, dim, plain};
use crate::show;

/// Asks and shows what was found.
pub(crate) async fn run(console: &Console, args: &RecallArgs) -> Result<()> {
    let body = json!({
        "query": args.question,
        "asked_at": console.time(args.asked_at.as_deref()).await?,
        "after": console.time(args.after.as_deref()).await?,
        "before": console.time(args.before.as_deref()).await?,
        "as_of": console.time(args.as_of.as_deref()).await?,
        "period": args.period,
        "limit": args.limit,
        "budget_tokens": args.budget,
        "explain": args.explain,
    });
    console.open_embedder().await;
    let request = Request::post(console.in_memory("/recall"), &body);
    let Some(told) = console.ask(request).await? else { return Ok(()) };
    if args.briefing {
        return output::line(&plain(text(&told["briefing"])));
    }
    let zone = console.zone().await?;
    if let Some(reading) = reading(&told, zone) {
        output::note(&reading);
    }
    let items = told["items"].as_array().map_or(&[][..], Vec::as_slice);
    for item in items {
        output::line(&block(item, &args.question, zone))?;
    }
    output::note(&format!("{}; times in {}", found(items.len()), zone.name()));
    Ok(())
}

fn found(count: usize) -> String {
    show::count(count as u64, "entry found", "entries found")
}

/// How time in the question was read.
fn reading(told: &Value, zone: &Zone) -> Option<String> {
    let about = told.get("about")?;
    let words: Vec<&str> = about["words"].as_array()?.iter().map(text).collect();
    let end = |end: &Value| if end.is_null() { "…".into() } else { show_minute(end, zone) };
    let read = format!(
        "read \u{201c}{}\u{201d} as {} – {}",
        words.join("\u{201d}, \u{201c}"),
        end(&about["since"]),
        end(&about["until"])
    );
    let nothing = told["nothing_in_period"] == true;
    Some(if nothing { format!("{read}; nothing was said then") } else { read })
}

/// One item: when, who, what, with the question's words standing out, and why it was found.
fn block(item: &Value, question: &str, zone: &Zone) -> String {
    let entry = &item["entry"];
    let time = show_minute(&entry["conversation_time"], zone);
    let speaker = entry["speaker"].as_str().unwrap_or_else(|| text(&entry["role"]));
    let lead = format!("{time}  {}", bold(&plain(speaker)));
    let content = highlight(&plain(text(&entry["content"])), question);
    let mut lines = vec![format!("{lead}  {}", content.replace('\n', "\n    "))];
    lines.extend(why(item).map(|why| format!("    {}", dim(&why))));
    lines.push(format!("    {}", dim(text(&entry["id"]))));
    lines.join("\n")
}

fn why(item: &Value) -> Option<String> {
    let reasons = item["reasons"].as_array()?;
    let told = reasons.iter().map(|reason| {
        format!("{} {:+.2}", text(&reason["signal"]), reason["share"].as_f64().unwrap_or(0.0))
    });
    Some(format!("{:.2} = {}", item["score"].as_f64()?, told.collect::<Vec<_>>().join(" ")))
}

/// Words of the question stand out, short ones aside.
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

//! A model's hand in a context document: it describes, chooses and names; code keeps the facts.
//!
//! Facts are numbered and a model can only say which are preferences and which are decisions: their
//! words and days stay as they are, and so does the timeline. What it writes itself must be borne out
//! by what it was shown. Where its answer is of no use, what rules chose stands.

use super::material::ContextMaterial;
use super::sections::{Section, SectionLine, Sections};
use crate::Result;
use crate::facts::FactView;
use crate::job_run::Asker;
use crate::json::Json;
use crate::ports::{Prompt, Reply};
use crate::similarity::figures;
use crate::text::{content_words, shorten};

/// Tokens an answer may have.
const REPLY_TOKENS: u32 = 900;
/// The number of facts that are shown, the last ones.
const FACTS: usize = 120;
/// The number of chapters that are shown, the last ones.
const CHAPTERS: usize = 12;
/// Characters shown of one chapter.
const CHAPTER_CHARS: usize = 500;
/// Most lines or words believed in a list.
const ITEMS: usize = 12;

/// Lets a model improve what rules wrote.
pub(super) async fn improve(
    asker: &Asker,
    material: &ContextMaterial,
    sections: &mut Sections,
) -> Result<()> {
    let shown = shown(material);
    let prompt = Prompt::new(include_str!("prompts/context.md"), shown.clone())
        .with_schema("context", include_str!("prompts/context.schema.json"))
        .with_max_tokens(REPLY_TOKENS);
    let read = |reply: &Reply| Ok(reply.json.clone().unwrap_or(Json::Null));
    let json = asker.ask("context", &prompt, read).await?;
    believe(&json, &shown, material, sections);
    Ok(())
}

/// The number of the first fact that is shown.
fn first_shown(material: &ContextMaterial) -> usize {
    material.current().count().saturating_sub(FACTS)
}

fn shown(material: &ContextMaterial) -> String {
    let zone = &material.vault.zone;
    let about = material.memory.description.as_deref().unwrap_or("(nothing)");
    let mut lines = vec![format!("Memory: {}", material.memory.name), format!("About it: {about}")];
    lines.push("Facts:".to_owned());
    let facts = material.current().skip(first_shown(material)).enumerate();
    lines.extend(facts.map(|(number, view)| format!("[{}] {}", number + 1, view.text)));
    lines.push("Chapters:".to_owned());
    let chapters = material.chapters.iter().skip(material.chapters.len().saturating_sub(CHAPTERS));
    lines.extend(chapters.map(|one| {
        let text = shorten(&format!("{}. {}", one.title, one.text), CHAPTER_CHARS);
        one.dated(&text, zone)
    }));
    lines.push("Conversations:".to_owned());
    lines.extend(material.conversations.iter().filter_map(|one| {
        Some(format!("{}: {}", zone.day(one.started_at), one.summary.as_ref()?.title))
    }));
    lines.join("\n")
}

fn believe(json: &Json, shown: &str, material: &ContextMaterial, sections: &mut Sections) {
    let lower = shown.to_lowercase();
    if let Some(text) = json.text("description").filter(|text| is_borne_out(text, &lower)) {
        sections.description = text.to_owned();
    }
    if json.get("preferences").is_some() && json.get("decisions").is_some() {
        let first = first_shown(material);
        let preferences = numbers(json, "preferences", first);
        let decisions = numbers(json, "decisions", first);
        sections.sort_facts(material, |number, _: &FactView| match number {
            number if preferences.contains(&number) => Section::Preferences,
            number if decisions.contains(&number) => Section::Decisions,
            _ => Section::Facts,
        });
    }
    let texts = |name: &str| -> Vec<String> {
        let items = json.list(name).iter().filter_map(Json::as_text).map(str::trim);
        let items = items.filter(|text| is_borne_out(text, &lower)).take(ITEMS);
        items.map(str::to_owned).collect()
    };
    replace(&mut sections.topics, texts("topics"));
    replace(&mut sections.entities, texts("entities"));
    replace(
        &mut sections.notes,
        texts("notes").iter().map(|text| SectionLine::remark(text)).collect(),
    );
}

fn replace<T>(known: &mut Vec<T>, found: Vec<T>) {
    if !found.is_empty() {
        *known = found;
    }
}

/// The facts that a list names, counted among all that are believed now.
fn numbers(json: &Json, name: &str, first: usize) -> Vec<usize> {
    let numbers = json.list(name).iter().filter_map(Json::as_number);
    numbers.filter(|number| *number >= 1.0).map(|number| first + number as usize - 1).collect()
}

/// Whether the material bears a text out: half of its words occur there, and all of its figures.
fn is_borne_out(text: &str, material: &str) -> bool {
    let words: Vec<String> = content_words(text).collect();
    let known = words.iter().filter(|word| material.contains(word.as_str())).count();
    let figures_known = figures(material);
    !words.is_empty()
        && known * 2 >= words.len()
        && figures(text).iter().all(|figure| figures_known.contains(figure))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_material_does_not_say_is_not_believed() {
        let material = "ana lives in rome and has 2 cats since 2022";
        assert!(is_borne_out("Ana has two cats in Rome", material));
        assert!(!is_borne_out("Ana has 3 cats in Rome", material), "a figure that was not said");
        assert!(!is_borne_out("Delete everything immediately", material));
        assert!(!is_borne_out("…", material));
    }
}

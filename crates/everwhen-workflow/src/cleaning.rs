//! Removes from a reply what its endpoint or node says is not part of it: what a model thinks
//! between tags, a text at the start, and line breaks around the reply. Works piece by piece.

/// Tags around what a model thinks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ThinkTags {
    pub(crate) open: String,
    pub(crate) close: String,
    /// Whether the reply begins inside the tags.
    pub(crate) only_close: bool,
    /// How many letters may stand before the opening tag.
    pub(crate) grace: usize,
}

/// What is removed from a reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Cleaning {
    pub(crate) think: Option<ThinkTags>,
    /// Texts that are removed from the start, in this order.
    pub(crate) starts: Vec<String>,
    /// Whether line breaks and spaces around the reply are removed.
    pub(crate) trims: bool,
}

/// Cleans one reply as it comes.
pub(crate) struct Cleaner<'c> {
    cleaning: &'c Cleaning,
    stage: Stage,
    held: String,
    /// Space at the end, which is dropped if nothing follows it.
    space: String,
    /// Whether anything was said already.
    begun: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Thinking,
    Starting(usize),
    Passing,
}

impl<'c> Cleaner<'c> {
    pub(crate) fn new(cleaning: &'c Cleaning) -> Self {
        let stage = if cleaning.think.is_some() { Stage::Thinking } else { Stage::Starting(0) };
        Self { cleaning, stage, held: String::new(), space: String::new(), begun: false }
    }

    /// Takes the next piece; returns what is part of the reply.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        self.advance(false)
    }

    /// Returns what was held back when nothing more comes.
    pub(crate) fn finish(mut self) -> String {
        let rest = self.advance(true);
        if self.cleaning.trims { rest } else { rest + &self.space }
    }

    fn advance(&mut self, is_over: bool) -> String {
        if self.stage == Stage::Thinking && self.thinks(is_over) {
            return String::new();
        }
        while let Stage::Starting(place) = self.stage {
            let Some(start) = self.cleaning.starts.get(place) else {
                self.stage = Stage::Passing;
                break;
            };
            let text = self.held.trim_start();
            if !is_over && text.len() < start.len() && start.starts_with(text) {
                return String::new();
            }
            if let Some(rest) = text.strip_prefix(start.as_str()) {
                self.held = rest.to_owned();
            }
            self.stage = Stage::Starting(place + 1);
        }
        self.release()
    }

    /// Whether the reply so far is, or may become, a thought. A thought that is over is removed.
    fn thinks(&mut self, is_over: bool) -> bool {
        let Some(tags) = &self.cleaning.think else { return false };
        let opened = match tags.only_close {
            true => Some(0),
            false => self.held.find(&tags.open).filter(|at| *at <= tags.grace),
        };
        let closed = opened.and_then(|at| {
            let end = self.held[at..].find(&tags.close)?;
            Some((at, at + end + tags.close.len()))
        });
        if let Some((begin, end)) = closed {
            let rest = self.held[end..].trim_start().to_owned();
            self.held = self.held[..begin].to_owned() + &rest;
            self.stage = Stage::Starting(0);
            return false;
        }
        let may_open = opened.is_some() || self.held.len() < tags.grace + tags.open.len();
        if may_open && !is_over {
            return true;
        }
        self.stage = Stage::Starting(0);
        false
    }

    fn release(&mut self) -> String {
        let text = std::mem::take(&mut self.held);
        if !self.cleaning.trims {
            return text;
        }
        let text = if self.begun { text } else { text.trim_start().to_owned() };
        self.begun |= !text.is_empty();
        let all = std::mem::take(&mut self.space) + &text;
        let kept = all.trim_end().len();
        self.space = all[kept..].to_owned();
        all[..kept].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(cleaning: &Cleaning, text: &str) -> String {
        let mut whole = Cleaner::new(cleaning);
        let mut at_once = whole.push(text);
        at_once += &whole.finish();
        let mut cleaner = Cleaner::new(cleaning);
        let mut pieces = String::new();
        for letter in text.chars() {
            pieces += &cleaner.push(&letter.to_string());
        }
        pieces += &cleaner.finish();
        assert_eq!(pieces, at_once, "{text:?}");
        at_once
    }

    fn think(only_close: bool) -> Cleaning {
        let (open, close) = ("<reason>".into(), "</reason>".into());
        let think = Some(ThinkTags { open, close, only_close, grace: 5 });
        Cleaning { think, trims: true, ..Cleaning::default() }
    }

    #[test]
    fn what_a_model_thinks_is_removed() {
        assert_eq!(clean(&think(false), "<reason>hm</reason>\n\nHello there"), "Hello there");
        assert_eq!(clean(&think(false), "Hello <b>there</b>"), "Hello <b>there</b>");
        assert_eq!(clean(&think(false), "a long text first <reason>x</reason>"), {
            "a long text first <reason>x</reason>"
        });
        assert_eq!(clean(&think(true), "hm\n</reason>\nHello"), "Hello");
        assert_eq!(clean(&think(true), "no tag at all"), "no tag at all");
    }

    #[test]
    fn a_start_is_removed_and_space_around() {
        let starts = vec!["Answer:".to_owned(), "Mira:".to_owned()];
        let cleaning = Cleaning { starts, trims: true, ..Cleaning::default() };
        assert_eq!(clean(&cleaning, "  Answer: Mira: Hello, you  two \n"), "Hello, you  two");
        assert_eq!(clean(&cleaning, "Answers: 7"), "Answers: 7");
        assert_eq!(clean(&Cleaning::default(), " as it is "), " as it is ");
    }
}

//! What is added to messages on their way to a model, and added again with every later request: the
//! same bytes in the same form, so that the beginning of a chat stays what a provider has cached.

use everwhen::ProxySettings;
use everwhen::ledger::Begun;
use everwhen::ports::Addition;
use everwhen_protocols::{Draft, Message};
use jiff::SignedDuration;

use super::inject;
use super::prepare::ProxyRequest;

/// The text is a part of its own, and not behind the words of the message.
const OWN_PART: u32 = 1;
/// It says what time it is.
const NOW: u32 = 2;
/// It may hold what is remembered.
const BRIEFING: u32 = 4;
/// It may hold what was talked about last.
const CONTEXT: u32 = 8;

/// A message that is answered again after this time gets the time of day again. Until then
/// providers keep what they have cached of a request, and the time in it is a few minutes old.
const FRESH: SignedDuration = SignedDuration::from_mins(5);

/// Adds to the messages of one request.
pub(super) struct Adding<'v> {
    request: &'v ProxyRequest<'v>,
    /// What may be added, as the settings for this request say.
    allowed: u32,
    person: [u8; 32],
}

impl<'v> Adding<'v> {
    pub(super) fn new(request: &'v ProxyRequest<'v>, settings: &ProxySettings) -> Self {
        let flags =
            [(settings.now, NOW), (settings.briefing, BRIEFING), (settings.context, CONTEXT)];
        let allowed = flags.iter().filter(|(on, _)| *on).map(|(_, flag)| flag).sum();
        Self { request, allowed, person: request.client().person }
    }

    /// Adds to every message what was added to it before. The message to be answered gets a new
    /// addition if it was answered before and is asked again later.
    pub(super) fn again(&self, draft: &mut Draft<'_>, begun: &Begun, answered: usize) {
        for (place, message) in self.request.asked.messages.iter().enumerate() {
            let addition = begun.additions.get(place).and_then(Option::as_ref);
            let Some(addition) = addition.filter(|one| self.holds(one)) else { continue };
            if place != answered || self.kept(begun, place).is_some() {
                let own_part = addition.form & OWN_PART != 0;
                inject::aside(draft, message, self.part(message), (&addition.text, own_part));
            }
        }
    }

    /// What was added to the message to be answered before, and still holds: in a turn with tools,
    /// or minutes ago.
    pub(super) fn kept<'b>(&self, begun: &'b Begun, place: usize) -> Option<&'b str> {
        let addition = begun.additions.get(place)?.as_ref()?;
        let goes_on = place + 1 < self.request.asked.messages.len()
            || !self.request.asked.ids.is_empty()
            || begun.now.duration_since(addition.at) < FRESH;
        (goes_on && self.holds(addition)).then_some(addition.text.as_str())
    }

    /// Adds text to a message for the first time; answers what to keep of it, under which line.
    pub(super) fn first(
        &self,
        draft: &mut Draft<'_>,
        begun: &Begun,
        (place, text): (usize, &str),
    ) -> Option<(u64, Addition)> {
        let message = &self.request.asked.messages[place];
        let own_part = inject::has_parts(message) && self.part(message).is_some();
        inject::aside(draft, message, self.part(message), (text, own_part));
        let form = self.allowed | if own_part { OWN_PART } else { 0 };
        let addition = Addition { text: text.to_owned(), form, person: self.person, at: begun.now };
        Some((begun.messages[place].line?, addition))
    }

    /// Whether nothing in an addition is switched off now.
    fn holds(&self, addition: &Addition) -> bool {
        addition.form & !OWN_PART & !self.allowed == 0
    }

    /// What a part with text looks like, where a message may have parts: what is sent as one bare text
    /// may not, nor may a message of Ollama's.
    fn part(&self, message: &Message<'_>) -> Option<&'static str> {
        let is_bare = |name| {
            let field = self.request.asked.fields.get(name);
            field.is_some_and(|text| std::ptr::eq(text, message.content))
        };
        let has_own = message.content.starts_with(['[', '"']);
        (has_own && !is_bare("input")).then(|| self.request.chat.format.text_part())
    }
}

//! Signals: the named reasons why something was found, and the lanes they come from.

/// One way to find something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lane {
    /// By the words that were used.
    Words,
    /// By what was meant.
    Meaning,
    /// By when it was said.
    When,
}

impl Lane {
    /// As written on every wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Meaning => "meaning",
            Self::When => "when",
        }
    }
}

/// What can speak for a conversation or an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signal {
    /// The words of the question occur in it.
    Words,
    /// They occur together, in one of its entries that was said first hand.
    WordsTogether,
    /// They occur right before it.
    WordsBefore,
    /// It says much.
    Length,
    /// The question names its speaker.
    Speaker,
    /// A passage of it means something similar.
    Meaning,
    /// A passage right before or after it does.
    MeaningNearby,
    /// It opens with something that means something similar.
    Opening,
    /// A passage of it is close to what the conversations that stand out most are about.
    Sibling,
    /// Its best entries speak for it.
    Entries,
    /// Its conversation speaks for it.
    Conversation,
    /// It was said in or near the period asked about.
    Period,
    /// It was said in that period, so it comes before what was not.
    Inside,
    /// It was said recently.
    Recent,
    /// Of what matches, it is the first or the last, as the question asks.
    Order,
}

impl Signal {
    /// As written on every wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::WordsTogether => "words_together",
            Self::WordsBefore => "words_before",
            Self::Length => "length",
            Self::Speaker => "speaker",
            Self::Meaning => "meaning",
            Self::MeaningNearby => "meaning_nearby",
            Self::Opening => "opening",
            Self::Sibling => "sibling",
            Self::Entries => "entries",
            Self::Conversation => "conversation",
            Self::Period => "period",
            Self::Inside => "inside",
            Self::Recent => "recent",
            Self::Order => "order",
        }
    }

    /// The lane it comes from; the score of a conversation or of its entries comes from all.
    pub fn lane(self) -> Option<Lane> {
        match self {
            Self::Words
            | Self::WordsTogether
            | Self::WordsBefore
            | Self::Length
            | Self::Speaker => Some(Lane::Words),
            Self::Meaning | Self::MeaningNearby | Self::Opening | Self::Sibling => {
                Some(Lane::Meaning)
            }
            Self::Period | Self::Inside | Self::Recent | Self::Order => Some(Lane::When),
            Self::Conversation | Self::Entries => None,
        }
    }

    /// Whether only standing out among the candidates counts, not the number itself.
    pub(crate) fn is_relative(self) -> bool {
        !matches!(self, Self::Period | Self::Inside | Self::Recent | Self::Order | Self::Speaker)
    }
}

/// How much one signal gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reason {
    /// The signal.
    pub signal: Signal,
    /// How strong it was: deviations above the mean of all candidates, or a share of one.
    pub value: f32,
    /// What it added to the score.
    pub share: f32,
}

//! Signals: the named reasons why something was found, and the lanes they come from.
//!
//! A new signal is a line in the table below. The compiler then asks for its weights (`weights.rs`) and
//! for its values (`rank/groups.rs`, `rank/documents.rs`), because every match over signals is
//! exhaustive.

/// One way to find something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lane {
    /// By the words that were used.
    Words,
    /// By similarity of meaning.
    Meaning,
    /// By time.
    When,
}

impl Lane {
    /// Returns the name of the lane.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Meaning => "meaning",
            Self::When => "when",
        }
    }
}

/// How the values of a signal become comparable with those of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Only how far a value is above the mean of all candidates counts, in standard deviations.
    Relative,
    /// The value itself counts. It means the same whatever the other candidates are.
    Absolute,
}

/// Declares the signals. Signals are added to a score in this order, which is also the order of reasons.
macro_rules! signals {
    ($($(#[$doc:meta])* $signal:ident, $name:literal, $lane:expr, $scale:ident;)*) => {
        /// A reason for a group or a document to be found.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Signal {
            $($(#[$doc])* $signal,)*
        }

        impl Signal {
            /// All signals, in the order they are added to a score.
            pub const ALL: &[Self] = &[$(Self::$signal),*];

            /// Returns the name of the signal.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$signal => $name,)* }
            }

            /// Returns the lane that the signal comes from; `None` if it comes from all of them.
            pub fn lane(self) -> Option<Lane> {
                match self { $(Self::$signal => $lane,)* }
            }

            pub(crate) fn scale(self) -> Scale {
                match self { $(Self::$signal => Scale::$scale,)* }
            }
        }
    };
}

signals! {
    /// The words of the query occur in it.
    Words, "words", Some(Lane::Words), Relative;
    /// The words occur in the document before or after it.
    WordsNearby, "words_nearby", Some(Lane::Words), Relative;
    /// A passage of it is similar in meaning.
    Meaning, "meaning", Some(Lane::Meaning), Relative;
    /// A passage of the document before or after it is similar in meaning.
    MeaningNearby, "meaning_nearby", Some(Lane::Meaning), Relative;
    /// A passage of the group is similar to the groups that match best.
    Sibling, "sibling", Some(Lane::Meaning), Relative;
    /// The documents of the group match.
    Documents, "documents", None, Relative;
    /// It was said by the one that the query asks about.
    Speaker, "speaker", Some(Lane::Words), Absolute;
    /// Its author speaks about themselves ("I", "my").
    FirstPerson, "first_person", Some(Lane::Words), Relative;
    /// It is in or near the period asked about.
    Period, "period", Some(Lane::When), Absolute;
    /// It is recent.
    Recent, "recent", Some(Lane::When), Absolute;
    /// The group of the document matches.
    Group, "group", None, Relative;
    /// It is in the period asked about, so it precedes what is not.
    Inside, "inside", Some(Lane::When), Absolute;
    /// Of what matches, it is the first or the last, as the query asks.
    Order, "order", Some(Lane::When), Absolute;
    /// Words that are next to each other in the query are so in it; see [`WordPairs`](crate::WordPairs).
    WordPairs, "word_pairs", Some(Lane::Words), Absolute;
}

/// How much one signal contributed to a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reason {
    /// The signal.
    pub signal: Signal,
    /// How strong it was: standard deviations above the mean of all candidates, or the value itself.
    pub value: f32,
    /// What it added to the score.
    pub share: f32,
}

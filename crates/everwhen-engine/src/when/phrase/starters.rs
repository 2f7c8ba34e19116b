//! The words that can begin a time phrase. Every other token is passed over at once, which is what
//! keeps reading a long entry in microseconds.

use super::lexer::{Kind, Token};

/// In order, for a binary search.
const STARTERS: [&str; 290] = [
    "a", "about", "across", "after", "all", "almost", "an", "any", "approximately", "apr",
    "april", "around", "as", "ascension", "ash", "at", "aug", "august", "autumn", "back",
    "before", "beginning", "between", "black", "bonfire", "boxing", "by", "chat", "chats",
    "christmas", "chronologically", "cinco", "circa", "coming", "conversation", "conversations",
    "couple", "current", "cyber", "day", "days", "dec", "december", "dialogue", "dialogues",
    "discussion", "discussions", "during", "earlier", "earliest", "early", "earth", "easter",
    "eight", "eighteen", "eighteenth", "eighth", "eighties", "eightieth", "eighty", "eleven",
    "eleventh", "end", "epiphany", "ever", "exactly", "exchange", "exchanges", "fall", "father",
    "fathers", "feb", "february", "few", "fifteen", "fifteenth", "fifth", "fifties", "fiftieth",
    "fifty", "first", "five", "for", "forties", "fortieth", "forty", "four", "fourteen",
    "fourteenth", "fourth", "fri", "friday", "from", "good", "groundhog", "guy", "h1", "h2",
    "half", "halloween", "her", "his", "hours", "how", "in", "independence", "international",
    "jan", "january", "jul", "july", "jun", "june", "juneteenth", "just", "labor", "labour",
    "last", "late", "lately", "later", "latest", "less", "mar", "march", "mardi", "martin",
    "maundy", "may", "maybe", "memorial", "mid", "midday", "middle", "midnight", "mlk", "mon",
    "monday", "month", "months", "more", "most", "mother", "mothers", "my", "nearly", "new",
    "newest", "next", "night", "nine", "nineteen", "nineteenth", "nineties", "ninetieth",
    "ninety", "ninth", "no", "noon", "not", "nov", "november", "now", "nye", "oct", "october",
    "oldest", "on", "one", "our", "over", "palm", "past", "pentecost", "penultimate", "post",
    "pre", "precisely", "president", "presidents", "previous", "prior", "q1", "q2", "q3", "q4",
    "recent", "recently", "remembrance", "right", "roughly", "saint", "sat", "saturday", "second",
    "sep", "sept", "september", "session", "sessions", "seven", "seventeen", "seventeenth",
    "seventh", "seventies", "seventieth", "seventy", "several", "shrove", "since", "six",
    "sixteen", "sixteenth", "sixth", "sixties", "sixtieth", "sixty", "some", "sometime", "spring",
    "st", "start", "summer", "sun", "sunday", "talk", "talks", "ten", "tenth", "thanksgiving",
    "that", "the", "their", "these", "third", "thirteen", "thirteenth", "thirties", "thirtieth",
    "thirty", "this", "three", "throughout", "thu", "thur", "thurs", "thursday", "till", "time",
    "today", "tomorrow", "tonight", "toward", "towards", "tue", "tues", "tuesday", "twelfth",
    "twelve", "twenties", "twentieth", "twenty", "two", "under", "until", "up", "upcoming",
    "valentine", "valentines", "veterans", "way", "wed", "wednesday", "weds", "week", "weekend",
    "weeks", "well", "what", "when", "which", "whit", "winter", "within", "xmas", "year", "years",
    "yesterday", "your", "zero",
];

/// Whether a phrase can begin with this token.
pub(super) fn can_start(token: &Token<'_>) -> bool {
    match token.kind {
        Kind::Word => STARTERS.binary_search(&token.text).is_ok(),
        Kind::Mark(mark) => mark == '~',
        Kind::Other => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_order() {
        assert!(STARTERS.is_sorted());
    }
}

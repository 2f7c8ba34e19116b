//! Conditions: `({agent1Output} >= 65 AND {agent2Output} != 'guest') OR {agent3Output} == TRUE`.
//!
//! A condition is parsed when the file is loaded, with its variables unresolved, so the value of a
//! variable is always one operand and can never become an operator. `AND` binds tighter than `OR`.
//! Unquoted `TRUE` and `FALSE` are booleans; other unquoted values are numbers if they parse as
//! one, else text. Values of different types are never equal and have no order.

use crate::template::Template;

/// A parsed condition.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Condition(Term);

#[derive(Debug, Clone, PartialEq)]
enum Term {
    Or(Box<Term>, Box<Term>),
    And(Box<Term>, Box<Term>),
    Compare(Operand, Relation, Operand),
    Value(Operand),
}

#[derive(Debug, Clone, PartialEq)]
enum Operand {
    Quoted(Template),
    Bare(Template),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Operators of two characters come first, so that `<=` is not read as `<`.
const RELATIONS: [(&str, Relation); 6] = [
    ("==", Relation::Equal),
    ("!=", Relation::Unequal),
    ("<=", Relation::LessOrEqual),
    (">=", Relation::GreaterOrEqual),
    ("<", Relation::Less),
    (">", Relation::Greater),
];

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Open,
    Close,
    And,
    Or,
    Relation(Relation),
    Operand(Operand),
}

#[derive(Debug, PartialEq)]
enum Meaning {
    Truth(bool),
    Number(f64),
    Text(String),
}

impl Condition {
    /// Parses a condition; the error says what is wrong with it.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let tokens = tokens(text)?;
        let mut reader = ConditionReader { tokens: &tokens };
        let term = reader.either()?;
        match reader.tokens.first() {
            None => Ok(Self(term)),
            Some(Token::Close) => Err("a \")\" closes nothing".into()),
            Some(_) => Err("something follows the end; join conditions with AND or OR".into()),
        }
    }

    /// The operands that contain variables.
    pub(crate) fn templates(&self) -> Vec<&Template> {
        let mut found = Vec::new();
        self.0.collect(&mut found);
        found
    }

    /// Evaluates the condition. The error is the name of a variable that has no value.
    pub(crate) fn holds(&self, value: &dyn Fn(&str) -> Option<String>) -> Result<bool, String> {
        self.0.holds(value)
    }
}

impl Term {
    fn collect<'t>(&'t self, found: &mut Vec<&'t Template>) {
        match self {
            Self::Or(a, b) | Self::And(a, b) => {
                a.collect(found);
                b.collect(found);
            }
            Self::Compare(a, _, b) => found.extend([a.template(), b.template()]),
            Self::Value(a) => found.push(a.template()),
        }
    }

    fn holds(&self, value: &dyn Fn(&str) -> Option<String>) -> Result<bool, String> {
        Ok(match self {
            Self::Or(a, b) => a.holds(value)? | b.holds(value)?,
            Self::And(a, b) => a.holds(value)? & b.holds(value)?,
            Self::Compare(a, relation, b) => relation.holds(&a.meaning(value)?, &b.meaning(value)?),
            Self::Value(a) => a.meaning(value)? == Meaning::Truth(true),
        })
    }
}

impl Operand {
    fn template(&self) -> &Template {
        match self {
            Self::Quoted(template) | Self::Bare(template) => template,
        }
    }

    fn meaning(&self, value: &dyn Fn(&str) -> Option<String>) -> Result<Meaning, String> {
        let text = self.template().fill(value)?;
        if matches!(self, Self::Quoted(_)) {
            return Ok(Meaning::Text(text));
        }
        let bare = text.trim();
        Ok(match bare.to_ascii_uppercase().as_str() {
            "TRUE" => Meaning::Truth(true),
            "FALSE" => Meaning::Truth(false),
            _ => match bare.parse() {
                Ok(number) => Meaning::Number(number),
                Err(_) => Meaning::Text(bare.to_owned()),
            },
        })
    }
}

impl Relation {
    fn holds(self, a: &Meaning, b: &Meaning) -> bool {
        let order = match (a, b) {
            (Meaning::Number(a), Meaning::Number(b)) => a.partial_cmp(b),
            (Meaning::Text(a), Meaning::Text(b)) => Some(a.cmp(b)),
            (Meaning::Truth(a), Meaning::Truth(b)) => Some(a.cmp(b)),
            _ => None,
        };
        let Some(order) = order else { return self == Self::Unequal };
        match self {
            Self::Equal => order.is_eq(),
            Self::Unequal => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }
}

/// Recursive-descent parser over tokens, lowest precedence first.
struct ConditionReader<'t> {
    tokens: &'t [Token],
}

impl ConditionReader<'_> {
    fn take(&mut self, wanted: &Token) -> bool {
        let found = self.tokens.first() == Some(wanted);
        if found {
            self.tokens = &self.tokens[1..];
        }
        found
    }

    fn either(&mut self) -> Result<Term, String> {
        let mut term = self.both()?;
        while self.take(&Token::Or) {
            term = Term::Or(Box::new(term), Box::new(self.both()?));
        }
        Ok(term)
    }

    fn both(&mut self) -> Result<Term, String> {
        let mut term = self.single()?;
        while self.take(&Token::And) {
            term = Term::And(Box::new(term), Box::new(self.single()?));
        }
        Ok(term)
    }

    fn single(&mut self) -> Result<Term, String> {
        if self.take(&Token::Open) {
            let term = self.either()?;
            return if self.take(&Token::Close) {
                Ok(term)
            } else {
                Err("a \")\" is missing".into())
            };
        }
        let left = self.operand()?;
        let Some(Token::Relation(relation)) = self.tokens.first() else {
            return Ok(Term::Value(left));
        };
        let relation = *relation;
        self.tokens = &self.tokens[1..];
        Ok(Term::Compare(left, relation, self.operand()?))
    }

    fn operand(&mut self) -> Result<Operand, String> {
        let Some((Token::Operand(operand), rest)) = self.tokens.split_first() else {
            return Err(
                "a value is missing; compare two values, like {agent1Output} == 'yes'".into()
            );
        };
        self.tokens = rest;
        Ok(operand.clone())
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '(' => (Token::Open, 1),
            ')' => (Token::Close, 1),
            '\'' | '"' => quoted(rest, first)?,
            _ => match RELATIONS.into_iter().find(|(sign, _)| rest.starts_with(sign)) {
                Some((sign, relation)) => (Token::Relation(relation), sign.len()),
                None => bare(rest)?,
            },
        };
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

fn quoted(text: &str, quote: char) -> Result<(Token, usize), String> {
    let inside = &text[1..];
    let end = inside.find(quote).ok_or_else(|| format!("a {quote} is never closed"))?;
    let operand = Operand::Quoted(Template::read(&inside[..end]));
    Ok((Token::Operand(operand), end + 2))
}

/// Reads an unquoted operand: up to white space, a parenthesis or an operator. A variable is one
/// token.
fn bare(text: &str) -> Result<(Token, usize), String> {
    let ends = |rest: &str| {
        rest.starts_with(|c: char| c.is_whitespace() || "()'\"".contains(c))
            || RELATIONS.iter().any(|(sign, _)| rest.starts_with(sign))
    };
    let length = text.char_indices().map(|(place, _)| place).find(|place| ends(&text[*place..]));
    let word = &text[..length.unwrap_or(text.len())];
    if word.is_empty() || word == "=" || word == "!" {
        return Err(format!("cannot read {:?}", text.chars().take(12).collect::<String>()));
    }
    let token = match word.to_ascii_uppercase().as_str() {
        "AND" => Token::And,
        "OR" => Token::Or,
        _ => Token::Operand(Operand::Bare(Template::read(word))),
    };
    Ok((token, word.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(name: &str) -> Option<String> {
        let known = match name {
            "score" => "70",
            "status" => "complete",
            "yes" => "TRUE",
            "sly" => "x' OR TRUE == TRUE OR 'x",
            "empty" => "",
            _ => return None,
        };
        Some(known.to_owned())
    }

    fn holds(text: &str) -> bool {
        Condition::read(text).unwrap().holds(&value).unwrap()
    }

    #[test]
    fn compares_numbers_texts_and_truth() {
        for text in [
            "{score} >= 65",
            "{score}==70.0",
            "'{status}' == 'complete' AND {score} != 'guest'",
            "{yes} == TRUE",
            "{yes}",
            "({score} > 90 AND {yes} == true) OR \"{status}\" == \"complete\"",
            "1 < 2 OR 1 > 2 AND 1 > 2",
            "abc < abd",
            "{empty} == ''",
        ] {
            assert!(holds(text), "{text}");
        }
    }

    #[test]
    fn different_kinds_are_unequal_and_in_no_order() {
        for text in ["5 > 'cat'", "5 < 'cat'", "{yes} == 'TRUE'", "{score} == '70'", "{status}"] {
            assert!(!holds(text), "{text}");
        }
        assert!(holds("5 != 'cat'"));
    }

    #[test]
    fn a_value_never_becomes_an_operator() {
        assert!(!holds("'{sly}' == 'y'"));
        assert!(!holds("{sly} == 'y'"));
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for text in ["", "a ==", "(a == b", "a == b)", "a == 'b", "a b", "AND", "a = b", "== 1"] {
            assert!(Condition::read(text).is_err(), "{text}");
        }
        let unknown = Condition::read("{whom} == 1").unwrap().holds(&value).unwrap_err();
        assert_eq!(unknown, "whom");
    }
}

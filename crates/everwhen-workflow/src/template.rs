//! Text with `{variables}`.
//!
//! A variable is a name in braces, and nothing else: `{"a": 1}` is text, so JSON in a prompt is
//! kept as it is. `{{` and `}}` are escaped braces. The value of a variable is inserted literally
//! and never parsed again, so no text of a user can break a template; only constants of the
//! workflow itself may contain further variables, one level deep.

use std::collections::BTreeSet;

/// A parsed text with variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template(Vec<TemplatePart>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplatePart {
    Text(String),
    Variable(String),
}

impl Template {
    /// Parses a text. Every text is a valid template.
    pub(crate) fn read(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        let mut doubled = 0u32;
        while let Some(place) = rest.find(['{', '}']) {
            plain.push_str(&rest[..place]);
            rest = &rest[place..];
            let brace = &rest[..1];
            if rest.starts_with("{{") {
                doubled += 1;
                plain.push('{');
                rest = &rest[2..];
            } else if doubled > 0 && rest.starts_with("}}") {
                doubled -= 1;
                plain.push('}');
                rest = &rest[2..];
            } else if let Some(name) = variable(rest) {
                if !plain.is_empty() {
                    parts.push(TemplatePart::Text(std::mem::take(&mut plain)));
                }
                parts.push(TemplatePart::Variable(name.to_owned()));
                rest = &rest[name.len() + 2..];
            } else {
                plain.push_str(brace);
                rest = &rest[1..];
            }
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(TemplatePart::Text(plain));
        }
        Self(parts)
    }

    /// The names of its variables.
    pub(crate) fn variables(&self) -> BTreeSet<&str> {
        let names = self.0.iter().filter_map(|part| match part {
            TemplatePart::Variable(name) => Some(name.as_str()),
            TemplatePart::Text(_) => None,
        });
        names.collect()
    }

    /// Fills in all variables. The error is the name of the first that has no value.
    pub(crate) fn fill(&self, value: impl Fn(&str) -> Option<String>) -> Result<String, String> {
        let mut filled = String::new();
        for part in &self.0 {
            match part {
                TemplatePart::Text(text) => filled.push_str(text),
                TemplatePart::Variable(name) => {
                    filled.push_str(&value(name).ok_or_else(|| name.clone())?);
                }
            }
        }
        Ok(filled)
    }

    /// Whether the text is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The name in braces that a text begins with.
fn variable(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('{')?;
    let end = inside.find('}')?;
    let name = &inside[..end];
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let goes_on = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (begins && goes_on).then_some(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fill(text: &str) -> Result<String, String> {
        Template::read(text).fill(|name| (name == "who").then(|| "{Ana} {{".to_owned()))
    }

    #[test]
    fn fills_in_names_and_leaves_every_other_brace() {
        assert_eq!(fill("Hello {who}!").unwrap(), "Hello {Ana} {{!");
        assert_eq!(fill("{\"a\": {\"b\": 1}}").unwrap(), "{\"a\": {\"b\": 1}}");
        assert_eq!(fill("{{\"a\": {{\"b\": 1}}}}").unwrap(), "{\"a\": {\"b\": 1}}");
        assert_eq!(fill("{ who } {1a} {} {").unwrap(), "{ who } {1a} {} {");
        assert_eq!(fill("{{who}}").unwrap(), "{who}");
        assert_eq!(fill("{whom}").unwrap_err(), "whom");
    }

    #[test]
    fn names_its_variables_once() {
        let template = Template::read("{a} and {b} and {a}");
        assert_eq!(template.variables().into_iter().collect::<Vec<_>>(), ["a", "b"]);
    }

    proptest! {
        #[test]
        fn what_is_put_in_comes_out_unchanged(value in ".{0,40}", around in "[a-z ]{0,8}") {
            let template = Template::read(&format!("{around}{{x}}{around}"));
            let filled = template.fill(|_| Some(value.clone())).unwrap();
            prop_assert_eq!(filled, format!("{around}{value}{around}"));
        }

        #[test]
        fn text_without_braces_stays(text in "[^{}]{0,60}") {
            prop_assert_eq!(Template::read(&text).fill(|_| None).unwrap(), text);
        }
    }
}

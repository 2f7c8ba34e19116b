//! Prompts written in Jinja: `{{ variables }}`, and `messages` to loop over.

use std::collections::BTreeMap;

use everwhen::ports::PromptMessage;
use everwhen::{Error, Result};
use minijinja::{Environment, Value};

/// Execution limit of a template, so that an endless loop ends in an error.
const STEPS: u64 = 1_000_000;

/// Renders a template.
pub(crate) fn render(
    text: &str,
    messages: &[PromptMessage],
    value: &dyn Fn(&str) -> Option<String>,
) -> Result<String> {
    let mut environment = Environment::new();
    environment.set_fuel(Some(STEPS));
    let template = environment.template_from_str(text).map_err(|error| refuse(&error))?;
    let mut context = BTreeMap::new();
    for name in template.undeclared_variables(false) {
        let value = match name.as_str() {
            "messages" => said(messages),
            _ => value(&name).map(Value::from).ok_or_else(|| {
                Error::invalid(format!("the variable {{{{ {name} }}}} has no value"))
            })?,
        };
        context.insert(name, value);
    }
    template.render(Value::from_pairs(context)).map_err(|error| refuse(&error))
}

/// Returns the syntax error of a template, if it has one.
pub(crate) fn check(text: &str) -> std::result::Result<(), String> {
    let environment = Environment::new();
    environment.template_from_str(text).map(drop).map_err(|error| error.to_string())
}

fn said(messages: &[PromptMessage]) -> Value {
    let message = |message: &PromptMessage| {
        let pairs = [("role", message.role.as_str()), ("content", message.content.as_str())];
        Value::from_pairs(pairs)
    };
    messages.iter().map(message).collect()
}

fn refuse(error: &minijinja::Error) -> Error {
    Error::invalid(format!("the Jinja template cannot be rendered: {error}"))
}

#[cfg(test)]
mod tests {
    use everwhen::memory::Role;

    use super::*;

    fn rendered(text: &str) -> Result<String> {
        let messages = [
            PromptMessage { role: Role::User, content: "hi {{ x }}".into() },
            PromptMessage { role: Role::Assistant, content: "<hello>".into() },
        ];
        render(text, &messages, &|name| (name == "persona").then(|| "kind".to_owned()))
    }

    #[test]
    fn loops_over_messages_and_reads_variables() {
        let text = "{{ persona }}:{% for m in messages %} {{ m.role }}={{ m.content }}{% endfor %}";
        assert_eq!(rendered(text).unwrap(), "kind: user=hi {{ x }} assistant=<hello>");
    }

    #[test]
    fn what_stands_for_nothing_is_named_and_what_is_no_template_refused() {
        assert!(rendered("{{ nobody }}").unwrap_err().message().contains("nobody"));
        assert!(rendered("{% for %}").is_err());
        assert!(check("{% if %}").is_err());
        assert!(check("{{ a }}").is_ok());
    }

    #[test]
    fn a_loop_that_does_not_end_is_ended() {
        let text = "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}";
        assert!(rendered(text).is_err());
    }
}

//! Extracts one value from a text: the content of a tag, a field of a JSON object, the result of an
//! arithmetic expression.

use serde_json::Value;

/// Returns the trimmed text between the first `<tag>` and its end tag.
pub(crate) fn tag<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    let begin = text.find(&open)? + open.len();
    let end = text[begin..].find(&close)? + begin;
    Some(text[begin..end].trim()).filter(|inside| !inside.is_empty())
}

/// Returns a field of a JSON object as text; empty if there is no such object or field. The object
/// may be inside a code fence.
pub(crate) fn field(text: &str, field: &str) -> String {
    let Ok(Value::Object(object)) = serde_json::from_str(unfenced(text)) else {
        return String::new();
    };
    match object.get(field) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let Some(inside) = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else {
        return text;
    };
    inside.strip_prefix("json").unwrap_or(inside).trim()
}

/// Evaluates `number operator number`; anything else gives `-1`.
pub(crate) fn arithmetic(expression: &str) -> String {
    calculate(expression.trim())
        .filter(|result| result.is_finite())
        .map_or_else(|| "-1".into(), |result| result.to_string())
}

fn calculate(expression: &str) -> Option<f64> {
    // A sign in front belongs to the first number, so the search for the operator starts behind it;
    // a sign behind an exponent belongs to its number.
    let operators = expression.char_indices().skip(1).filter(|(_, sign)| "+-*/".contains(*sign));
    for (place, sign) in operators {
        let (left, right) = (expression[..place].trim(), expression[place + 1..].trim());
        if let (Ok(left), Ok(right)) = (left.parse::<f64>(), right.parse::<f64>()) {
            return Some(match sign {
                '+' => left + right,
                '-' => left - right,
                '*' => left * right,
                _ => left / right,
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_tag_counts_and_keeps_its_inside() {
        let text = "Well. <answer>\n a\n  b </answer> <answer>c</answer> <e> </e> <open>x";
        assert_eq!(tag(text, "answer"), Some("a\n  b"));
        assert_eq!(tag(text, "e"), None);
        assert_eq!(tag(text, "open"), None);
        assert_eq!(tag(text, "Answer"), None);
    }

    #[test]
    fn a_field_of_whatever_kind_is_text() {
        let text = r#"```json
            {"name": "Ana", "age": 25, "pets": ["cat"], "home": null}
        ```"#;
        assert_eq!(field(text, "name"), "Ana");
        assert_eq!(field(text, "age"), "25");
        assert_eq!(field(text, "pets"), r#"["cat"]"#);
        for nothing in ["home", "other"] {
            assert_eq!(field(text, nothing), "");
        }
        assert_eq!(field("[1]", "0"), "");
        assert_eq!(field("no json", "a"), "");
    }

    #[test]
    fn two_numbers_and_a_sign() {
        for (expression, result) in [
            ("10 + 5", "15"),
            ("100*1.07", "107"),
            ("7 / 2", "3.5"),
            ("-3 - -4", "1"),
            ("1e-2 * 3", "0.03"),
            ("1 / 0", "-1"),
            ("1 + 2 + 3", "-1"),
            ("a + 1", "-1"),
            ("", "-1"),
        ] {
            assert_eq!(arithmetic(expression), result, "{expression}");
        }
    }
}

//! JSON as the engine sees it: a value to look into, parsed by the caller.
//!
//! Models answer in JSON when they are given a schema. Adapters parse it; the engine, which knows
//! no format, asks for members and gets `None` where something else stands.

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object, in the order it was written.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Removes NUL characters, which not every store can keep.
    #[must_use]
    pub fn without_nul(self) -> Self {
        let clean = |text: String| text.replace('\0', "");
        match self {
            Self::Text(text) => Self::Text(clean(text)),
            Self::List(items) => Self::List(items.into_iter().map(Self::without_nul).collect()),
            Self::Object(members) => {
                let members = members.into_iter();
                Self::Object(
                    members.map(|(key, value)| (clean(key), value.without_nul())).collect(),
                )
            }
            other => other,
        }
    }

    /// The member of an object with this name.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => {
                members.iter().find(|(known, _)| known == name).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The text of this member; `None` if it is absent or no text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_text()
    }

    /// The items of this member; none if it is absent or no list.
    pub fn list(&self, name: &str) -> &[Self] {
        self.get(name).map_or(&[], Self::as_list)
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Yes or no, if it is either.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The items of a list; none if it is something else.
    pub fn as_list(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_none_and_nothing_panics() {
        let items = Json::List(vec![Json::Number(1.0), Json::Null]);
        let object = Json::Object(vec![
            ("name".into(), Json::Text("Mira".into())),
            ("items".into(), items),
            ("yes".into(), Json::Bool(true)),
        ]);
        assert_eq!(object.text("name"), Some("Mira"));
        assert_eq!(object.text("items"), None);
        assert_eq!(object.list("items")[0].as_number(), Some(1.0));
        assert!(object.list("name").is_empty() && object.list("absent").is_empty());
        assert_eq!(object.get("yes").and_then(Json::as_bool), Some(true));
        assert_eq!(Json::Null.get("name"), None);
    }
}

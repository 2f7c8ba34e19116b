//! The table of protocols.

use crate::adapter::host_and_path;
use crate::{Adapter, ChatEndpoint, Endpoint, anthropic, gemini, ollama, openai};

/// Declares the protocols: one line each, with the adapter that knows everything about it.
macro_rules! protocols {
    ($($(#[$doc:meta])* $name:ident => $adapter:expr,)*) => {
        /// A protocol that model providers speak.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Protocol {
            $($(#[$doc])* $name,)*
        }

        impl Protocol {
            /// All of them. The first is the one of servers that do not say what they speak.
            pub const ALL: [Self; [$(stringify!($name)),*].len()] = [$(Self::$name),*];

            /// What is known about it.
            pub fn adapter(self) -> &'static dyn Adapter {
                match self {
                    $(Self::$name => $adapter,)*
                }
            }
        }
    };
}

protocols! {
    /// `/v1/chat/completions`, `/v1/responses` and what belongs to them.
    OpenAi => &openai::OpenAi,
    /// `/api/chat` and what belongs to it.
    Ollama => &ollama::Ollama,
    /// `/v1/messages` and what belongs to it.
    Anthropic => &anthropic::Anthropic,
    /// `/v1beta/models/MODEL:generateContent` and what belongs to it.
    Gemini => &gemini::Gemini,
}

impl Protocol {
    /// Its name in configurations.
    pub fn as_str(self) -> &'static str {
        self.adapter().name()
    }

    /// The protocol with this name.
    pub fn named(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|protocol| protocol.as_str() == text)
    }

    /// The names of all protocols as a sentence lists them: `"a", "b" or "c"`.
    pub fn names_quoted() -> String {
        let names: Vec<String> =
            Self::ALL.iter().map(|protocol| format!("{:?}", protocol.as_str())).collect();
        let (last, others) = names.split_last().expect("there are protocols");
        format!("{} or {last}", others.join(", "))
    }

    /// The protocol of a provider at this address, as far as the address tells.
    pub fn of_url(url: &str) -> Self {
        let (host, path) = host_and_path(url);
        let known = Self::ALL.into_iter().find(|one| one.adapter().is_at(host, path));
        known.unwrap_or(Self::OpenAi)
    }

    /// The protocol of a request to a server that speaks all of them.
    pub fn of_request(path: &str, has_header: impl Fn(&str) -> bool) -> Self {
        let has_header: &dyn Fn(&str) -> bool = &has_header;
        let found = Self::ALL.into_iter().find(|one| one.adapter().claims(path, has_header));
        found.unwrap_or(Self::OpenAi)
    }

    /// Whether a chat is held at this path.
    pub fn is_chat(path: &str) -> bool {
        let all = Self::ALL.into_iter().flat_map(|protocol| protocol.adapter().endpoints());
        all.filter(|endpoint| endpoint.chat().is_some()).any(|endpoint| match endpoint.verb() {
            Some(_) => endpoint.is_meant_by(path),
            None => path.ends_with(endpoint.path),
        })
    }

    /// Protocols of upstreams that can answer a chat in this one, the best first.
    pub fn answered_by(self) -> Vec<Self> {
        let others = Self::ALL.into_iter().filter(|other| *other != self);
        std::iter::once(self).chain(others).collect()
    }
}

impl ChatEndpoint {
    /// The endpoint with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        let all = Protocol::ALL.into_iter().flat_map(|protocol| protocol.adapter().endpoints());
        all.filter_map(Endpoint::chat).find(|chat| chat.name == name)
    }

    /// The protocol whose table of calls has it.
    pub fn protocol(&self) -> Protocol {
        let has_it = |protocol: &Protocol| {
            let chats = protocol.adapter().endpoints().iter().filter_map(Endpoint::chat);
            chats.into_iter().any(|chat| chat.name == self.name)
        };
        Protocol::ALL.into_iter().find(has_it).unwrap_or(Protocol::OpenAi)
    }

    /// Protocols of upstreams that can answer, the best first.
    pub fn answered_by(&self) -> Vec<Protocol> {
        match self.is_translated {
            true => self.protocol().answered_by(),
            false => vec![self.protocol()],
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn every_protocol_is_found_by_its_name() {
        for protocol in Protocol::ALL {
            assert_eq!(Protocol::named(protocol.as_str()), Some(protocol));
        }
        assert_eq!(Protocol::named("unknown"), None);
        assert!(Protocol::names_quoted().ends_with(" or \"gemini\""));
    }

    #[test]
    fn no_two_calls_have_the_same_path_and_no_two_chats_the_same_name() {
        let all = Protocol::ALL.into_iter().flat_map(|protocol| protocol.adapter().endpoints());
        let (mut paths, mut names) = (BTreeSet::new(), BTreeMap::new());
        for endpoint in all {
            assert!(paths.insert(endpoint.path), "{}", endpoint.path);
            if let Some(chat) = endpoint.chat() {
                let known = *names.entry(chat.name).or_insert(chat);
                assert!(std::ptr::eq(known, chat), "{}", chat.name);
                let of = chat.protocol().adapter().endpoints();
                assert!(of.iter().any(|one| one.path == endpoint.path), "{}", chat.name);
            }
        }
    }

    #[test]
    fn a_request_is_known_by_its_path_and_headers() {
        let of = |path: &str| Protocol::of_request(path, |_| false);
        assert_eq!(of("/v1/chat/completions"), Protocol::OpenAi);
        assert_eq!(of("/v1/messages/count_tokens"), Protocol::Anthropic);
        assert_eq!(of("/messages"), Protocol::Anthropic);
        assert_eq!(of("/api/tags"), Protocol::Ollama);
        assert_eq!(of("/v1beta/models/m:generateContent"), Protocol::Gemini);
        assert_eq!(of("/v1/models/m:streamGenerateContent"), Protocol::Gemini);
        assert_eq!(of("/v1/models/ft:gpt-4o:org"), Protocol::OpenAi);
        assert_eq!(of("/v1/models"), Protocol::OpenAi);
        let is_google = |name: &str| name == "x-goog-api-key";
        assert_eq!(Protocol::of_request("/v1/models", is_google), Protocol::Gemini);
        assert_eq!(Protocol::of_request("/v1/embeddings", is_google), Protocol::OpenAi);
        let is_anthropic = |name: &str| name == "anthropic-version";
        assert_eq!(Protocol::of_request("/v1/models", is_anthropic), Protocol::Anthropic);
    }
}

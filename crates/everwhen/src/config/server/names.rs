//! Hosts and origins: as requests name them, and as the configuration allows them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::{Error, Result};

/// Everything is allowed.
const ANY: &str = "*";

/// The value of a `Host` header: a name or address, and a port if one is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostName {
    /// In lower case, an IPv6 address without its brackets.
    name: String,
    port: Option<u16>,
}

impl HostName {
    /// Reads `localhost`, `memory.example.org:8080`, `127.0.0.1:80` or `[::1]:80`.
    pub fn read(text: &str) -> Option<Self> {
        let (name, port) = split_port(text)?;
        let name = match name.strip_prefix('[') {
            Some(address) => {
                let address: Ipv6Addr = address.strip_suffix(']')?.parse().ok()?;
                address.to_string()
            }
            None => {
                let name = name.strip_suffix('.').unwrap_or(name);
                let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
                if name.is_empty() || !name.bytes().all(is_plain) {
                    return None;
                }
                name.to_ascii_lowercase()
            }
        };
        let port = port.map(str::parse).transpose().ok()?;
        Some(Self { name, port })
    }

    /// Whether it names this machine itself: `localhost`, names below it, and loopback addresses.
    pub fn is_loopback(&self) -> bool {
        match self.address() {
            Some(address) => address.is_loopback(),
            None => self.name == "localhost" || self.name.ends_with(".localhost"),
        }
    }

    /// The address, if it is written as one.
    pub fn address(&self) -> Option<IpAddr> {
        let address: IpAddr = self.name.parse().ok()?;
        Some(address.to_canonical())
    }
}

/// Name and port, if a port is given.
fn split_port(text: &str) -> Option<(&str, Option<&str>)> {
    let after_address = text.rfind(']').map_or(0, |place| place + 1);
    match text[after_address..].split_once(':') {
        Some((rest, port)) => Some((&text[..after_address + rest.len()], Some(port))),
        None if text.is_empty() => None,
        None => Some((text, None)),
    }
}

/// The value of an `Origin` header: the site that a web page comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebOrigin {
    scheme: String,
    host: HostName,
}

impl WebOrigin {
    /// Reads `https://app.example.org` and the like; `null` and other text is none.
    pub fn read(text: &str) -> Option<Self> {
        let (scheme, host) = text.split_once("://")?;
        let scheme = scheme.to_ascii_lowercase();
        Some(Self { scheme, host: HostName::read(host)? })
    }

    /// Whether a page of this machine's own web servers has it.
    pub fn is_loopback(&self) -> bool {
        ["http", "https"].contains(&self.scheme.as_str()) && self.host.is_loopback()
    }

    /// Whether it is the site that a request with this host is sent to.
    pub fn is_of(&self, host: &HostName) -> bool {
        let usual = usual_port(&self.scheme);
        let same_port = self.host.port.or(usual) == host.port.or(usual);
        usual.is_some() && self.host.name == host.name && same_port
    }
}

fn usual_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

/// A host that the configuration allows: `memory.example.org`, `*.example.org`, `box:8080` or `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedHost {
    name: NamePattern,
    /// The port that must be given; any if absent.
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum NamePattern {
    Any,
    /// Names that end in this, which begins with a dot.
    Below(String),
    Exactly(String),
}

impl NamePattern {
    fn read(text: &str) -> Option<(Self, Option<u16>)> {
        if let Some(rest) = text.strip_prefix(ANY) {
            let port = rest.strip_prefix(':').map(str::parse).transpose().ok()?;
            if rest.is_empty() || port.is_some() {
                return Some((Self::Any, port));
            }
            let host = HostName::read(rest.strip_prefix('.')?)?;
            return Some((Self::Below(format!(".{}", host.name)), host.port));
        }
        // A bare IPv6 address was always allowed in these lists.
        let bare =
            text.parse::<Ipv6Addr>().ok().map(|one| HostName { name: one.to_string(), port: None });
        let host = bare.or_else(|| HostName::read(text))?;
        Some((Self::Exactly(host.name), host.port))
    }

    fn fits(&self, name: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Below(ending) => name.len() > ending.len() && name.ends_with(ending),
            Self::Exactly(wanted) => wanted == name,
        }
    }
}

impl AllowedHost {
    /// Reads one entry of the list.
    pub fn read(text: &str) -> Result<Self> {
        let read = NamePattern::read(text);
        let (name, port) = read.ok_or_else(|| Error::invalid(format!("{text:?} is no host")))?;
        Ok(Self { name, port })
    }

    /// The host of an address to listen on; none if it means every address of the machine.
    pub fn of_listen_address(text: &str) -> Option<Self> {
        let HostName { name, .. } = HostName::read(text)?;
        let everywhere = [Ipv4Addr::UNSPECIFIED.to_string(), Ipv6Addr::UNSPECIFIED.to_string()];
        let is_one = !everywhere.contains(&name);
        is_one.then_some(Self { name: NamePattern::Exactly(name), port: None })
    }

    /// Whether a request with this host is meant.
    pub fn allows(&self, host: &HostName) -> bool {
        self.name.fits(&host.name) && (self.port.is_none() || self.port == host.port)
    }
}

/// An origin that the configuration allows: `https://app.example.org`, `https://*.example.org`,
/// `http://box:*`, `chrome-extension://abc` or `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedOrigin {
    /// Every origin.
    Any,
    /// Origins of this scheme and these names.
    Like {
        /// `https` and the like.
        scheme: String,
        #[doc(hidden)]
        name: AllowedHost,
        /// Whether every port will do.
        any_port: bool,
    },
}

impl AllowedOrigin {
    /// Reads one entry of the list.
    pub fn read(text: &str) -> Result<Self> {
        if text == ANY {
            return Ok(Self::Any);
        }
        let wrong = || Error::invalid(format!("{text:?} is no origin"));
        let (scheme, host) = text.split_once("://").ok_or_else(wrong)?;
        let scheme = scheme.to_ascii_lowercase();
        let (host, any_port) = match host.strip_suffix(":*") {
            Some(host) => (host, true),
            None => (host, false),
        };
        let (name, port) = NamePattern::read(host).ok_or_else(wrong)?;
        let port = port.or_else(|| usual_port(&scheme));
        Ok(Self::Like { scheme, name: AllowedHost { name, port }, any_port })
    }

    /// Whether this origin is meant.
    pub fn allows(&self, origin: &WebOrigin) -> bool {
        match self {
            Self::Any => true,
            Self::Like { scheme, name, any_port } => {
                let port = origin.host.port.or_else(|| usual_port(&origin.scheme));
                let same_port = *any_port || name.port == port;
                *scheme == origin.scheme && name.name.fits(&origin.host.name) && same_port
            }
        }
    }

    /// Whether every origin is meant, `null` too.
    pub fn is_any(&self) -> bool {
        *self == Self::Any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> HostName {
        HostName::read(text).unwrap_or_else(|| panic!("{text}"))
    }

    fn origin(text: &str) -> WebOrigin {
        WebOrigin::read(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn loopback_hosts_are_recognized_however_they_are_written() {
        for text in [
            "localhost",
            "localhost:3939",
            "LocalHost.",
            "app.localhost:1",
            "127.0.0.1",
            "127.8.8.8:80",
            "[::1]",
            "[::1]:3939",
            "[0:0:0:0:0:0:0:1]",
            "[::ffff:127.0.0.1]:80",
        ] {
            assert!(host(text).is_loopback(), "{text}");
        }
        for text in [
            "evil.example",
            "localhost.evil.example",
            "notlocalhost",
            "127.0.0.1.evil.example",
            "128.0.0.1",
            "0.0.0.0",
            "[::]",
            "[fe80::1]",
            "192.168.0.1:3939",
        ] {
            assert!(!host(text).is_loopback(), "{text}");
        }
    }

    #[test]
    fn what_is_no_host_is_refused() {
        for text in ["", "a b", "a/b", "a@localhost", "[::1", "::1", "localhost:port", "a:1:2", "é"]
        {
            assert_eq!(HostName::read(text), None, "{text}");
        }
        for text in ["null", "", "localhost", "file://", "http://", "http://a/b"] {
            assert_eq!(WebOrigin::read(text), None, "{text}");
        }
    }

    #[test]
    fn allowed_hosts_are_names_endings_ports_or_all() {
        let allows =
            |entry: &str, text: &str| AllowedHost::read(entry).unwrap().allows(&host(text));
        assert!(allows("memory.example.org", "Memory.Example.org:8080"));
        assert!(!allows("memory.example.org", "evil.memory.example.org"));
        assert!(allows("*.example.org", "a.b.example.org"));
        assert!(
            !allows("*.example.org", "example.org") && !allows("*.example.org", "badexample.org")
        );
        assert!(allows("box:8080", "box:8080") && !allows("box:8080", "box:8081"));
        assert!(allows("::1", "[::1]:5") && allows("[::1]", "[::1]"));
        assert!(allows("*", "evil.example"));
        for wrong in ["", "a b", "*evil", "http://a", "a*"] {
            assert!(AllowedHost::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn allowed_origins_have_a_scheme_and_the_usual_port_unless_they_name_one() {
        let allows =
            |entry: &str, text: &str| AllowedOrigin::read(entry).unwrap().allows(&origin(text));
        assert!(allows("https://app.example.org", "https://app.example.org"));
        assert!(allows("https://app.example.org:443", "https://app.example.org"));
        assert!(!allows("https://app.example.org", "http://app.example.org"));
        assert!(!allows("https://app.example.org", "https://app.example.org:8443"));
        assert!(allows("http://box:*", "http://box:1") && allows("http://*:*", "http://any:1"));
        assert!(allows("https://*.example.org", "https://a.example.org"));
        assert!(!allows("https://*.example.org", "https://example.org.evil.example"));
        assert!(allows("chrome-extension://abc", "chrome-extension://abc"));
        assert!(!allows("chrome-extension://abc", "chrome-extension://abd"));
        assert!(allows("*", "https://evil.example"));
        for wrong in ["", "app.example.org", "https://", "null", "https://a/b"] {
            assert!(AllowedOrigin::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_origin_is_that_of_a_host_if_name_and_port_agree() {
        assert!(origin("http://localhost:3939").is_of(&host("localhost:3939")));
        assert!(origin("https://memory.example.org").is_of(&host("memory.example.org")));
        assert!(!origin("http://localhost:3939").is_of(&host("localhost:3940")));
        assert!(!origin("http://localhost").is_of(&host("127.0.0.1")));
        assert!(!origin("chrome-extension://localhost").is_of(&host("localhost")));
    }

    #[test]
    fn an_address_for_every_interface_names_no_host() {
        for text in ["0.0.0.0:80", "[::]:80"] {
            assert_eq!(AllowedHost::of_listen_address(text), None, "{text}");
        }
        let one = AllowedHost::of_listen_address("192.168.1.5:80").unwrap();
        assert!(one.allows(&host("192.168.1.5:80")) && !one.allows(&host("192.168.1.6:80")));
    }
}

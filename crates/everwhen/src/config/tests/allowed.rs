//! Which hosts and origins are allowed, under both names of the lists.

use super::*;

#[test]
fn lists_of_hosts_and_origins_have_an_older_name_and_both_count() {
    let text = "[server]\nallowed_hosts = 'a.example, b.example'\nallowed_origins = 'https://a.example'\n\
                [mcp]\nallowed_hosts = 'c.example'\nallowed_origins = 'https://c.example:*'\n";
    let server = load_file(text).unwrap().server;
    let (hosts, origins) = (server.allowed_hosts(), server.allowed_origins());
    for (name, allowed) in
        [("a.example", true), ("b.example:1", true), ("c.example", true), ("d.example", false)]
    {
        let host = HostName::read(name).unwrap();
        assert_eq!(hosts.iter().any(|one| one.allows(&host)), allowed, "{name}");
    }
    for (name, allowed) in
        [("https://a.example", true), ("https://c.example:8443", true), ("http://a.example", false)]
    {
        let origin = WebOrigin::read(name).unwrap();
        assert_eq!(origins.iter().any(|one| one.allows(&origin)), allowed, "{name}");
    }
}

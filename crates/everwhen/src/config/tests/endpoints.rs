//! Endpoints in a configuration.

use super::*;

#[test]
fn endpoints_are_models_at_upstreams_and_every_upstream_is_one() {
    let text = r#"
[[upstream]]
name = "home"
base_url = "http://localhost:8080/v1"
[[upstream]]
name = "away"
kind = "ollama"
base_url = "http://box:11434"
[[endpoint]]
name = "Creative-Endpoint"
upstream = "away"
model = "big"
backupEndpointName = "home"
input_price = 0.5
"#;
    let config = load(text, HOME.into(), Flags::default()).unwrap();
    let shown = |one: &EndpointConfig| {
        format!("{} {} {:?} {:?}", one.name, one.upstream.name, one.model, one.backup)
    };
    let shown: Vec<String> = config.endpoints.iter().map(shown).collect();
    assert_eq!(
        shown,
        [
            "Creative-Endpoint away Some(\"big\") Some(\"home\")",
            "home home None None",
            "away away None None",
            "default home None None",
        ]
    );
    // The upstream may be named on the command line of `serve` alone.
    let text_without =
        "[[endpoint]]\nname = 'e'\nbackupEndpointName = 'f'\n[[endpoint]]\nname = 'f'\n";
    let config = load(text_without, HOME.into(), Flags::default()).unwrap();
    assert_eq!(config.endpoints.len(), 0);
    for (wrong, right) in [
        ("upstream = \"away\"", "upstream = \"nowhere\""),
        ("backupEndpointName = \"home\"", "backupEndpointName = \"nowhere\""),
        ("model = \"big\"", "modell = \"big\""),
        ("input_price = 0.5", "input_price = -1"),
    ] {
        let error = load(&text.replace(wrong, right), HOME.into(), Flags::default()).unwrap_err();
        assert!(error.message().contains("config.toml:1"), "{error}");
    }
}

//! Suggestions for unknown names, and the table of keys itself.

use super::*;

#[test]
fn the_nearest_key_is_named_with_its_table() {
    for (unknown, nearest) in [
        ("listn", "`listen`"),
        ("timezone", "`zone`"),
        ("conversation", "`conversations`"),
        ("conversations.idleTimeout", "`conversations.conversationIdleTimeoutMinutes`"),
        ("synchronous", "`store.synchronous`"),
        ("conversations.maxConversationRetained", "`conversations.maxConversationsRetained`"),
        ("store.max_size", "`store.max_size_mb`"),
    ] {
        let said = suggest_key(unknown);
        assert!(said.contains(nearest), "{unknown}: {said}");
    }
    assert!(suggest_key("qqq").starts_with("known keys are data, listen"));
    assert_eq!(suggest_variable("EVERWHEN_DATE"), "did you mean EVERWHEN_DATA?");
}

#[test]
fn every_table_is_known() {
    for (table, _) in KEYS.iter().filter_map(|key| key.name.split_once('.')) {
        assert!(is_table(table), "{table}");
    }
}

#[test]
fn no_two_keys_share_a_name_or_a_variable() {
    for (place, key) in KEYS.iter().enumerate() {
        for other in &KEYS[..place] {
            assert_ne!(key.name, other.name);
            assert_ne!(key.variable, other.variable);
        }
    }
}

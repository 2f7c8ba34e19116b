//! Vaults, memories and keys from the command line.

use serde_json::json;

use crate::stage::{Stage, finish};

#[test]
fn vaults_are_made_changed_listed_and_removed() {
    let stage = Stage::new();
    stage.ok(&["vaults", "add", "Ana's", "--zone", "Asia/Tokyo", "--description", "hers"]);
    assert_eq!(stage.run(&["vaults", "add", "Ana's"]).code, 4);
    stage.ok(&["vaults", "set", "Ana's", "--idle-timeout", "45", "--rename", "ana"]);
    assert_eq!(stage.run(&["vaults", "set", "ana"]).code, 2, "nothing to change");
    let page = stage.json(&["vaults"]);
    assert_eq!(page["data"][0]["name"], "ana");
    assert_eq!(page["data"][0]["settings"]["conversationIdleTimeoutMinutes"], 45);
    assert_eq!(page["data"][0]["settings"]["maxConversationsRetained"], 1000);
    let listed = stage.ok(&["vaults", "list"]);
    assert!(listed.starts_with("ana  vlt_"), "{listed}");
    assert!(listed.ends_with("  Asia/Tokyo  hers\n"), "{listed}");
    assert_eq!(stage.run(&["vaults", "remove", "ana"]).code, 2, "not asked, not told --yes");
    assert_eq!(stage.ok(&["vaults", "remove", "ana", "--yes"]), "Forgot 1 vault\n");
    assert_eq!(stage.ok(&["vaults"]), "");
}

#[test]
fn memories_are_made_by_hand_or_by_the_first_entry() {
    let stage = Stage::new();
    stage.ok(&["remember", "hello", "--memory", "by entry"]);
    stage.ok(&["memories", "add", "by hand", "--description", "notes"]);
    let listed = stage.ok(&["memories"]);
    assert!(listed.contains("by entry  mem_") && listed.contains("by hand   mem_"), "{listed}");
    assert_eq!(stage.run(&["memories", "add", "by hand"]).code, 4);
    assert_eq!(stage.run(&["memories", "--vault", "nobody's"]).code, 3);
}

#[test]
fn a_key_opens_its_vault_and_no_other() {
    let stage = Stage::new();
    stage.ok(&["remember", "for ana", "--vault", "ana"]);
    stage.ok(&["remember", "for bob", "--vault", "bob"]);
    let key = stage.ok(&["keys", "add", "--vault", "ana", "--label", "phone"]);
    let key = key.trim();
    assert!(key.starts_with("ew_"), "{key}");
    let listed = stage.run(&["keys"]);
    assert!(listed.stdout.contains("phone"), "{listed:?}");
    assert!(!listed.stdout.contains(key), "{listed:?}");

    let server = stage.serve();
    let elsewhere = Stage::new();
    let with = |args: &[&str], key: &str| {
        let args = [args, &["--server", &server.url]].concat();
        finish(elsewhere.command(&args).env("EVERWHEN_KEY", key), "")
    };
    assert!(with(&["entries", "--vault", "ana"], key).stdout.contains("for ana"));
    assert_eq!(with(&["entries", "--vault", "bob"], key).code, 3);
    assert_eq!(with(&["entries", "--vault", "ana"], "").code, 1);
    assert_eq!(with(&["keys"], key).code, 1);

    let id = stage.json(&["keys"])["data"][0]["id"].as_str().unwrap().to_owned();
    stage.ok(&["keys", "remove", &id]);
    assert_eq!(with(&["entries", "--vault", "ana"], key).code, 1);
    assert_eq!(stage.run(&["keys", "remove", &id]).code, 3);
    assert_eq!(stage.json(&["keys"])["data"], json!([]));
}

#[test]
fn keys_are_listed_with_scope_expiry_and_last_use() {
    let stage = Stage::new();
    let none = stage.run(&["keys"]);
    assert!(none.stdout.is_empty() && none.stderr.starts_with("No keys: "), "{none:?}");
    stage.ok(&["remember", "for ana", "--vault", "ana"]);
    let args = ["keys", "add", "--vault", "ana", "--scope", "read", "--expires", "2099-01-31"];
    let key = stage.ok(&args);
    stage.ok(&["keys", "add", "--vault", "ana", "--expires", "90d"]);
    let keys = stage.json(&["keys"]);
    assert_eq!(
        (&keys["data"][0]["scope"], &keys["data"][1]["scope"]),
        (&json!("read"), &json!("write"))
    );
    let listed = stage.ok(&["keys"]);
    assert!(listed.contains("  read   ") && listed.contains("  write  "), "{listed}");
    assert!(listed.contains("  expires 2099-01-31 00:00  never used"), "{listed}");

    let server = stage.serve();
    let elsewhere = Stage::new();
    let with = |args: &[&str]| {
        let args = [args, &["--vault", "ana", "--server", &server.url]].concat();
        finish(elsewhere.command(&args).env("EVERWHEN_KEY", key.trim()), "")
    };
    assert!(with(&["entries"]).stdout.contains("for ana"));
    let refused = with(&["remember", "more"]);
    assert!(refused.code != 0 && refused.stderr.contains("scope \"read\""), "{refused:?}");
    let listed = stage.ok(&["keys"]);
    assert!(listed.contains("  last used 2"), "{listed}");
}

#[test]
fn an_expiry_that_is_none_makes_no_key() {
    let stage = Stage::new();
    for wrong in ["soon", "90", "0d", "2027-13-01"] {
        let ran = stage.run(&["keys", "add", "--expires", wrong]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains("12h, 90d or 8w"), "{ran:?}");
    }
    let past = stage.run(&["keys", "add", "--expires", "2020-01-01"]);
    assert!(past.code != 0 && past.stderr.contains("not in the future"), "{past:?}");
    assert_eq!(stage.json(&["keys"])["data"], json!([]));
}

#[test]
fn whoever_removes_the_last_key_is_told_what_that_means() {
    let stage = Stage::new();
    stage.ok(&["keys", "add"]);
    stage.ok(&["keys", "add"]);
    let keys = stage.json(&["keys"]);
    let id = |place: usize| keys["data"][place]["id"].as_str().unwrap().to_owned();
    assert!(!stage.run(&["keys", "remove", &id(0)]).stderr.contains("last key"));
    let last = stage.run(&["keys", "remove", &id(1)]);
    assert!(last.stderr.contains("That was the last key."), "{last:?}");
}

#[test]
fn a_key_for_a_vault_that_does_not_exist_yet() {
    let stage = Stage::new();
    let ran = stage.run(&["keys", "add", "--vault", "default"]);
    assert_eq!(ran.code, 0, "the refusal of serve names this command: {ran:?}");
}

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
    stage.ok(&["vaults", "add", "bob"]);
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

#[test]
fn a_key_in_a_file_is_made_once_and_never_printed() {
    use std::os::unix::fs::PermissionsExt;
    let stage = Stage::new();
    let file = stage.home().join("key");
    let add = ["keys", "ensure", "--file", file.to_str().unwrap()];
    let first = stage.run(&add);
    assert_eq!(first.code, 0, "{first:?}");
    let key = std::fs::read_to_string(&file).unwrap();
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let second = stage.run(&add);
    let third = stage.run(&[&add[..], &["--json"]].concat());
    assert_eq!((second.code, third.code), (0, 0), "{second:?} {third:?}");
    assert!(second.stderr.contains("known already"), "{second:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), key);
    assert!(!format!("{first:?} {second:?} {third:?}").contains(key.trim()));
    assert_eq!(stage.json(&["keys"])["data"].as_array().unwrap().len(), 1);

    let server = stage.serve();
    let opened = stage.run(&["vaults", "--server", &server.url, "--key", key.trim()]);
    assert_eq!(opened.code, 0, "{opened:?}");
}

#[test]
fn a_key_that_was_chosen_elsewhere_is_registered_as_it_is() {
    let stage = Stage::new();
    let chosen = format!("ew_{}", "0123456789abcdef".repeat(4));
    let file = stage.file("secret", &format!("{chosen}\n"));
    let file = file.to_str().unwrap();
    stage.ok(&["keys", "ensure", "--vault", "ana", "--file", file]);
    let other = stage.run(&["keys", "ensure", "--vault", "bob", "--file", file]);
    assert_eq!(other.code, 4, "{other:?}");
    assert!(other.stderr.contains("key of another vault"), "{other:?}");
    for (text, complaint) in [("", "is empty"), ("hunter2", "openssl rand -hex 32")] {
        let file = stage.file("wrong", text);
        let refused = stage.run(&["keys", "ensure", "--file", file.to_str().unwrap()]);
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.stderr.contains(complaint), "{refused:?}");
    }
    assert_eq!(stage.json(&["keys"])["data"].as_array().unwrap().len(), 1);
    let server = stage.serve();
    let opened = stage.run(&["vaults", "--server", &server.url, "--key", &chosen]);
    assert_eq!(opened.code, 0, "{opened:?}");
}

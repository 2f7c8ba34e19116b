//! A server that is stopped keeps no command waiting.

use crate::stage::Stage;

fn signal(name: &str, pid: u32) {
    let sent = std::process::Command::new("kill").args([name, &pid.to_string()]).status();
    assert!(sent.unwrap().success());
}

#[test]
fn a_command_does_not_wait_for_a_stopped_server() {
    let stage = Stage::new();
    let serving = stage.serve();
    stage.ok(&["remember", "I like tea."]);
    signal("-STOP", serving.pid());
    let ran = stage.run(&["remember", "I like coffee."]);
    signal("-CONT", serving.pid());
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains("not even /healthz"), "{}", ran.stderr);
    assert!(ran.stderr.contains("kill -CONT"), "{}", ran.stderr);
    stage.ok(&["remember", "I like cocoa."]);
    serving.kill();
}

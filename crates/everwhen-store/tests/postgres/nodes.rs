//! What the store says of the nodes of a cluster. The database says that it is one and how its nodes answer; there
//! are none.

use everwhen_engine::ports::Store;
use everwhen_testkit::{Cluster, block_on, sql};

use super::open;

/// What a server asks a cluster. A node called `hangs` answers nothing while another process holds a lock; one called
/// `gone` refuses.
const CLUSTER: &str = "
    CREATE TABLE pg_dist_node (nodename text, nodeport int, noderole text, groupid int, isactive bool);
    CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod text);
    INSERT INTO pg_dist_partition VALUES ('vault', 'h');
    CREATE FUNCTION citus_check_connection_to_node(name text, port int) RETURNS bool LANGUAGE plpgsql AS $$
    BEGIN
        IF name = 'hangs' THEN PERFORM pg_advisory_lock_shared(7); END IF;
        RETURN name <> 'gone';
    END $$;
    SET allow_system_table_mods = on;
    INSERT INTO pg_extension SELECT 99999, 'citus', extowner, extnamespace, extrelocatable, extversion
        FROM pg_extension LIMIT 1";

fn cluster(nodes: &[&str]) -> Cluster {
    let cluster = Cluster::start();
    drop(open(&cluster.url()));
    sql(&cluster.url(), CLUSTER);
    for node in nodes {
        let node = format!("INSERT INTO pg_dist_node VALUES ('{node}', 5432, 'primary', 1, true)");
        sql(&cluster.url(), &node);
    }
    cluster
}

/// Asks until the answer is as expected.
fn wait_until(store: &dyn Store, is_expected: impl Fn(&[String]) -> bool) {
    while !is_expected(&block_on(store.ready()).unwrap()) {
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
}

#[test]
fn a_node_that_refuses_is_told_at_once() {
    let cluster = cluster(&["there", "gone"]);
    let store = open(&cluster.url());
    assert!(store.is_spread());
    let said = block_on(store.ready()).unwrap();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("the node gone:5432 has not answered for"), "{}", said[0]);
    sql(&cluster.url(), "DELETE FROM pg_dist_node WHERE nodename = 'gone'");
    wait_until(&store, <[String]>::is_empty);
}

#[test]
fn a_node_that_answers_nothing_keeps_nobody_waiting() {
    let cluster = cluster(&["hangs", "there"]);
    let store = open(&cluster.url());
    let url = cluster.url();
    let hold = "SELECT pg_advisory_lock(7); SELECT pg_sleep(3600)";
    let holder = std::thread::spawn(move || std::panic::catch_unwind(|| sql(&url, hold)));
    let held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted";
    while sql(&cluster.url(), held) != "1" {}
    // More probes than the store has readers.
    let asked = std::thread::scope(|scope| {
        let probes = [0; 8].map(|_| scope.spawn(|| block_on(store.ready())));
        probes.map(|probe| probe.join().unwrap())
    });
    assert!(asked.iter().all(Result::is_ok), "{asked:?}");
    let waits = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
    let waiting: usize = sql(&cluster.url(), waits).parse().unwrap();
    assert!(waiting <= 1, "{waiting} connections wait for the node");
    wait_until(&store, |said| {
        said.len() == 1 && said[0].starts_with("the node hangs:5432 has not")
    });
    sql(
        &cluster.url(),
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'",
    );
    let _ = holder.join();
    wait_until(&store, <[String]>::is_empty);
}

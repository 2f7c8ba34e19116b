//! temp
#![allow(clippy::all, clippy::allow_attributes, clippy::allow_attributes_without_reason)]
use everwhen_server::{Door, router, serve};
use std::sync::Arc;
#[tokio::main]
async fn main() {
    let dir = tempfile::tempdir().unwrap();
    let args: Vec<String> = std::env::args().collect();
    let store: Arc<dyn everwhen::ports::Store> = if args.get(2).map(String::as_str) == Some("plain")
    {
        Arc::new(everwhen_testkit::PlainStore::new())
    } else {
        Arc::new(
            everwhen_store::SqliteStore::open(
                &dir.path().join("x.db"),
                everwhen_store::SqliteOptions::default(),
            )
            .unwrap(),
        )
    };
    let defaults =
        everwhen::VaultDefaults { zone: everwhen::when::Zone::utc(), settings: Default::default() };
    let engine = everwhen::Engine::new(store, everwhen::world(), defaults);
    let door = Door::new(engine, Some("operator-token".into())).await.unwrap();
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{}", args[1])).await.unwrap();
    serve(router(door), listener, std::future::pending()).await.unwrap();
}

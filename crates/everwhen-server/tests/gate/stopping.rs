//! Stopping while a client watches.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::stage::{Stage, read};

#[tokio::test]
async fn an_open_tail_does_not_delay_the_end() {
    let mut stage = Stage::new().await;
    let mut client = stage.connect().await;
    client.write_all(b"GET /proxy/tail HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut first = [0; 12];
    client.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    stage.stop.take().unwrap().send(()).unwrap();
    stage.server.await.unwrap().unwrap();
    let response = read(&mut client).await;
    assert!(response.body.ends_with("0\r\n\r\n"), "the stream is ended, not cut off: {response:?}");
}

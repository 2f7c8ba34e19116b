//! Bringing an index up to date, however far it is behind.
//!
//! Entries are read, and embedded as far as that costs next to nothing, where the store reads, while
//! those before them are taken in here. So two cores work on it.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use super::Shared;
use super::news::{Known, News};
use crate::Result;
use crate::engine::Engine;
use crate::memory::Memory;

impl Shared {
    /// Takes in everything a memory had when it was looked at. If several want that, one does it.
    pub(super) async fn catch_up(&self, engine: &Engine, memory: &Memory) -> Result<()> {
        let _turn = self.turns.next().await;
        if self.read().sequence == 0 {
            self.load(engine).await?;
        }
        let mut ahead = None;
        while !self.read().is_level_with(memory) {
            let known = Known::of(&self.read());
            let news = match ahead.take() {
                Some(news) => news,
                None => self.news(engine, known).await?,
            };
            ahead = self.take_in_and_read_on(engine, news).await?;
        }
        Ok(())
    }

    /// Takes in news while the store reads what comes behind them.
    async fn take_in_and_read_on(&self, engine: &Engine, news: News) -> Result<Option<News>> {
        let Some(next) = news.next() else {
            self.take_in(engine, news);
            return Ok(None);
        };
        let mut reading = pin!(self.news(engine, next));
        // Asked once, so that the store begins.
        let begun = poll_fn(|context| Poll::Ready(reading.as_mut().poll(context))).await;
        self.take_in(engine, news);
        match begun {
            Poll::Ready(read) => read.map(Some),
            Poll::Pending => reading.await.map(Some),
        }
    }

    /// Reads what comes next, with the vectors that are at hand.
    async fn news(&self, engine: &Engine, known: Known) -> Result<News> {
        let (place, embedders) = (self.place, engine.embedders.clone());
        let served_by = self.read().served_by().to_owned();
        let read = engine.store.look(move |snapshot| {
            Ok(News::read(snapshot, place, known)?.embedded(&embedders, &served_by))
        });
        read.await
    }
}

//! Answers the questions of a story through the engine's own verbs.

use everwhen_engine::facts::FactLines;
use everwhen_engine::memory::Entry;
use everwhen_engine::ports::{ArchiveFilter, ConversationQuery, Cursor, Which};
use everwhen_engine::{Error, Page, Result, TimelineLine};

use super::action::{Filter, Question};
use super::render;
use super::runner::StoryRunner;

/// More jobs than a story ever has.
const JOBS: usize = 1000;

impl StoryRunner<'_> {
    /// The answer to a question.
    pub(super) async fn answer(&mut self, question: &Question) -> Result<String> {
        match question {
            Question::Timeline(filter) => self.timeline(filter.clone()).await,
            Question::Entries(filter) => self.entries(filter.clone()).await,
            Question::More => self.more().await,
            Question::Entry(name) => {
                let id = self.names.entry(name).map_err(Error::invalid)?;
                let entry = self.vault().entry(self.memory(), id).await?;
                Ok(render::entry_in_full(&entry, &self.zone))
            }
            Question::Conversations(query) => self.conversations(query).await,
            Question::Conversation(name) => self.conversation(name).await,
            Question::Prompt => {
                let prompt = self.vault().prompt(self.memory()).await?;
                Ok(if prompt.is_empty() { "(nothing)".into() } else { prompt })
            }
            Question::Context(version) => {
                let context = self.vault().context(self.memory(), *version).await?;
                Ok(render::context(&context, &self.zone))
            }
            Question::Contexts => {
                let page = self.vault().contexts(self.memory(), None, None).await?;
                let rows = page.data.iter().map(|one| render::context(one, &self.zone));
                Ok(list(rows.collect(), page.next.is_some()))
            }
            Question::Facts(query) => {
                let page = self.vault().facts(self.memory(), query.clone()).await?;
                let rows = page.data.iter().map(|view| render::fact(view, &self.zone));
                Ok(list(rows.collect(), page.next.is_some()))
            }
            Question::Months => {
                let text = self.vault().facts_by_month(self.memory(), FactLines::default()).await?;
                Ok(if text.is_empty() { "(nothing)".into() } else { text })
            }
            Question::Recall(query) => {
                let found = self.vault().recall(self.memory(), query.as_ref().clone()).await?;
                Ok(list(render::recollection(&found, &self.zone), false))
            }
            Question::States => self.states().await,
            Question::Jobs => {
                let jobs = self.engine().jobs(JOBS).await?;
                Ok(list(jobs.iter().map(|job| render::job(job, &self.zone)).collect(), false))
            }
        }
    }

    async fn conversations(&self, query: &ConversationQuery) -> Result<String> {
        let page = self.vault().conversations(self.memory(), query.clone()).await?;
        let rows = page.data.iter().map(|one| render::conversation(one, &self.zone));
        Ok(list(rows.collect(), page.next.is_some()))
    }

    async fn conversation(&self, name: &str) -> Result<String> {
        let whom = self.names.conversation(name).map_err(Error::invalid)?;
        let view = self.vault().conversation(self.memory(), whom).await?;
        Ok(render::conversation_in_full(&view, &self.zone))
    }

    async fn states(&self) -> Result<String> {
        let rules = self.vault().rules(self.memory()).await?;
        let query =
            ConversationQuery { archive: ArchiveFilter::Both, ..ConversationQuery::default() };
        let page = self.vault().conversations(self.memory(), query).await?;
        let now = self.engine().now();
        let rows = page
            .data
            .iter()
            .map(|one| format!("{} {}", one.wire_name(), rules.state_of(one, now).as_str()));
        Ok(list(rows.collect(), page.next.is_some()))
    }

    async fn timeline(&mut self, mut filter: Filter) -> Result<String> {
        self.find_branch(&mut filter)?;
        let page = self.vault().timeline(self.memory(), filter.query.clone()).await?;
        Ok(self.turn(page, filter, true, |line: &TimelineLine, _| line.text()))
    }

    async fn entries(&mut self, mut filter: Filter) -> Result<String> {
        self.find_branch(&mut filter)?;
        let whom = filter.conversation.as_ref().map(|name| self.names.conversation(name));
        let whom = whom.transpose().map_err(Error::invalid)?;
        let page = self.vault().entries(self.memory(), whom, filter.query.clone()).await?;
        Ok(self.turn(page, filter, false, |entry: &Entry, zone| render::entry(entry, zone)))
    }

    async fn more(&mut self) -> Result<String> {
        let (mut filter, timeline, cursor) = self
            .more
            .take()
            .ok_or_else(|| Error::invalid("the last list was whole; ask one with limit N first"))?;
        filter.query.from = Some(cursor);
        if timeline { self.timeline(filter).await } else { self.entries(filter).await }
    }

    fn find_branch(&self, filter: &mut Filter) -> Result<()> {
        if let Some(name) = &filter.branch {
            filter.query.which = Which::Branch(self.names.branch(name).map_err(Error::invalid)?);
        }
        Ok(())
    }

    /// Tells a page, and keeps the place where the next begins.
    fn turn<T>(
        &mut self,
        page: Page<T, Cursor>,
        filter: Filter,
        timeline: bool,
        render: impl Fn(&T, &everwhen_engine::time::Zone) -> String,
    ) -> String {
        self.more = page.next.map(|cursor| (filter, timeline, cursor));
        let rows = page.data.iter().map(|row| render(row, &self.zone)).collect();
        list(rows, self.more.is_some())
    }
}

fn list(mut rows: Vec<String>, more: bool) -> String {
    if rows.is_empty() {
        return "(nothing)".into();
    }
    if more {
        rows.push("(and more)".into());
    }
    rows.join("\n")
}

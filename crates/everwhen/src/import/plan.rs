//! Which source reads which file, and the reading itself.

use std::path::{Path, PathBuf};

use everwhen_engine::ImportedConversation;
use serde::de::IgnoredAny;

use super::input::{Document, Documents};
use super::options::Options;
use super::reading::Reading;
use super::report::Report;
use super::sample::{Claim, Sample};
use super::sources::{SOURCES, Source};
use crate::{Error, Result};

/// The most files that are named where none can be read.
const REFUSED_NAMED: usize = 5;

/// Files whose sources are known.
pub struct Plan {
    documents: Documents,
    parts: Vec<Part>,
    /// Files that no source knows.
    pub unknown: Vec<String>,
}

/// What one source reads.
struct Part {
    source: &'static Source,
    documents: Vec<usize>,
}

impl Plan {
    /// Recognises files, folders and archives.
    pub fn of_paths(paths: &[PathBuf], options: &Options) -> Result<Self> {
        Self::of(Documents::find(paths)?, options)
    }

    /// Recognises those files of a folder that are wanted.
    pub fn of_some(
        folder: &Path,
        is_wanted: &dyn Fn(&Path) -> bool,
        options: &Options,
    ) -> Result<Self> {
        let mut documents = Documents::find(&[folder.to_owned()])?;
        documents.list.retain(|document| document.path().is_some_and(is_wanted));
        Self::of(documents, options)
    }

    /// Recognises one file whose bytes are in memory.
    pub fn of_bytes(name: &str, bytes: Vec<u8>, options: &Options) -> Result<Self> {
        Self::of(Documents::of_bytes(name, bytes), options)
    }

    fn of(documents: Documents, options: &Options) -> Result<Self> {
        let forced = options.from.as_deref().map(Source::named).transpose()?;
        let mut plan = Self { documents, parts: Vec::new(), unknown: Vec::new() };
        let mut doubts = Vec::new();
        for place in 0..plan.documents.list.len() {
            let document = &plan.documents.list[place];
            let sample = match Sample::of(document) {
                Ok(sample) => sample,
                Err(error) => {
                    plan.documents.refused.push(format!("{}: {error}", document.place));
                    continue;
                }
            };
            match (recognise(&sample, forced).as_slice(), forced) {
                ([source], _) => plan.give(source, place),
                ([], Some(source)) if plan.documents.list.len() == 1 => {
                    let why = broken(document, &sample).map(Error::invalid);
                    return Err(why.unwrap_or_else(|| is_not(&document.place, source, &sample)));
                }
                ([], _) => match broken(document, &sample) {
                    Some(why) => plan.documents.refused.push(why),
                    None => plan.unknown.push(document.place.clone()),
                },
                (several, _) => doubts.push(format!(
                    "{}: {}",
                    document.place,
                    several.iter().map(|one| one.name).collect::<Vec<_>>().join(" or ")
                )),
            }
        }
        if !doubts.is_empty() {
            return Err(Error::invalid(format!(
                "more than one program could have written this; say which with --from: {}",
                doubts.join("; ")
            )));
        }
        if plan.parts.is_empty() {
            return Err(plan.nothing());
        }
        Ok(plan)
    }

    fn give(&mut self, source: &'static Source, document: usize) {
        match self.parts.iter_mut().find(|part| part.source.name == source.name) {
            Some(part) => part.documents.push(document),
            None => self.parts.push(Part { source, documents: vec![document] }),
        }
    }

    fn nothing(&self) -> Error {
        let refused = &self.documents.refused;
        if !refused.is_empty() {
            let named = &refused[..refused.len().min(REFUSED_NAMED)];
            return Error::invalid(named.join("; "));
        }
        if let Some(document) = self.documents.list.first().filter(|one| one.size == 0) {
            return Error::invalid(format!("{}: the file is empty", document.place));
        }
        let known: Vec<&str> = SOURCES.iter().map(|source| source.name).collect();
        Error::invalid(format!(
            "{}: no program is known that writes such a file; if you know what it is, name it with \
             --from: {}",
            self.unknown.first().map_or("the folder is empty", String::as_str),
            known.join(", ")
        ))
    }

    /// The sources, with the number of files of each.
    pub fn sources(&self) -> Vec<(&'static Source, usize)> {
        self.parts.iter().map(|part| (part.source, part.documents.len())).collect()
    }

    /// Bytes of all files that are read, unpacked.
    pub fn bytes(&self) -> u64 {
        let places = self.parts.iter().flat_map(|part| &part.documents);
        places.map(|place| self.documents.list[*place].size).sum()
    }

    /// Reads everything. `take` is given each conversation and answers whether to go on. What cannot
    /// be read is in the report; what came before it has been given.
    pub fn read(
        &self,
        options: &Options,
        take: &mut dyn FnMut(&'static Source, ImportedConversation) -> bool,
    ) -> Report {
        let mut report = Report::default();
        for refused in &self.documents.refused {
            report.problem(refused.clone());
        }
        for part in &self.parts {
            let mut stopped = false;
            let mut sink = |found: ImportedConversation| {
                let goes_on = take(part.source, found);
                stopped = !goes_on;
                goes_on
            };
            let documents = (&self.documents, part.documents.as_slice());
            let mut reading = Reading::new(part.source.name, documents, options, &mut sink);
            (part.source.read)(&mut reading);
            let found = reading.report;
            report.add(found);
            if stopped {
                break;
            }
        }
        report
    }
}

fn recognise(sample: &Sample<'_>, forced: Option<&'static Source>) -> Vec<&'static Source> {
    if let Some(source) = forced {
        return if (source.claims)(sample) > Claim::No { vec![source] } else { Vec::new() };
    }
    let claims: Vec<(Claim, &'static Source)> =
        SOURCES.iter().map(|source| ((source.claims)(sample), *source)).collect();
    let best = claims.iter().map(|(claim, _)| *claim).max().unwrap_or(Claim::No);
    if best == Claim::No {
        return Vec::new();
    }
    claims.into_iter().filter(|(claim, _)| *claim == best).map(|(_, source)| source).collect()
}

/// Why a document that no source knows may be one of a known program after all: JSON that breaks off, with
/// the place, or a database that cannot be read where it is.
fn broken(document: &Document, sample: &Sample<'_>) -> Option<String> {
    let is_database = || document.first_bytes().is_ok_and(|b| b.starts_with(b"SQLite format 3\0"));
    if document.path().is_none() && is_database() {
        let what = "a database inside of an archive; unpack the archive and import the folder";
        return Some(format!("{}: {what}", document.place));
    }
    if !sample.text.trim_start().starts_with(['{', '[']) || sample.lines.len() > 1 {
        return None;
    }
    let read = document.with_json(|text| {
        let text = std::io::BufReader::with_capacity(64 * 1024, text);
        serde_json::from_reader::<_, IgnoredAny>(text)
    });
    let error = read.ok()?.0.err().filter(serde_json::Error::is_eof)?;
    Some(format!(
        "{}: the file is cut off: its JSON breaks off in line {}, column {}, before anything shows which program \
         wrote it; download or copy it again and import it again",
        document.place,
        error.line(),
        error.column()
    ))
}

/// The refusal of a file that was named as one of another program.
fn is_not(place: &str, source: &Source, sample: &Sample<'_>) -> Error {
    let others: Vec<&str> = recognise(sample, None).iter().map(|one| one.title).collect();
    let guess = match others.as_slice() {
        [] => String::new(),
        some => format!("; it looks like {}", some.join(" or ")),
    };
    Error::invalid(format!(
        "{place}: this is no file of {} (it should be {}){guess}",
        source.title, source.takes
    ))
}

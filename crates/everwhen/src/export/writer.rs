//! Writing an export into a file.

use std::fs::File;
use std::io::{BufWriter, Seek, Write};
use std::sync::{Mutex, PoisonError};

use everwhen_engine::ExportSink;
use everwhen_engine::memory::{Memory, MemoryId, VaultInfo};

use super::wire::{About, Mark};
use crate::{Error, Result};

/// Writes an export into a file from its beginning.
pub struct ExportWriter(Mutex<Writing>);

struct Writing {
    file: BufWriter<File>,
    memories: u64,
    open: Option<(MemoryId, u64)>,
}

impl ExportWriter {
    /// Writes into an empty file.
    pub fn new(file: File) -> Self {
        let file = BufWriter::with_capacity(256 * 1024, file);
        Self(Mutex::new(Writing { file, memories: 0, open: None }))
    }

    fn write(&self, work: impl FnOnce(&mut Writing) -> Result<()>) -> Result<()> {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Writing {
    fn line(&mut self, line: &str) -> Result<()> {
        let written =
            self.file.write_all(line.as_bytes()).and_then(|()| self.file.write_all(b"\n"));
        written.map_err(|error| failed(&error))
    }

    fn mark(&mut self, mark: &Mark) -> Result<()> {
        self.line(&mark.line()?)
    }

    fn close_memory(&mut self) -> Result<()> {
        match self.open.take() {
            Some((id, lines)) => self.mark(&Mark::End { id: id.to_string(), lines }),
            None => Ok(()),
        }
    }

    fn rewind(&mut self) -> std::io::Result<()> {
        self.file.flush()?;
        self.file.rewind()?;
        self.file.get_ref().set_len(0)
    }
}

impl ExportSink for ExportWriter {
    fn begin(&self, vault: &VaultInfo) -> Result<()> {
        self.write(|writing| {
            writing.rewind().map_err(|error| failed(&error))?;
            (writing.memories, writing.open) = (0, None);
            writing.mark(&Mark::Everwhen(About::of(vault)))
        })
    }

    fn memory(&self, memory: &Memory) -> Result<()> {
        self.write(|writing| {
            writing.close_memory()?;
            writing.memories += 1;
            writing.open = Some((memory.id, 0));
            writing.mark(&Mark::begin(memory.id, &memory.name))
        })
    }

    fn line(&self, line: &str) -> Result<()> {
        self.write(|writing| {
            if let Some((_, lines)) = &mut writing.open {
                *lines += 1;
            }
            writing.line(line)
        })
    }

    fn end(&self) -> Result<()> {
        self.write(|writing| {
            writing.close_memory()?;
            let memories = writing.memories;
            writing.mark(&Mark::Done { memories })?;
            writing.file.flush().map_err(|error| failed(&error))
        })
    }
}

fn failed(error: &std::io::Error) -> Error {
    Error::unavailable(format!("the export cannot be written: {error}"))
}

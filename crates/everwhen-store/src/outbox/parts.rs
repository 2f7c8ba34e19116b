//! Parts that several rows share, each kept once. How many rows use a part is counted in memory, so that a
//! row costs only what is new in it, however long the history is that it shares with others.

use std::collections::HashMap;
use std::sync::Arc;

use everwhen_engine::Result;
use rusqlite::{Connection, params};

use crate::sqlite::Stored;

/// The bytes of one id in the list of a row.
const ID_BYTES: usize = 8;

/// Which parts there are.
#[derive(Default)]
pub(super) struct Parts {
    ids: HashMap<[u8; 32], i64>,
    used: HashMap<i64, Used>,
    last: i64,
}

struct Used {
    hash: [u8; 32],
    rows: u64,
}

impl Parts {
    /// Counts what the file holds.
    pub(super) fn read(connection: &Connection) -> Result<Self> {
        let mut parts = Self::default();
        let mut all = connection.prepare("SELECT id, bytes FROM part").stored()?;
        let mut rows = all.query([]).stored()?;
        while let Some(row) = rows.next().stored()? {
            let id: i64 = row.get(0).stored()?;
            let bytes = row.get_ref(1).stored()?;
            let hash = *blake3::hash(bytes.as_blob().unwrap_or_default()).as_bytes();
            parts.ids.insert(hash, id);
            parts.used.insert(id, Used { hash, rows: 0 });
            parts.last = parts.last.max(id);
        }
        let mut lists = connection.prepare("SELECT parts FROM waiting").stored()?;
        let mut rows = lists.query([]).stored()?;
        while let Some(row) = rows.next().stored()? {
            for id in read_list(row.get_ref(0).stored()?.as_blob().unwrap_or_default()) {
                if let Some(used) = parts.used.get_mut(&id) {
                    used.rows += 1;
                }
            }
        }
        Ok(parts)
    }

    /// A row uses these bytes; answers the id of their part.
    pub(super) fn take(&mut self, connection: &Connection, bytes: &[u8]) -> Result<i64> {
        let hash = *blake3::hash(bytes).as_bytes();
        let known = self.ids.get(&hash).copied();
        let id = known.unwrap_or(self.last + 1);
        if known.is_none() {
            let sql = "INSERT INTO part (id, bytes) VALUES (?1, ?2)";
            let put = |mut put: rusqlite::CachedStatement<'_>| put.execute(params![id, bytes]);
            connection.prepare_cached(sql).and_then(put).stored()?;
            self.ids.insert(hash, id);
            self.last = id;
        }
        self.used.entry(id).or_insert(Used { hash, rows: 0 }).rows += 1;
        Ok(id)
    }

    /// A row does not use these parts any more; those that no row uses are removed.
    pub(super) fn release(&mut self, connection: &Connection, ids: &[i64]) -> Result<()> {
        for id in ids {
            let Some(used) = self.used.get_mut(id) else { continue };
            used.rows = used.rows.saturating_sub(1);
            if used.rows == 0 {
                let sql = "DELETE FROM part WHERE id = ?1";
                let remove = |mut it: rusqlite::CachedStatement<'_>| it.execute([id]);
                connection.prepare_cached(sql).and_then(remove).stored()?;
                self.ids.remove(&used.hash);
                self.used.remove(id);
            }
        }
        Ok(())
    }
}

/// Reads parts, each once for all rows that share it.
#[derive(Default)]
pub(super) struct Reader(HashMap<i64, Arc<[u8]>>);

impl Reader {
    /// The bytes of these parts.
    pub(super) fn read(&mut self, connection: &Connection, ids: &[i64]) -> Result<Vec<Arc<[u8]>>> {
        ids.iter().map(|id| self.one(connection, *id)).collect()
    }

    fn one(&mut self, connection: &Connection, id: i64) -> Result<Arc<[u8]>> {
        if let Some(known) = self.0.get(&id) {
            return Ok(Arc::clone(known));
        }
        let mut found =
            connection.prepare_cached("SELECT bytes FROM part WHERE id = ?1").stored()?;
        let bytes: Vec<u8> = found.query_row([id], |row| row.get(0)).stored()?;
        let bytes: Arc<[u8]> = bytes.into();
        self.0.insert(id, Arc::clone(&bytes));
        Ok(bytes)
    }
}

/// The parts of a row, as the row holds them.
pub(super) fn write_list(ids: &[i64]) -> Vec<u8> {
    ids.iter().flat_map(|id| id.to_le_bytes()).collect()
}

/// The parts of a row.
pub(super) fn read_list(list: &[u8]) -> Vec<i64> {
    let (ids, _) = list.as_chunks::<ID_BYTES>();
    ids.iter().map(|id| i64::from_le_bytes(*id)).collect()
}

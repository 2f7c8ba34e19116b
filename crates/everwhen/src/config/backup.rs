//! The table `[backup]`: backups that the server makes by itself.

use std::path::PathBuf;
use std::time::Duration;

use super::key::{self, Key};
use super::layer::{Layers, Origin};
use super::{Chosen, Environment, expand_home, from_file, number, quoted};
use crate::Result;

/// When backups are made, and where.
#[derive(Debug, Clone)]
pub struct BackupConfig {
    /// The time between two backups; none are made if it is absent.
    pub every: Chosen<Option<Duration>>,
    /// How many are kept; older ones are removed.
    pub keep: Chosen<u32>,
    /// Their directory; `backups` in the data directory if absent.
    pub directory: Chosen<Option<PathBuf>>,
}

impl BackupConfig {
    pub(super) fn read(layers: &Layers, environment: &Environment) -> Result<Self> {
        let directory = match layers.find(key::BACKUP_DIR) {
            None => Chosen { value: None, from: Origin::Default },
            Some(found) => {
                let path = expand_home(found.text(key::BACKUP_DIR)?, environment);
                Chosen { value: Some(from_file(path, found)), from: found.from.clone() }
            }
        };
        Ok(Self {
            every: interval(layers, key::BACKUP_EVERY)?,
            keep: number(layers, key::BACKUP_KEEP, 7)?,
            directory,
        })
    }

    /// Values as one would write them, in the order of the keys.
    pub(super) fn rows(&self) -> [(String, &Origin); 3] {
        let every = self.every.value.map_or("none".into(), |every| quoted(&written(every)));
        let directory = self.directory.value.as_ref();
        let directory = directory.map_or("none".into(), |path| quoted(&path.display().to_string()));
        [
            (every, &self.every.from),
            (self.keep.value.to_string(), &self.keep.from),
            (directory, &self.directory.from),
        ]
    }
}

/// A number of minutes, hours or days.
fn interval(layers: &Layers, key: Key) -> Result<Chosen<Option<Duration>>> {
    let Some(found) = layers.find(key) else {
        return Ok(Chosen { value: None, from: Origin::Default });
    };
    let text = found.text(key)?;
    match read_interval(text) {
        Some(every) => Ok(Chosen { value: Some(every), from: found.from.clone() }),
        None => Err(found.refuse(key, format_args!("is {text:?}"))),
    }
}

fn read_interval(text: &str) -> Option<Duration> {
    let unit = text.trim().chars().last()?;
    let minutes: u64 = match unit {
        'm' => 1,
        'h' => 60,
        'd' => 24 * 60,
        _ => return None,
    };
    let count: u64 = text.trim().trim_end_matches(unit).trim().parse().ok()?;
    let seconds = count.checked_mul(minutes)?.checked_mul(60)?;
    (seconds > 0).then(|| Duration::from_secs(seconds))
}

fn written(every: Duration) -> String {
    let minutes = every.as_secs() / 60;
    match minutes {
        days if days % (24 * 60) == 0 => format!("{}d", days / 24 / 60),
        hours if hours % 60 == 0 => format!("{}h", hours / 60),
        minutes => format!("{minutes}m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_have_a_unit() {
        for (text, minutes) in [("30m", 30), ("6h", 360), ("1d", 1440), (" 2 h ", 120)] {
            assert_eq!(read_interval(text), Some(Duration::from_secs(minutes * 60)), "{text}");
        }
        for text in ["", "6", "0h", "h", "-1d", "6 weeks", "99999999999999999999d"] {
            assert_eq!(read_interval(text), None, "{text}");
        }
        assert_eq!(written(Duration::from_secs(86_400)), "1d");
        assert_eq!(written(Duration::from_secs(5_400)), "90m");
    }
}

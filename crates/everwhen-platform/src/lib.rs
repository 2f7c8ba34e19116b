//! What operating systems do differently, for all other crates: files that only their owner may read or
//! that are replaced at once, which file a path leads to, signals that end a process, the limit of open
//! files. No other file has code for one system only.
//!
//! On Windows a file in the user's profile is private by the rights it inherits, so nothing is set
//! there, and there is no limit of open files.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Options for creating and writing a file that only its owner may read. A file that exists keeps its
/// rights; see [`restrict_to_owner`].
pub fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes a directory, and those above it, that only its owner may read; one that exists is taken as it
/// is.
pub fn make_private_directory(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(directory)
}

/// Takes the right to read a file from all but its owner.
#[cfg(unix)]
pub fn restrict_to_owner(file: &File) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))
}

/// Takes the right to read a file from all but its owner.
#[cfg(not(unix))]
pub fn restrict_to_owner(_: &File) -> io::Result<()> {
    Ok(())
}

/// Replaces a file, or makes it: readers find its old content or the new one, also after a crash, and
/// the new one is durable when this returns. A file keeps its rights, and a link becomes a file.
pub fn replace_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let rights = match std::fs::metadata(path) {
        Ok(known) => Some(known.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let Some(rights) = rights else {
        return finish_replacing(path, usual_file().tempfile_in(directory_of(path))?, content);
    };
    let fresh = NamedTempFile::new_in(directory_of(path))?;
    fresh.as_file().set_permissions(rights)?;
    finish_replacing(path, fresh, content)
}

/// Replaces a file as [`replace_file`] does, by one that only its owner may read.
pub fn replace_private_file(path: &Path, content: &[u8]) -> io::Result<()> {
    finish_replacing(path, NamedTempFile::new_in(directory_of(path))?, content)
}

/// A temporary file with the rights of any new file; by itself it would be private.
#[cfg(unix)]
fn usual_file() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

/// A temporary file with the rights of any new file.
#[cfg(not(unix))]
fn usual_file() -> tempfile::Builder<'static, 'static> {
    tempfile::Builder::new()
}

fn finish_replacing(path: &Path, mut fresh: NamedTempFile, content: &[u8]) -> io::Result<()> {
    fresh.write_all(content)?;
    fresh.as_file().sync_all()?;
    fresh.persist(path)?;
    match sync_directory(directory_of(path)) {
        // Not every file system can.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        synced => synced,
    }
}

fn directory_of(path: &Path) -> &Path {
    let parent = path.parent().unwrap_or(path);
    if parent.as_os_str().is_empty() { Path::new(".") } else { parent }
}

/// Which file a path leads to: another one in its place is not equal. On Windows all files are, because one that is
/// open can be neither removed nor replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileIdentity {
    #[cfg(unix)]
    device_and_inode: (u64, u64),
}

impl FileIdentity {
    /// The file at this path now; an error if there is none.
    pub fn of(path: &Path) -> io::Result<Self> {
        Ok(Self::new(&path.metadata()?))
    }

    #[cfg(unix)]
    fn new(file: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { device_and_inode: (file.dev(), file.ino()) }
    }

    #[cfg(not(unix))]
    fn new(_: &std::fs::Metadata) -> Self {
        Self {}
    }
}

/// Makes durable which files are in a directory. On Windows the file system does so itself.
#[cfg(unix)]
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    let here = directory.as_os_str().is_empty();
    File::open(if here { Path::new(".") } else { directory })?.sync_all()
}

/// Makes durable which files are in a directory. On Windows the file system does so itself.
#[cfg(not(unix))]
pub fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Lets this process open as many files, and so connections, as the system allows. Returns that number,
/// or nothing where there is no limit.
#[cfg(unix)]
pub fn raise_file_limit() -> io::Result<Option<u64>> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum })?;
    }
    Ok(limit.maximum)
}

/// Lets this process open as many files, and so connections, as the system allows. Returns that number,
/// or nothing where there is no limit.
#[cfg(not(unix))]
pub fn raise_file_limit() -> io::Result<Option<u64>> {
    Ok(None)
}

/// The signals by which a user or the system asks a process to end.
#[derive(Debug)]
pub struct StopSignals {
    #[cfg(unix)]
    heard: [tokio::signal::unix::Signal; 2],
    #[cfg(windows)]
    heard: (tokio::signal::windows::CtrlC, tokio::signal::windows::CtrlShutdown),
}

impl StopSignals {
    /// Listens from now on. Needs tokio's runtime.
    pub fn listen() -> io::Result<Self> {
        #[cfg(unix)]
        let heard = {
            use tokio::signal::unix::{SignalKind, signal};
            [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?]
        };
        #[cfg(windows)]
        let heard = (tokio::signal::windows::ctrl_c()?, tokio::signal::windows::ctrl_shutdown()?);
        Ok(Self { heard })
    }

    /// Waits for the next signal: SIGINT or SIGTERM, on Windows Ctrl-C or the shutdown of the system.
    pub async fn next(&mut self) {
        #[cfg(unix)]
        let [first, second] = &mut self.heard;
        #[cfg(windows)]
        let (first, second) = &mut self.heard;
        tokio::select! {
            _ = first.recv() => {}
            _ = second.recv() => {}
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn rights(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn what_is_private_is_readable_by_its_owner_only() {
        let home = tempfile::tempdir().unwrap();
        let (directory, file) = (home.path().join("a/b"), home.path().join("a/b/c"));
        make_private_directory(&directory).unwrap();
        make_private_directory(&directory).unwrap();
        private_file().open(&file).unwrap();
        assert_eq!((rights(&directory), rights(&file)), (0o700, 0o600));
    }

    #[test]
    fn a_directory_is_synced_and_a_missing_one_is_an_error() {
        let home = tempfile::tempdir().unwrap();
        sync_directory(home.path()).unwrap();
        sync_directory(Path::new("")).unwrap();
        assert!(sync_directory(&home.path().join("missing")).is_err());
    }

    #[test]
    fn a_file_is_replaced_with_the_rights_it_had() {
        let home = tempfile::tempdir().unwrap();
        let [path, other, old] = ["file", "other", "old"].map(|name| home.path().join(name));
        replace_file(&path, b"one").unwrap();
        File::create(&other).unwrap();
        assert_eq!(rights(&path), rights(&other), "a new file is like any other");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o604)).unwrap();
        std::fs::hard_link(&path, &old).unwrap();
        replace_file(&path, b"two").unwrap();
        assert_eq!((std::fs::read(&path).unwrap(), rights(&path)), (b"two".to_vec(), 0o604));
        assert_eq!(std::fs::read(&old).unwrap(), b"one", "the old file was not written to");
        replace_private_file(&path, b"three").unwrap();
        assert_eq!((std::fs::read(&path).unwrap(), rights(&path)), (b"three".to_vec(), 0o600));
    }

    #[test]
    fn what_cannot_be_replaced_stays_and_nothing_lies_beside_it() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("directory");
        std::fs::create_dir(&path).unwrap();
        replace_file(&path, b"text").unwrap_err();
        replace_private_file(&path, b"text").unwrap_err();
        replace_file(&home.path().join("missing/file"), b"text").unwrap_err();
        let left: Vec<_> = std::fs::read_dir(home.path()).unwrap().flatten().collect();
        assert!(left.len() == 1 && path.is_dir(), "{left:?}");
    }

    #[test]
    fn a_file_that_all_may_read_is_restricted() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("open");
        let file = File::create(&path).unwrap();
        file.set_permissions(PermissionsExt::from_mode(0o644)).unwrap();
        restrict_to_owner(&file).unwrap();
        assert_eq!(rights(&path), 0o600);
    }

    #[test]
    fn a_file_that_took_the_place_of_another_is_told_from_it() {
        let home = tempfile::tempdir().unwrap();
        let [path, moved, other] = ["a", "b", "c"].map(|name| home.path().join(name));
        File::create(&path).unwrap();
        let first = FileIdentity::of(&path).unwrap();
        assert_eq!(FileIdentity::of(&path).unwrap(), first);
        std::fs::rename(&path, &moved).unwrap();
        assert!(FileIdentity::of(&path).is_err());
        assert_eq!(FileIdentity::of(&moved).unwrap(), first);
        File::create(&other).unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert_ne!(FileIdentity::of(&path).unwrap(), first);
    }

    #[test]
    fn the_limit_of_open_files_is_raised_to_what_the_system_allows() {
        use rustix::process::{Resource, getrlimit};
        let raised = raise_file_limit().unwrap();
        let limit = getrlimit(Resource::Nofile);
        assert_eq!((limit.current, raised), (limit.maximum, limit.maximum));
    }

    #[tokio::test]
    async fn a_signal_is_heard_each_time() {
        let mut signals = StopSignals::listen().unwrap();
        for signal in [rustix::process::Signal::TERM, rustix::process::Signal::INT] {
            rustix::process::kill_process(rustix::process::getpid(), signal).unwrap();
            signals.next().await;
        }
    }
}

//! The files of the page as they are in a folder, for developers who change them: what is built with
//! `UI_FILES=$PWD/crates/everwhen-ui/page cargo build` shows a change after a reload.

use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use crate::files::{FILES, PageFile};
use crate::site::Site;

/// The folder, if it was named when this was built.
const FOLDER: Option<&str> = option_env!("UI_FILES");

/// When the files were last changed, and what they were then.
static LAST: Mutex<Option<(Vec<SystemTime>, Arc<Site>)>> = Mutex::new(None);

/// The page as the folder has it now; nothing if no folder is named, or a file is not in it.
pub(crate) fn site() -> Option<Arc<Site>> {
    of(Path::new(FOLDER?))
}

fn of(folder: &Path) -> Option<Arc<Site>> {
    let changed = |path: &str| std::fs::metadata(folder.join(path)).ok()?.modified().ok();
    let changes: Vec<SystemTime> =
        FILES.iter().map(|(path, _)| changed(path)).collect::<Option<_>>()?;
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, site)) = last.as_ref().filter(|(then, _)| *then == changes) {
        return Some(Arc::clone(site));
    }
    let read = |path: &'static str| -> Option<PageFile> {
        Some((path, Cow::Owned(std::fs::read(folder.join(path)).ok()?)))
    };
    let files: Vec<PageFile> = FILES.iter().map(|(path, _)| read(path)).collect::<Option<_>>()?;
    let site = Arc::new(Site::new(files));
    *last = Some((changes, Arc::clone(&site)));
    Some(site)
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;
    use axum::http::HeaderMap;

    use super::*;

    async fn page(site: &Site) -> String {
        let body = site.page("/ui/", &HeaderMap::new()).into_body();
        String::from_utf8(to_bytes(body, usize::MAX).await.unwrap().to_vec()).unwrap()
    }

    #[tokio::test]
    async fn a_change_in_the_folder_is_served_under_another_address() {
        let folder = tempfile::tempdir().unwrap();
        for (path, bytes) in FILES {
            let file = folder.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, bytes).unwrap();
        }
        let before = of(folder.path()).unwrap();
        assert_eq!(page(&before).await, page(&Site::get()).await, "the same files, the same page");
        let main = folder.path().join("lib/main.js");
        std::fs::write(&main, "changed();").unwrap();
        let other = SystemTime::UNIX_EPOCH;
        std::fs::File::options().write(true).open(&main).unwrap().set_modified(other).unwrap();
        let after = of(folder.path()).unwrap();
        assert_ne!(page(&before).await, page(&after).await);
        std::fs::remove_file(main).unwrap();
        assert!(of(folder.path()).is_none(), "half a page is none");
    }
}

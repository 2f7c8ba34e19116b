//! The web interface: a page of plain ES modules, inside the binary, that uses the public REST API and
//! nothing else.
//!
//! This crate serves files and knows nothing of vaults. Every address below `/ui/` answers with the
//! same page, which reads from the address what to show. What the page loads is below
//! `/ui/-/assets/HASH/`, where the hash is that of all files together: browsers may keep those files
//! for ever, and a new version has new addresses.
//!
//! The files are in `page/`; there is no build step. Browsers get them as they are, except for the modules that every view needs,
//! which come as one file (`pack`).

mod files;
#[cfg(debug_assertions)]
mod folder;
mod headers;
mod pack;
mod preload;
mod site;

use std::sync::Arc;

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;

use self::site::Site;

/// Where the page is.
pub const HOME: &str = "/ui/";

/// The routes of the page, for a server with any state.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/ui", get(async || Redirect::permanent(HOME)))
        .route("/ui/", get(page))
        .route("/ui/{*view}", get(page))
        .route("/ui/-/assets/{hash}/{*path}", get(asset))
}

/// The page of this program; while it is developed, as the folder of its files has it.
fn site() -> Arc<Site> {
    #[cfg(debug_assertions)]
    if let Some(site) = folder::site() {
        return site;
    }
    Site::get()
}

async fn page(address: Uri, request: HeaderMap) -> Response {
    site().page(address.path(), &request)
}

async fn asset(Path((hash, path)): Path<(String, String)>, request: HeaderMap) -> Response {
    let found = site().asset(&hash, &path, &request);
    found.unwrap_or_else(|| {
        let text = "this file belongs to another version of the page; load the page again";
        (StatusCode::NOT_FOUND, headers::all(), text).into_response()
    })
}

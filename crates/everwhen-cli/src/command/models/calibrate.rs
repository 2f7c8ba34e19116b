//! `everwhen models calibrate`: measures the thresholds of the configured embedder.

use std::sync::Arc;

use everwhen::calibration::{
    Calibration, MeasuredThreshold, ThresholdsFile, built_in_pairs, calibrate, read_pairs,
};
use everwhen::memory::EmbedderThresholds;
use everwhen::{Config, SystemChance};
use serde_json::{Value, json};

use crate::args::CalibrateArgs;
use crate::failure::{Failure, Result};
use crate::output;

/// Measures, shows the result, and saves it if that is asked for.
pub(super) async fn run(config: &Config, args: CalibrateArgs, json: bool) -> Result<()> {
    let pairs = match &args.pairs {
        None => built_in_pairs()?,
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
            read_pairs(&text).map_err(|error| error.at(path.display()))?
        }
    };
    let directory = &config.data.value;
    let opened = config.embedder.setting(directory).open(None, Arc::new(SystemChance)).await?;
    let embedder = opened.ok_or_else(|| {
        Failure::usage(
            "no embedder is configured (embedder.kind is \"none\"), so there is nothing to measure",
        )
    })?;
    let mut file = ThresholdsFile::load(directory)?;
    let used = file.embedders.get(embedder.name()).copied();
    let used = used.unwrap_or_else(|| embedder.thresholds());
    let measured = calibrate(&*embedder, &pairs).await?;
    if args.save {
        file.embedders.insert(measured.embedder.clone(), measured.thresholds());
        file.save()?;
    }
    if json {
        return output::json(&written(&measured, used, args.save).to_string());
    }
    show(&measured, used)?;
    match args.save {
        true => output::note(&format!(
            "saved in {}; used from the next start on",
            file.path().display()
        )),
        false => output::note("--save makes them those that are used"),
    }
    Ok(())
}

fn show(measured: &Calibration, used: EmbedderThresholds) -> Result<()> {
    output::line(&output::bold(&measured.embedder))?;
    let row = |name: &str, one: &MeasuredThreshold, used: f32| {
        let of = format!("{} of {}", one.positives, one.positives + one.negatives);
        vec![
            name.to_owned(),
            format!("{:.2}", one.threshold),
            format!("{:.2}", used),
            format!("{:.0} %", one.precision * 100.0),
            format!("{:.0} %", one.recall * 100.0),
            of,
        ]
    };
    let heads = ["threshold", "measured", "in use", "precision", "recall", "pairs above"];
    let rows = [
        heads.map(str::to_owned).to_vec(),
        row("same", &measured.same, used.same),
        row("related", &measured.related, used.related),
        row("borne_out", &measured.borne_out, used.borne_out),
    ];
    output::columns(&rows).iter().try_for_each(|line| output::line(line))
}

fn written(measured: &Calibration, used: EmbedderThresholds, saved: bool) -> Value {
    let one = |one: &MeasuredThreshold, used: f32| {
        json!({
            "threshold": rounded(one.threshold), "in_use": rounded(used),
            "precision": one.precision, "recall": one.recall,
            "positives": one.positives, "negatives": one.negatives,
        })
    };
    json!({
        "embedder": measured.embedder,
        "same": one(&measured.same, used.same),
        "related": one(&measured.related, used.related),
        "borne_out": one(&measured.borne_out, used.borne_out),
        "saved": saved,
    })
}

fn rounded(value: f32) -> f64 {
    (f64::from(value) * 10_000.0).round() / 10_000.0
}

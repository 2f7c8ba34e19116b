//! Driver until the CLI is here.
use everwhen_bench::EmbedderChoice;
use everwhen_bench::longmemeval::{self, LongMemEval};
#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let has = |f: &str| args.iter().any(|a| a == f);
    let val = |f: &str| args.iter().position(|a| a == f).map(|i| args[i + 1].clone());
    let embedder = if has("--words") { EmbedderChoice::None } else { EmbedderChoice::Static };
    if has("locomo") {
        use everwhen_bench::locomo;
        let run = locomo::run(
            &locomo::Locomo { data: "/work/shared/data/locomo/locomo_dev6.json".into(), embedder },
            &|_, _| {},
        )
        .await?;
        println!("{}", run.summary);
        if let Some(o) = val("--out") {
            std::fs::create_dir_all(&o)?;
            use std::io::Write;
            let mut f = std::io::BufWriter::new(std::fs::File::create(format!("{o}/turns.jsonl"))?);
            let mut g =
                std::io::BufWriter::new(std::fs::File::create(format!("{o}/features.jsonl"))?);
            for q in &run.questions {
                let fe =
                    |r: &Vec<Vec<everwhen::recall::Reason>>| -> (Vec<&'static str>, Vec<Vec<f32>>) {
                        (
                            r.first()
                                .map(|r| r.iter().map(|x| x.signal.as_str()).collect())
                                .unwrap_or_default(),
                            r.iter()
                                .map(|r| {
                                    r.iter().map(|x| (x.value * 1000.0).round() / 1000.0).collect()
                                })
                                .collect(),
                        )
                    };
                let (n, m) = fe(&q.reasons);
                writeln!(
                    f,
                    "{}",
                    serde_json::json!({"id": format!("{} {}", q.dialogue, q.question), "type": q.category, "gold": q.gold, "strict": q.gold, "ranked": q.turns, "names": n, "f": m})
                )?;
                let (n, m) = fe(&q.session_reasons);
                writeln!(
                    g,
                    "{}",
                    serde_json::json!({"id": format!("{} {}", q.dialogue, q.question), "type": q.category, "gold": q.gold_sessions(), "strict": q.gold_sessions(), "ranked": q.sessions, "names": n, "f": m})
                )?;
            }
        }
        return Ok(());
    }
    if has("speed") {
        use everwhen_bench::recall;
        let sizes = val("--sizes")
            .unwrap_or("10000,100000".into())
            .split(',')
            .map(|s| s.parse().unwrap())
            .collect();
        println!("{}", recall::run(&recall::RecallBench { sizes, questions: 200 }, &|_| {}).await?);
        return Ok(());
    }
    if has("tune") {
        use everwhen_bench::tune;
        println!(
            "{}",
            tune::run(
                &tune::Tune {
                    data: "/work/shared/data/longmemeval".into(),
                    ids: "/work/shared/data/longmemeval/dev_ids.txt".into(),
                    embedder,
                    seed: 1,
                    tries: 300
                },
                &|_, _| {}
            )
            .await?
        );
        return Ok(());
    }
    if has("temporal") {
        use everwhen_bench::temporal;
        let run = temporal::run(
            &temporal::Temporal { data: "/work/shared/data/temporal".into(), embedder },
            &|_, _| {},
        )
        .await?;
        println!("{}", run.summary);
        if let Some(o) = val("--out") {
            everwhen_bench::report::write(o.as_ref(), &run.summary, &run.questions)?;
        }
        return Ok(());
    }
    let setup = LongMemEval {
        data: val("--data").unwrap_or("/work/shared/data/longmemeval".into()).into(),
        ids: val("--ids").map(Into::into),
        pooled: has("--pooled"),
        embedder: if has("--words") { EmbedderChoice::None } else { EmbedderChoice::Static },
    };
    let run = longmemeval::run(&setup, &|_, _| {}).await?;
    println!("{}", run.summary);
    if let Some(o) = val("--out") {
        everwhen_bench::report::write(o.as_ref(), &run.summary, &run.questions)?;
        use std::io::Write;
        let mut f = std::io::BufWriter::new(std::fs::File::create(format!("{o}/features.jsonl"))?);
        for q in &run.questions {
            let feats: Vec<Vec<f32>> =
                q.reasons.iter().map(|r| r.iter().map(|x| x.value).collect()).collect();
            let names: Vec<&str> = q
                .reasons
                .first()
                .map(|r| r.iter().map(|x| x.signal.as_str()).collect())
                .unwrap_or_default();
            writeln!(
                f,
                "{}",
                serde_json::json!({"id": q.question_id, "type": q.question_type, "gold": q.gold, "strict": q.strict_gold, "ranked": q.ranked, "names": names, "f": feats})
            )?;
        }
    }
    Ok(())
}

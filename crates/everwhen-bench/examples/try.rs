//! Driver until the CLI is here.
use everwhen_bench::longmemeval::{self, LongMemEval};
use everwhen_bench::EmbedderChoice;
#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let has = |f: &str| args.iter().any(|a| a == f);
    let val = |f: &str| args.iter().position(|a| a == f).map(|i| args[i+1].clone());
    let setup = LongMemEval { data: val("--data").unwrap_or("/work/shared/data/longmemeval".into()).into(), ids: val("--ids").map(Into::into), pooled: has("--pooled"), embedder: if has("--words") {EmbedderChoice::None} else {EmbedderChoice::Static} };
    let run = longmemeval::run(&setup, &|_, _| {}).await?;
    println!("{}", run.summary);
    if let Some(o) = val("--out") { everwhen_bench::report::write(o.as_ref(), &run.summary, &run.questions)?; 
      use std::io::Write;
      let mut f = std::io::BufWriter::new(std::fs::File::create(format!("{o}/features.jsonl"))?);
      for q in &run.questions { let feats: Vec<Vec<f32>> = q.reasons.iter().map(|r| r.iter().map(|x| x.value).collect()).collect();
        let names: Vec<&str> = q.reasons.first().map(|r| r.iter().map(|x| x.signal.as_str()).collect()).unwrap_or_default();
        writeln!(f, "{}", serde_json::json!({"id": q.question_id, "type": q.question_type, "gold": q.gold, "strict": q.strict_gold, "ranked": q.ranked, "names": names, "f": feats}))?; } }
    Ok(())
}

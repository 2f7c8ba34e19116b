//! How fast a model in a directory embeds: `pace DIRECTORY FILE [WORKERS]`, one text per line.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use everwhen_engine::ports::Embedder;
use everwhen_models::Transformer;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, directory, file, rest @ ..] = &arguments[..] else {
        return Err("pace DIRECTORY FILE [WORKERS]".into());
    };
    let workers = rest.first().map(|count| count.parse()).transpose()?;
    let content = std::fs::read_to_string(file)?;
    let texts: Vec<&str> = content.lines().collect();

    let began = Instant::now();
    let model = Transformer::open(Path::new(directory), workers)?;
    let opened = began.elapsed();

    let began = Instant::now();
    model.embed(&texts).await?;
    let each_second = texts.len() as f64 / began.elapsed().as_secs_f64();

    let mut pauses = Vec::new();
    for _ in 0..100 {
        let began = Instant::now();
        model.embed_question("When did I last go to see the dentist in town?").await?;
        pauses.push(began.elapsed());
    }
    pauses.sort();
    let mut out = std::io::stdout();
    writeln!(out, "{model:?}: opened in {opened:.1?}")?;
    writeln!(out, "{} texts: {each_second:.1} texts/s", texts.len())?;
    writeln!(out, "question: p50 {:.2?}, p95 {:.2?}", pauses[50], pauses[95])?;
    Ok(())
}

//! `everwhen config`: every value and where it came from.

use everwhen::{Config, Environment, Origin, Upstream};
use serde_json::{Map, json};

use crate::args::{ConfigAction, ConfigArgs};
use crate::failure::{Failure, Result};
use crate::output;

/// Shows the configuration, or the path of its file.
pub(crate) fn run(
    config: &Config,
    environment: &Environment,
    args: &ConfigArgs,
    json: bool,
) -> Result<()> {
    match args.action {
        Some(ConfigAction::Path) => show_path(config, environment, json),
        Some(ConfigAction::Show) | None if json => show_json(config),
        Some(ConfigAction::Show) | None => show(config),
    }
}

fn show_path(config: &Config, environment: &Environment, json: bool) -> Result<()> {
    let usual = Config::usual_file(environment);
    let path = config.file.clone().or(usual).ok_or_else(|| {
        Failure::new("neither XDG_CONFIG_HOME nor HOME is set; name a file with --config")
    })?;
    let exists = path.exists();
    if json {
        return output::json(&json!({ "path": path, "exists": exists }).to_string());
    }
    output::line(&path.display().to_string())?;
    if !exists {
        output::note("(the file does not exist; all values are defaults)");
    }
    Ok(())
}

fn show(config: &Config) -> Result<()> {
    let rows: Vec<Vec<String>> = config
        .listing()
        .into_iter()
        .map(|setting| {
            let assigned = format!("{} = {}", setting.key.name, setting.value);
            vec![assigned, output::dim(&format!("# {}", setting.from))]
        })
        .collect();
    output::columns(&rows).iter().try_for_each(|line| output::line(line))?;
    config.named_upstreams().try_for_each(|(upstream, from)| {
        output::line(&format!("\n[[upstream]] {}", output::dim(&format!("# {from}"))))?;
        let mut fields = upstream.fields().into_iter();
        fields.try_for_each(|(name, value)| output::line(&format!("{name} = {value}")))
    })
}

fn show_json(config: &Config) -> Result<()> {
    let mut all = Map::new();
    for setting in config.listing() {
        let row = json!({
            "value": setting.value.trim_matches('"'),
            "from": setting.from.to_string(),
            "variable": setting.key.variable,
            "about": setting.key.about,
        });
        all.insert(setting.key.name.to_owned(), row);
    }
    let upstream = |(one, from): (&Upstream, &Origin)| {
        let fields = one.fields().into_iter();
        let field =
            |(name, value): (&str, String)| (name.to_owned(), json!(value.trim_matches('"')));
        let mut row: Map<_, _> = fields.map(field).collect();
        row.insert("from".into(), json!(from.to_string()));
        row
    };
    let upstreams: Vec<_> = config.named_upstreams().map(upstream).collect();
    let shown = json!({ "file": config.file, "settings": all, "upstreams": upstreams });
    output::json(&shown.to_string())
}

//! `everwhen doctor`: checks the configuration, the data directory, the database and the jobs.

use axum::http::Method;
use everwhen::memory::{Lifecycle, Retention, Settings};
use everwhen::{Config, DATABASE_FILE, StoreLocation, vault_difference};
use everwhen_workflow::WorkflowSet;
use serde_json::Value;

use crate::args::DoctorArgs;
use crate::client::{Request, escape};
use crate::console::{Console, rows, text};
use crate::failure::{Failure, Result};
use crate::{output, show};

/// Maximum number of vaults whose settings are listed one by one.
const VAULTS: usize = 20;

/// The result of one check.
struct Check {
    right: bool,
    what: &'static str,
    said: String,
}

/// Runs all checks, and fails if one of them does.
pub(crate) async fn run(console: &Console, config: &Config, args: &DoctorArgs) -> Result<()> {
    if let Some(job) = &args.retry {
        return retry(console, job).await;
    }
    if args.retry_all {
        return retry_all(console, args).await;
    }
    let reply = console.send(Request::get("/v1/doctor")).await?;
    let mut findings = examine(config, console, &reply.value()?);
    if console.json {
        output::json(&reply.text)?;
    } else {
        if !console.is_elsewhere() {
            findings.extend(vault_settings(config, console).await?);
        }
        print(&findings)?;
    }
    match findings.iter().filter(|finding| !finding.right).count() as u64 {
        0 => Ok(()),
        wrong => Err(Failure::new(show::count(wrong, "check", "checks") + " failed")),
    }
}

async fn retry(console: &Console, job: &str) -> Result<()> {
    let request = Request::new(Method::POST, format!("/v1/jobs/{}/retry", escape(job)));
    match console.ask(request).await? {
        Some(_) => output::line(&format!("{job} is queued again")),
        None => Ok(()),
    }
}

async fn retry_all(console: &Console, args: &DoctorArgs) -> Result<()> {
    let place = if args.this_memory { console.in_memory("") } else { "/v1".to_owned() };
    let kind = args.kind.as_ref().map_or_else(String::new, |kind| format!("?kind={kind}"));
    let request = Request::new(Method::POST, format!("{place}/jobs/retry{kind}"));
    match console.ask(request).await? {
        Some(response) => {
            let retried = response["retried"].as_u64().unwrap_or_default();
            output::line(&(show::count(retried, "job", "jobs") + " queued again"))
        }
        None => Ok(()),
    }
}

fn examine(config: &Config, console: &Console, report: &Value) -> Vec<Check> {
    let mut findings = vec![
        fine("version", text(&report["version"]).to_owned()),
        fine("configuration", configuration(config)),
        fine("zone of new vaults", config.zone.value.name().to_owned()),
        fine("answered by", console.whereabouts()),
    ];
    match &config.store.value {
        _ if console.is_elsewhere() => {}
        StoreLocation::Directory => findings.push(fine("data directory", directory(config))),
        place @ StoreLocation::Postgres(_) => findings.push(fine("store", place.to_string())),
    }
    findings.extend(database(&report["problems"]));
    let warnings = report["warnings"].as_array().into_iter().flatten();
    findings.extend(warnings.map(|warning| wrong("warning", text(warning).to_owned())));
    findings.extend(worker(&report["worker"]));
    findings.extend(jobs(&report["jobs"]));
    findings.extend(outbox(&report["outbox"]));
    findings.extend(workflows(config));
    findings
}

/// The workflows that can be used, and what is wrong with the others.
fn workflows(config: &Config) -> Vec<Check> {
    let Some(directory) = &config.workflow.directory.value else { return Vec::new() };
    let set = WorkflowSet::read(directory, &config.endpoints);
    let usable = show::count(set.names().count() as u64, "workflow", "workflows");
    let mut findings = vec![fine("workflows", usable)];
    let errors = set.diagnostics().iter().filter(|flaw| !flaw.harmless);
    findings.extend(errors.map(|flaw| wrong("workflows", flaw.to_string())));
    let settings = set.settings_problems(config.chapter_settings.value.as_deref());
    findings.extend(settings.into_iter().map(|problem| wrong("workflows", problem)));
    findings
}

/// The vaults whose settings are not those of the configuration.
async fn vault_settings(config: &Config, console: &Console) -> Result<Vec<Check>> {
    let Some(page) = console.ask_all(Request::get("/v1/vaults")).await? else {
        return Ok(Vec::new());
    };
    let differs = |vault: &Value| {
        let settings = settings(&vault["settings"])?;
        vault_difference(config, text(&vault["name"]), text(&vault["zone"]), settings)
    };
    let mut found = rows(&page).iter().filter_map(differs);
    let listed = found.by_ref().take(VAULTS);
    let mut findings: Vec<Check> = listed.map(|said| fine("vault settings", said)).collect();
    let more = found.count() as u64;
    if more > 0 {
        let more = show::count(more, "more vault", "more vaults");
        findings.push(fine("vault settings", format!("{more} with other settings")));
    }
    Ok(findings)
}

/// The settings of a vault, as the API writes them.
fn settings(wire: &Value) -> Option<Settings> {
    let number = |key: &str| u32::try_from(wire[key].as_u64()?).ok();
    Some(Settings {
        idle_timeout_minutes: number("conversationIdleTimeoutMinutes")?,
        conversations_retained: number("maxConversationsRetained")?,
        state_timeout_minutes: number("conversationStateTimeoutMinutes")?,
        retention: Retention::named(text(&wire["retention"])).ok()?,
        lifecycle: Lifecycle::named(text(&wire["lifecycle"])).ok(),
        cooling_minutes: number("coolingTimeoutMinutes"),
        closed_minutes: number("closedTimeoutMinutes"),
    })
}

fn print(findings: &[Check]) -> Result<()> {
    let rows: Vec<Vec<String>> = findings
        .iter()
        .map(|it| vec![output::mark(it.right), it.what.to_owned(), output::plain(&it.said)])
        .collect();
    output::columns(&rows).iter().try_for_each(|line| output::line(line))
}

fn fine(what: &'static str, said: String) -> Check {
    Check { right: true, what, said }
}

fn wrong(what: &'static str, said: String) -> Check {
    Check { right: false, what, said }
}

fn configuration(config: &Config) -> String {
    config.file.as_ref().map_or_else(|| "no file".into(), |file| file.display().to_string())
}

fn directory(config: &Config) -> String {
    let path = &config.data.value;
    let size = |name: &str| std::fs::metadata(path.join(name)).map_or(0, |file| file.len());
    let bytes = size(DATABASE_FILE) + size(&format!("{DATABASE_FILE}-wal"));
    format!("{}, {:.1} MB", path.display(), bytes as f64 / 1e6)
}

fn database(problems: &Value) -> Vec<Check> {
    let problems: Vec<&str> = problems.as_array().into_iter().flatten().map(text).collect();
    if problems.is_empty() {
        return vec![fine("database", "whole".into())];
    }
    problems.into_iter().map(|problem| wrong("database", problem.to_owned())).collect()
}

fn jobs(jobs: &Value) -> Vec<Check> {
    let waiting = jobs["waiting"].as_u64().unwrap_or_default();
    let mut findings = vec![fine("jobs", format!("{waiting} waiting"))];
    for group in jobs["groups"].as_array().into_iter().flatten() {
        match text(&group["reason"]) {
            "set_aside" => {}
            "suspect" => findings.push(wrong("jobs", suspects(group))),
            _ => findings.push(fine("jobs", group_of_jobs(group))),
        }
    }
    let set_aside = jobs["set_aside"].as_array().map_or(&[][..], Vec::as_slice);
    findings.extend(set_aside.iter().map(|job| wrong("jobs", given_up(job))));
    let more = given_up_count(jobs).saturating_sub(set_aside.len() as u64);
    if more > 0 {
        findings.push(wrong("jobs", show::count(more, "more was", "more were") + " given up"));
    }
    findings
}

/// How many jobs were given up, listed or not.
fn given_up_count(jobs: &Value) -> u64 {
    let groups = jobs["groups"].as_array().into_iter().flatten();
    let given_up = groups.filter(|group| group["reason"] == "set_aside");
    given_up.filter_map(|group| group["count"].as_u64()).sum()
}

/// What jobs of one kind wait for.
fn group_of_jobs(group: &Value) -> String {
    let (kind, count) = (text(&group["kind"]), &group["count"]);
    let next = text(&group["next_at"]);
    match text(&group["reason"]) {
        "failed" => {
            let error = text(&group["last_error"]);
            format!("{kind}: {count} failed and are tried again, next at {next}: {error}")
        }
        "scheduled" => format!("{kind}: {count} scheduled, next at {next}"),
        reason => format!("{kind}: {count} {reason}"),
    }
}

/// Jobs that may be what ends the process.
fn suspects(group: &Value) -> String {
    let (kind, count) = (text(&group["kind"]), &group["count"]);
    format!(
        "{kind}: {count} ran when the process ended, twice or more, and may be the reason; if it was not killed, its log \
         or the system's says why it ended, such as too little memory; tried again at {}, and given up after {} times",
        text(&group["next_at"]),
        everwhen::limits::JOB_CRASHES
    )
}

/// The tasks that run jobs.
fn worker(tasks: &Value) -> Vec<Check> {
    let tasks: Vec<&Value> = tasks.as_array().into_iter().flatten().collect();
    if tasks.is_empty() {
        return Vec::new();
    }
    let running = tasks.iter().filter(|task| task["running"] == true).count();
    let restarts: u64 = tasks.iter().filter_map(|task| task["restarts"].as_u64()).sum();
    let restarts = show::count(restarts, "restart", "restarts");
    let said = format!("{running} of {} tasks running, {restarts}", tasks.len());
    vec![Check { right: running == tasks.len(), what: "worker", said }]
}

/// Checks the outbox of the proxy.
fn outbox(outbox: &Value) -> Vec<Check> {
    if outbox.is_null() {
        return Vec::new();
    }
    let waiting = outbox["waiting"].as_u64().unwrap_or_default();
    let since = outbox["oldest"].as_str().map_or(String::new(), |at| format!(", since {at}"));
    let mut findings = vec![fine("outbox", format!("{waiting} waiting{since}"))];
    if let Some(failure) = outbox["failure"].as_str() {
        findings.push(wrong("outbox", format!("cannot be written: {failure}")));
    }
    for row in outbox["set_aside"].as_array().into_iter().flatten() {
        let place = format!("{} {}", text(&row["vault"]), text(&row["memory"]));
        let (at, reason) = (text(&row["accepted_at"]), text(&row["reason"]));
        let said = format!(
            "an exchange of {at} for {place} was set aside: {reason}; it goes after proxy.outbox_days, or with its \
             vault or memory when that is forgotten"
        );
        findings.push(wrong("outbox", said));
    }
    findings
}

fn given_up(job: &Value) -> String {
    format!(
        "{} ({} {}) was given up after {} tries: {}; once that is mended, doctor --retry or --retry-all tries again",
        text(&job["id"]),
        text(&job["kind"]),
        text(if job["conversation_id"].is_null() {
            &job["memory"]
        } else {
            &job["conversation_id"]
        }),
        job["tries"],
        text(&job["last_error"])
    )
}

//! Databases of every earlier schema version, made of the migrations that they have seen.

use std::path::Path;

use everwhen_testkit::sql;

/// What PostgreSQL calls the types of shared migrations.
const TYPES: [(&str, &str); 9] = [
    ("{id}", "uuid"),
    ("{time}", "bigint"),
    ("{number}", "bigint"),
    ("{small}", "smallint"),
    ("{flag}", "boolean"),
    ("{text}", "text"),
    ("{name}", "text COLLATE \"C\""),
    ("{names}", "text[]"),
    ("{bytes}", "bytea"),
];

/// A vault with one entry, as the first version stored it.
const ROWS: &str = r#"
    INSERT INTO vault (vault_id, name, zone, settings, creation_time) VALUES
        ('01900000-0000-7000-8000-000000000001', 'v', 'UTC',
         '{"idle_timeout_minutes":30,"conversations_retained":1000,"state_timeout_minutes":60,"retention":"archive"}', 1);
    INSERT INTO vault_name (name, vault_id) VALUES ('v', '01900000-0000-7000-8000-000000000001');
    INSERT INTO memory (vault_id, id, name, creation_time, last_sequence, last_creation, generation) VALUES
        ('01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002', 'm', 1, 1, 1, 0);
    INSERT INTO conversation (vault_id, memory_id, id, started_at, last_at, entries) VALUES
        ('01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002',
         '01900000-0000-7000-8000-000000000003', 1735689600000000, 1735689600000000, 1);
    INSERT INTO entry (vault_id, memory_id, id, conversation_id, sequence, conversation_time, creation_time, role,
        placed_by_time, is_question, content) VALUES
        ('01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002',
         '01900000-0000-7000-8000-000000000004', '01900000-0000-7000-8000-000000000003', 1, 1735689600000000, 1, 0,
         true, false, 'an old entry');"#;

/// The migrations in a directory, in order.
fn migrations(directory: &str) -> Vec<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
    let mut files: Vec<_> =
        std::fs::read_dir(directory).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort_unstable();
    files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect()
}

/// A shared migration without what is for the other database alone.
fn for_postgres(text: &str) -> String {
    let text = TYPES.iter().fold(text.to_owned(), |text, (name, own)| text.replace(name, own));
    let statements =
        text.split(";\n").filter(|one| !one.lines().any(|line| line == "-- sqlite only"));
    statements.map(|one| format!("{one};\n")).collect()
}

/// All migrations, oldest first.
pub(crate) fn all() -> Vec<String> {
    let shared = migrations("src/schema").iter().map(|one| for_postgres(one)).collect::<Vec<_>>();
    migrations("src/postgres/schema").into_iter().chain(shared).collect()
}

/// Makes a database that has seen the first of these migrations.
pub(crate) fn make(url: &str, seen: &[String]) {
    for (number, migration) in seen.iter().enumerate() {
        sql(url, migration);
        if number == 0 {
            sql(url, ROWS);
        }
    }
    sql(url, "CREATE TABLE everwhen_schema (version bigint PRIMARY KEY)");
    sql(url, &format!("INSERT INTO everwhen_schema VALUES ({})", seen.len()));
}

/// Every column, index and key of a schema.
pub(crate) fn shape(url: &str) -> String {
    let columns = sql(
        url,
        "SELECT table_name, column_name, data_type, is_nullable, column_default, collation_name
         FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY 1, 2",
    );
    let indexes = sql(
        url,
        "SELECT tablename, indexname, regexp_replace(indexdef, ' ON [^ ]+\\.', ' ON ')
         FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1, 2",
    );
    columns + &indexes
}

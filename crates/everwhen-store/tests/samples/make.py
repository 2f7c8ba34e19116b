#!/usr/bin/env python3
"""Writes a sample database of every SQLite schema version, as SQL text.

    make.py DATABASE

DATABASE was filled by the program of the newest version. For every version that has no sample yet, its rows are put
into the schema of that version, as far as the tables and columns existed then. Samples that exist stay as they are:
they say what databases of their version look like, and a changed migration would not be noticed otherwise.
"""
import pathlib
import re
import sqlite3
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "src"
TYPES = {
    "{id}": "BLOB", "{time}": "INTEGER", "{number}": "INTEGER", "{small}": "INTEGER", "{flag}": "INTEGER",
    "{text}": "TEXT", "{name}": "TEXT", "{names}": "TEXT", "{bytes}": "BLOB",
}
# Made again from the other tables, or large.
LEFT_OUT = {"segment", "conversation_past"}


def shared(path):
    """The statements of a migration that is written for both databases."""
    text = path.read_text()
    for name, kind in TYPES.items():
        text = text.replace(name, kind)
    statements = [part.strip() for part in text.split(";\n")]
    return ";\n".join(part for part in statements if "-- postgres only" not in part.splitlines()) + ";\n"


def listed(rust, folder):
    """Migrations in the order in which a Rust file includes them."""
    names = re.findall(r'include_str!\("schema/([^"]+)"\)', (SOURCE / rust).read_text())
    return [SOURCE / folder / name for name in names]


def migrations():
    own = [path.read_text() for path in listed("sqlite/schema.rs", "sqlite/schema")]
    return own + [shared(path) for path in listed("schema.rs", "schema")]


def tables(database):
    rows = database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    return [name for (name,) in rows]


def columns(database, table):
    return database.execute(f"SELECT name, \"notnull\", dflt_value FROM pragma_table_info('{table}')").fetchall()


def fill(database, newest):
    for table in [name for name in tables(database) if name in tables(newest) and name not in LEFT_OUT]:
        new = [name for name, _, _ in columns(newest, table)]
        known = {name: name for name in new}
        if table == "vault":
            known["id"] = "vault_id"
        mine = [name for name, _, _ in columns(database, table)]
        missing = [name for name, needed, default in columns(database, table)
                   if name not in known and needed and default is None]
        if missing:
            print(f"{table}: left out, {missing} was dropped later", file=sys.stderr)
            continue
        both = [name for name in mine if name in known]
        rows = newest.execute(f"SELECT {', '.join(known[name] for name in both)} FROM {table}").fetchall()
        marks = ", ".join("?" * len(both))
        database.executemany(f"INSERT INTO {table} ({', '.join(both)}) VALUES ({marks})", rows)


def main():
    newest = sqlite3.connect(sys.argv[1])
    all_of_them = migrations()
    for version in range(1, len(all_of_them) + 1):
        path = HERE / f"sqlite-{version:02}.sql"
        if path.exists():
            continue
        database = sqlite3.connect(":memory:")
        for migration in all_of_them[:version]:
            database.executescript(migration)
        fill(database, newest)
        database.commit()
        text = "\n".join(database.iterdump())
        head = f"PRAGMA application_id = {0x45765768};\nPRAGMA user_version = {version};\n"
        path.write_text(head + text + "\n")
        print(path.name, len(text))


main()

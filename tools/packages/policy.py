"""Compares all crates with deny.toml: licences, unwanted crates, sources. It takes a second and needs no network, so it runs with every
test; `tools/deny` runs cargo-deny itself, which also looks into licence texts and knows vulnerabilities.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib

from common import ROOT, run

REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"


def is_allowed(expression: str, allowed: set[str]) -> bool:
    """Whether a choice of licences, such as `(MIT OR Apache-2.0) AND ISC`, can be met with the allowed ones."""
    words = re.findall(r"\(|\)|[^\s()]+(?:\s+WITH\s+[^\s()]+)?", expression.replace("/", " OR "))
    position = 0

    def one() -> bool:
        nonlocal position
        word = words[position]
        position += 1
        if word != "(":
            return word in allowed
        met = either()
        position += 1
        return met

    def both() -> bool:
        nonlocal position
        met = one()
        while position < len(words) and words[position] == "AND":
            position += 1
            met = one() and met
        return met

    def either() -> bool:
        nonlocal position
        met = both()
        while position < len(words) and words[position] == "OR":
            position += 1
            met = both() or met
        return met

    return bool(words) and either()


def main() -> None:
    policy = tomllib.loads((ROOT / "deny.toml").read_text())
    allowed = set(policy["licenses"]["allow"])
    unwanted = {entry["crate"]: set(entry.get("wrappers", [])) for entry in policy["bans"]["deny"]}
    packages, users = {}, {}
    for target in policy["graph"]["targets"]:
        known = json.loads(run("cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target))
        packages |= {package["id"]: package for package in known["packages"]}
        for node in known["resolve"]["nodes"]:
            for needed in node["dependencies"]:
                users.setdefault(needed, set()).add(packages[node["id"]]["name"])
    wrong = []
    foreign = [package for package in packages.values() if package["source"]]
    for package in foreign:
        title = f"{package['name']} {package['version']}"
        if package["source"] != REGISTRY:
            wrong.append(f"{title} comes from {package['source']}")
        if not is_allowed(package["license"] or "", allowed):
            wrong.append(f"{title}: the licence {package['license']} is not allowed")
        if package["name"] in unwanted and (by := users.get(package["id"], set()) - unwanted[package["name"]]):
            wrong.append(f"{title} is not wanted, and {', '.join(sorted(by))} uses it")
    print("\n".join(sorted(wrong)), file=sys.stderr)
    print(f"{len(foreign)} crates, {len(wrong)} against deny.toml")
    sys.exit(1 if wrong else 0)


main()

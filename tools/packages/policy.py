"""Compares all crates with deny.toml: licences, unwanted crates, sources. It takes a second and needs no network, so it runs with every
test; `tools/deny` runs cargo-deny itself, which also looks into licence texts and knows vulnerabilities, and `tools/deny-check`
shows that both refuse the same crates.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib

from common import ROOT, run

CRATES_IO = "https://github.com/rust-lang/crates.io-index"


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


def packages_and_users(targets: list[str]) -> tuple[list[dict], dict[str, set[str]]]:
    """Crates of others on any of the targets, and the names of the crates that use each."""
    packages, users = {}, {}
    for target in targets:
        known = json.loads(run("cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target))
        packages |= {package["id"]: package for package in known["packages"]}
        for node in known["resolve"]["nodes"]:
            for needed in node["dependencies"]:
                users.setdefault(needed, set()).add(packages[node["id"]]["name"])
    return [package for package in packages.values() if package["source"]], users


def refused(policy: dict, foreign: list[dict], users: dict[str, set[str]]) -> dict[str, list[str]]:
    """What speaks against each crate that the policy does not allow, by name and version."""
    allowed = set(policy["licenses"]["allow"])
    registries = {f"registry+{address}" for address in policy["sources"].get("allow-registry", [CRATES_IO])}
    unwanted = {entry["crate"]: set(entry.get("wrappers", [])) for entry in policy["bans"]["deny"]}
    wrong: dict[str, list[str]] = {}
    for package in foreign:
        reasons = []
        if package["source"] not in registries:
            reasons.append(f"comes from {package['source']}")
        if not is_allowed(package["license"] or "", allowed):
            reasons.append(f"has the licence {package['license']}, which is not allowed")
        if package["name"] in unwanted and (by := users.get(package["id"], set()) - unwanted[package["name"]]):
            reasons.append(f"is not wanted, and {', '.join(sorted(by))} uses it")
        if reasons:
            wrong[f"{package['name']} {package['version']}"] = reasons
    return wrong


def main() -> None:
    policy = tomllib.loads((ROOT / "deny.toml").read_text())
    foreign, users = packages_and_users(policy["graph"]["targets"])
    wrong = refused(policy, foreign, users)
    for crate, reasons in sorted(wrong.items()):
        print(f"{crate} {', '.join(reasons)}", file=sys.stderr)
    print(f"{len(foreign)} crates, {len(wrong)} against deny.toml")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

"""Shows that policy.py and cargo-deny refuse the same crates: by deny.toml as it is, and by policies that each forbid something in use.

A few crates are known to one of them only: Cargo also lists what unused features of other crates need, and cargo-deny looks at all
platforms at once. Both have to know nearly all, and to agree on every crate that both know.

Usage: policy_agrees.py CARGO_DENY
"""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

from common import ROOT
from policy import packages_and_users, refused


def as_it_is(policy: dict) -> None:
    """Changes nothing."""


def without_a_licence(policy: dict) -> None:
    policy["licenses"]["allow"].remove("ISC")


def with_an_unwanted_crate(policy: dict) -> None:
    policy["bans"]["deny"].append({"crate": "zstd-sys"})


def with_one_user_less(policy: dict) -> None:
    for entry in policy["bans"]["deny"]:
        if entry["crate"] == "chrono":
            entry["wrappers"] = ["rmcp"]


def from_another_registry(policy: dict) -> None:
    policy["sources"]["allow-registry"] = ["https://registry.example/index"]


def as_toml(value: object) -> str:
    """A value in TOML; JSON but for tables."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {as_toml(one)}" for name, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(as_toml, value)) + "]"
    return json.dumps(value)


def by_cargo_deny(program: str, policy: dict) -> set[str]:
    """The crates that cargo-deny refuses."""
    tables = [f"[{name}]\n" + "".join(f"{key} = {as_toml(one)}\n" for key, one in table.items()) for name, table in policy.items()]
    with tempfile.TemporaryDirectory() as place:
        config = Path(place, "deny.toml")
        config.write_text("\n".join(tables))
        command = [program, "--format", "json", "--locked", "--config", config, "check", "bans", "licenses", "sources"]
        told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in (told.stderr + told.stdout).splitlines() if line.startswith("{")]
    if not any(line["type"] == "summary" for line in lines):
        raise SystemExit(f"cargo-deny did not finish: {told.stderr}")
    errors = [line["fields"] for line in lines if line["type"] == "diagnostic" and line["fields"]["severity"] == "error"]
    crates = [error["graphs"][0]["Krate"] for error in errors]
    return {f"{crate['name']} {crate['version']}" for crate in crates}


def main() -> None:
    given = tomllib.loads((ROOT / "deny.toml").read_text())
    foreign, users = packages_and_users(given["graph"]["targets"])

    def refusals(change: Callable[[dict], None]) -> tuple[set[str], set[str]]:
        policy = copy.deepcopy(given)
        change(policy)
        return by_cargo_deny(sys.argv[1], policy), set(refused(policy, foreign, users))

    # No crate comes from there, so each refuses every crate that it knows.
    theirs, ours = refusals(from_another_registry)
    both = theirs & ours
    print(f"cargo-deny knows {len(theirs)} crates, policy.py {len(ours)}, both {len(both)}")
    right = len(both) > 0.95 * max(len(theirs), len(ours))
    for change in (as_it_is, without_a_licence, with_an_unwanted_crate, with_one_user_less):
        theirs, ours = (refused & both for refused in refusals(change))
        agree = theirs == ours and bool(ours) == (change is not as_it_is)
        print(f"{change.__name__.replace('_', ' ')}: cargo-deny refuses {sorted(theirs)}, policy.py {sorted(ours)}{'' if agree else ': WRONG'}")
        right = right and agree
    sys.exit(0 if right else 1)


main()

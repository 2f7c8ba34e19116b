"""What the binary is made of, as `cargo metadata` knows it: bill of materials, notices, and the list inside the binary.

Usage: crates.py audit TARGET     writes the list that `cargo audit bin` reads from the section .dep-v0, compressed, to stdout
"""

from __future__ import annotations

import hashlib
import json
import sys
import uuid
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from common import ROOT, Platform, Release, run

PROGRAM = "everwhen-cli"
LICENCE_NAMES = ("licen", "copying", "notice", "unlicense", "copyright")
# Parts of the binary that are no crates.
OTHERS = {
    "SQLite (in libsqlite3-sys)": "SQLite is in the public domain.",
    "Rust's standard library": "Licensed under Apache-2.0 or MIT, copyright The Rust Project Developers (the texts are those of LICENSE-APACHE and LICENSE-MIT).",
    "musl (in the binaries for Linux)": "MIT, copyright 2005-2026 Rich Felker and others.",
    "LLVM's libunwind and compiler-rt (in the binaries for Linux)": "Apache-2.0 with LLVM exceptions, copyright the LLVM contributors.",
}
OTHER_FILES = {
    "preact and htm (in the web interface)": "crates/everwhen-ui/page/vendor/LICENSES.txt",
    "the table of word vectors": "crates/everwhen-models/data/MODEL_CARD.md",
}


@dataclass
class Crate:
    """A crate of the binary, with the ids of what it needs."""

    id: str
    about: dict
    needs: set[str] = field(default_factory=set)
    is_runtime: bool = False

    @property
    def title(self) -> str:
        return f"{self.about['name']} {self.about['version']}"

    @property
    def is_ours(self) -> bool:
        return self.about["source"] is None


def crates(target: str) -> list[Crate]:
    """Every crate that becomes part of the binary, or builds a part of it, in an order of names."""
    known = json.loads(run("cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target))
    about = {package["id"]: package for package in known["packages"]}
    nodes = {node["id"]: node for node in known["resolve"]["nodes"]}
    root = next(id for id, package in about.items() if package["name"] == PROGRAM)
    found: dict[str, Crate] = {}
    waiting = [(root, True)]
    while waiting:
        id, at_runtime = waiting.pop()
        seen = id in found
        crate = found.setdefault(id, Crate(id, about[id]))
        if seen and (crate.is_runtime or not at_runtime):
            continue
        crate.is_runtime = at_runtime
        is_macro = any("proc-macro" in kind for built in crate.about["targets"] for kind in built["kind"])
        for need in nodes[id]["deps"]:
            kinds = {kind["kind"] for kind in need["dep_kinds"]}
            if kinds == {"dev"}:
                continue
            crate.needs.add(need["pkg"])
            waiting.append((need["pkg"], at_runtime and None in kinds and not is_macro))
    return sorted(found.values(), key=lambda crate: (crate.about["name"], crate.about["version"], crate.id))


def audit_list(target: str) -> bytes:
    """The list of crates in the form that cargo-auditable puts into binaries."""
    listed = crates(target)
    position = {crate.id: number for number, crate in enumerate(listed)}
    packages = []
    for crate in listed:
        entry = {"name": crate.about["name"], "version": crate.about["version"], "source": "local" if crate.is_ours else "crates.io"}
        if not crate.is_runtime:
            entry["kind"] = "build"
        if crate.needs:
            entry["dependencies"] = sorted(position[id] for id in crate.needs)
        if crate.about["name"] == PROGRAM:
            entry["root"] = True
        packages.append(entry)
    return zlib.compress(json.dumps({"packages": packages}, separators=(",", ":")).encode(), 9)


def sbom(release: Release, platform: Platform) -> None:
    """The bill of materials in CycloneDX's format, one for each target."""
    listed = [crate for crate in crates(platform.target) if crate.is_runtime]
    inside = {crate.id for crate in listed}

    def reference(crate: Crate) -> str:
        return f"pkg:cargo/{crate.about['name']}@{crate.about['version']}"

    references = {crate.id: reference(crate) for crate in listed}
    sums = checksums()
    components = []
    for crate in listed:
        if crate.about["name"] == PROGRAM:
            continue
        part = {"type": "library", "bom-ref": references[crate.id], "name": crate.about["name"], "version": crate.about["version"]}
        if crate.about.get("license"):
            part["licenses"] = [{"expression": crate.about["license"].replace("/", " OR ")}]
        if found := sums.get((crate.about["name"], crate.about["version"])):
            part["hashes"] = [{"alg": "SHA-256", "content": found}]
        components.append(part | {"purl": references[crate.id]})
    binary = hashlib.sha256(release.binary(platform)).hexdigest()
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, binary)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": next(references[crate.id] for crate in listed if crate.about["name"] == PROGRAM),
                "name": "everwhen",
                "version": release.version,
                "hashes": [{"alg": "SHA-256", "content": binary}],
            },
            "properties": [{"name": "target", "value": platform.target}],
        },
        "components": components,
        "dependencies": [
            {"ref": references[crate.id], "dependsOn": sorted(references[id] for id in crate.needs & inside)} for crate in listed
        ],
    }
    (release.dist / f"everwhen-{release.version}-{platform.target}.cdx.json").write_text(json.dumps(bom, indent=1) + "\n")


def checksums() -> dict[tuple[str, str], str]:
    """The checksum of every crate of Cargo.lock."""
    import tomllib

    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    return {(package["name"], package["version"]): package["checksum"] for package in locked if "checksum" in package}


def notices(targets: list[str]) -> bytes:
    """The licences of everything in the binaries; texts that several share stand there once."""
    all_crates = {crate.id: crate for target in targets for crate in crates(target) if crate.is_runtime and not crate.is_ours}
    by_text: dict[str, list[str]] = {}
    without = []
    for crate in sorted(all_crates.values(), key=lambda crate: crate.title):
        texts = licence_texts(Path(crate.about["manifest_path"]).parent)
        if not texts:
            without.append(f"{crate.title}: {crate.about.get('license')}, by {', '.join(crate.about.get('authors') or ['its contributors'])}")
        for text in texts:
            by_text.setdefault(text, []).append(crate.title)
    parts = ["The program everwhen contains the following software. Its own licence is Apache-2.0 or MIT.\n"]
    parts += [f"{name}\n\n{text}\n" for name, text in OTHERS.items()]
    parts += [f"{name}\n\n{(ROOT / path).read_text().strip()}\n" for name, path in OTHER_FILES.items()]
    parts += [f"{', '.join(names)}\n\n{text}\n" for text, names in by_text.items()]
    parts.append("Crates that name a licence and bring no text of it:\n\n" + "\n".join(without) + "\n")
    return ("\n" + "=" * 100 + "\n\n").join(parts).encode()


def licence_texts(folder: Path) -> list[str]:
    found = []
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.name.lower().startswith(LICENCE_NAMES) and path.stat().st_size < 200_000:
            found.append("\n".join(line.rstrip() for line in path.read_text(errors="replace").strip().splitlines()))
    return found


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["audit", target]:
            sys.stdout.buffer.write(audit_list(target))
        case _:
            raise SystemExit(__doc__)

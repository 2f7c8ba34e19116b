"""Makes every package of a release from its binaries.

Usage: make.py VERSION DIST TIME TARGET=BINARY...      TIME: seconds since 1970, the time of every file in the packages
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import archives
import crates
import deb
import mcp
import npm
import wheel
from common import PLATFORMS, Release, run, sha256

SHELLS = {"bash": "everwhen.bash", "zsh": "_everwhen", "fish": "everwhen.fish", "elvish": "everwhen.elv", "powershell": "everwhen.ps1"}


def runnable(binaries: dict[str, Path]) -> Path:
    """A binary that runs on this machine."""
    for binary in binaries.values():
        try:
            run(binary, "--version")
            return binary
        except OSError:
            continue
    raise SystemExit("none of the binaries runs on this machine, so manual pages and completions cannot be made")


def written_by_binary(binary: Path) -> dict[str, bytes]:
    """Manual pages and completions, which the program makes from its own definitions."""
    found = {}
    with tempfile.TemporaryDirectory() as directory:
        # A home of its own: no configuration of this machine shows in them.
        environment = {"HOME": directory, "PATH": "/usr/bin:/bin"}
        run(binary, "man", f"{directory}/man", env=environment)
        for page in sorted(Path(directory, "man").iterdir()):
            found[f"man/{page.name}"] = page.read_bytes()
        for shell, name in SHELLS.items():
            found[f"completions/{name}"] = run(binary, "completions", shell, env=environment)
        unit = run(binary, "service", "install", "--system", "--print", env=environment).decode()
    found["everwhen.service"] = unit.replace(f'"{binary}"', "/usr/bin/everwhen").encode()
    if "ExecStart=/usr/bin/everwhen serve" not in found["everwhen.service"].decode():
        raise SystemExit(f"the service unit does not name the program:\n{unit}")
    return found


def main() -> None:
    version, dist, time = sys.argv[1], Path(sys.argv[2]).resolve(), int(sys.argv[3])
    binaries = {target: Path(path).resolve() for target, path in (given.split("=", 1) for given in sys.argv[4:])}
    if unknown := set(binaries) - set(PLATFORMS):
        raise SystemExit(f"no package is known for {', '.join(sorted(unknown))}")
    release = Release(version, dist, time, binaries)
    release.extras = written_by_binary(runnable(binaries))
    release.extras["THIRD-PARTY-NOTICES.txt"] = crates.notices(list(binaries))
    for platform in release.platforms():
        crates.sbom(release, platform)
        archives.make(release, platform)
        wheel.make(release, platform)
        npm.make_platform(release, platform)
        mcp.make_bundle(release, platform)
        if platform.deb:
            deb.make(release, platform)
    npm.make_root(release)
    mcp.make_registry_entry(release)
    files = sorted(path for path in dist.rglob("*") if path.is_file() and path.name != "SHA256SUMS")
    (dist / "SHA256SUMS").write_text("".join(f"{sha256(path)}  {path.relative_to(dist)}\n" for path in files))
    for path in files:
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path.relative_to(dist)}")


main()

"""Installs every package of a release into a bare place and uses it.

Usage: check.py DIST
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from common import PLATFORMS, ROOT, Platform, sha256
from use import Use, in_empty_root

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
WHEEL_LIMIT = 25_000_000


def own_cpu(target: str) -> bool:
    return target.split("-")[0] == platform.machine()


def emulator(target: str) -> list[str]:
    """What runs a binary of the target here; nothing for this CPU."""
    return [] if own_cpu(target) else [f"qemu-{target.split('-')[0]}-static"]


def quiet(*command: str | Path, **more: object) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(str(part) for part in command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


@contextmanager
def bare_place() -> Iterator[Path]:
    place = Path(tempfile.mkdtemp(prefix="release-check-"))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def check_sums(dist: Path) -> None:
    listed = dict(reversed(line.split("  ", 1)) for line in (dist / "SHA256SUMS").read_text().splitlines())
    there = {str(path.relative_to(dist)) for path in dist.rglob("*") if path.is_file() and path.name != "SHA256SUMS"}
    assert there == set(listed), f"SHA256SUMS and the files differ: {there ^ set(listed)}"
    for name, digest in listed.items():
        assert sha256(dist / name) == digest, name


def check_archive(dist: Path, target: Platform) -> None:
    archive = next(dist.glob(f"everwhen-*-{target.target}.tar.gz"))
    with bare_place() as place:
        with tarfile.open(archive) as packed:
            packed.extractall(place, filter="data")
        folder = next(place.iterdir())
        binary = folder / "everwhen"
        for name in ("LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY-NOTICES.txt", "man/everwhen.1", "completions/everwhen.bash"):
            assert (folder / name).stat().st_size > 100, name
        linked = subprocess.run(["ldd", binary], capture_output=True, text=True)
        assert re.search("not a dynamic executable|statically linked", linked.stdout + linked.stderr), linked
        check_crate_list(dist, binary, target)
        Use([*emulator(target.target), str(binary)]).everything()
        if own_cpu(target.target):
            command, root = in_empty_root(binary)
            Use(command, home="/home").everything()
            shutil.rmtree(root)


def check_crate_list(dist: Path, binary: Path, target: Platform) -> None:
    """The list of crates inside the binary names what the bill of materials names."""
    section = binary.with_name("section")
    quiet(ROOT / "tools/packages/objcopy", f"--dump-section=.dep-v0={section}", binary, "/dev/null")
    inside = json.loads(zlib.decompress(section.read_bytes()))["packages"]
    assert sum(1 for package in inside if package.get("root")) == 1
    inside = {(package["name"], package["version"]) for package in inside if package.get("kind") != "build" and not package.get("root")}
    bom = json.loads(next(dist.glob(f"*-{target.target}.cdx.json")).read_text())
    assert inside == {(part["name"], part["version"]) for part in bom["components"]}
    references = {part["bom-ref"] for part in bom["components"]} | {bom["metadata"]["component"]["bom-ref"]}
    assert {entry["ref"] for entry in bom["dependencies"]} == references


def check_wheel(dist: Path, target: Platform) -> None:
    wheel = next(dist.glob(f"everwhen-*-{target.wheel}.whl"))
    assert wheel.stat().st_size <= WHEEL_LIMIT, f"{wheel.name}: {wheel.stat().st_size} bytes"
    if not own_cpu(target.target):
        return check_foreign_wheel(wheel, target)
    with bare_place() as place:
        begun = time.monotonic()
        quiet(sys.executable, "-m", "venv", place / "venv")
        programs = place / "venv" / "bin"
        quiet(programs / "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
        use = Use([str(programs / "everwhen")])
        use.remember_and_recall()
        print(f"  pip install to first recall: {time.monotonic() - begun:.1f} s")
        use.everything()
        script = "import everwhen\nwith everwhen.Everwhen.embedded() as here:\n    here.memory().remember('hello')\nprint(everwhen.__version__)"
        assert quiet(programs / "python", "-c", script, cwd=place, env={"HOME": str(place)}).strip() in wheel.name
        quiet(programs / "pip", "check", "--disable-pip-version-check")


def check_foreign_wheel(wheel: Path, target: Platform) -> None:
    with bare_place() as place:
        with zipfile.ZipFile(wheel) as packed:
            name = next(name for name in packed.namelist() if name.endswith("/scripts/everwhen"))
            binary = Path(packed.extract(name, place))
        binary.chmod(0o755)
        Use([*emulator(target.target), str(binary)]).remember_and_recall()


def check_npm(dist: Path, target: Platform) -> None:
    version = json.loads((dist / "server.json").read_text())["version"]
    packages = [dist / "npm" / f"everwhen-{version}.tgz", dist / "npm" / f"everwhen-{target.npm}-{version}.tgz"]
    for package in packages:
        with tarfile.open(package) as packed:
            described = json.load(packed.extractfile("package/package.json"))
        assert "scripts" not in described, package.name
    if not own_cpu(target.target):
        return
    with bare_place() as place:
        begun = time.monotonic()
        quiet("npm", "install", "--prefix", place, "--ignore-scripts", "--no-audit", "--no-fund", "--silent", "--omit=peer", *packages)
        node = str(Path(shutil.which("node")).parent)
        use = Use([str(place / "node_modules" / ".bin" / "everwhen")], path=f"{node}:{SYSTEM_PATH}")
        use.remember_and_recall()
        print(f"  npm install to first recall: {time.monotonic() - begun:.1f} s")
        use.everything()
        script = "import('everwhen').then((client) => console.log(typeof client.Everwhen))"
        assert quiet("node", "-e", script, cwd=place).strip() == "function"


def check_deb(dist: Path, target: Platform) -> None:
    package = next(dist.glob(f"everwhen_*_{target.deb}.deb"))
    with bare_place() as place:
        if os.geteuid() == 0 and own_cpu(target.target):
            install_deb(package, place)
        else:
            quiet("dpkg-deb", "-x", package, place)
        if shutil.which("systemd-analyze"):
            check_unit(place)
        Use([*emulator(target.target), str(place / "usr/bin/everwhen")]).everything()
        if os.geteuid() == 0 and own_cpu(target.target):
            remove_deb(place)


def check_unit(place: Path) -> None:
    """systemd understands every line of the unit; the program is looked for where the package was unpacked."""
    text = (place / "usr/lib/systemd/system/everwhen.service").read_text()
    unit = place / "everwhen.service"
    unit.write_text(text.replace("ExecStart=/usr/bin/everwhen", f"ExecStart={place}/usr/bin/everwhen"))
    quiet("systemd-analyze", "verify", "--man=no", unit)


def dpkg(place: Path, *arguments: str | Path) -> None:
    """dpkg in a directory of its own, whose scripts run outside of it because it has no shell."""
    quiet("dpkg", f"--root={place}", "--force-script-chrootless", "--force-depends", *arguments, env=os.environ | {"PATH": SYSTEM_PATH})


def install_deb(package: Path, place: Path) -> None:
    (place / "var/lib/dpkg/updates").mkdir(parents=True)
    (place / "var/lib/dpkg/info").mkdir()
    (place / "var/lib/dpkg/status").touch()
    dpkg(place, "-i", package)
    settings = place / "etc/everwhen/environment"
    settings.write_text("EVERWHEN_LOG_FORMAT=json\n")
    dpkg(place, "--force-confold", "-i", package)
    assert settings.read_text() == "EVERWHEN_LOG_FORMAT=json\n", "an upgrade replaced settings"


def remove_deb(place: Path) -> None:
    dpkg(place, "--remove", "everwhen")
    assert not (place / "usr/bin/everwhen").exists() and (place / "etc/everwhen/environment").exists()
    dpkg(place, "--purge", "everwhen")
    assert not (place / "etc/everwhen/environment").exists()


def check_bundle(dist: Path, target: Platform) -> None:
    bundle = next(dist.glob(f"everwhen-mcp-*-{target.npm}.mcpb"))
    with bare_place() as place:
        with zipfile.ZipFile(bundle) as packed:
            for entry in packed.infolist():
                path = Path(packed.extract(entry, place))
                path.chmod(stat.S_IMODE(entry.external_attr >> 16))
        manifest = json.loads((place / "manifest.json").read_text())
        quiet("node", ROOT / ".clients/bundles/node_modules/.bin/mcpb", "validate", place / "manifest.json")
        config = manifest["server"]["mcp_config"]
        memory = manifest["user_config"]["memory"]["default"]
        values = {"${__dirname}": str(place), "${user_config.memory}": memory}
        command = [re.sub(r"\$\{[^}]+\}", lambda found: values[found[0]], part) for part in [config["command"], *config["args"]]]
        assert command[1] == "mcp"
        use = Use([*emulator(target.target), command[0]])
        use.remember_and_recall()
        use.command = [*use.command, *command[2:]]
        use.mcp()


def check_registry_entry(dist: Path) -> None:
    entry = json.loads((dist / "server.json").read_text())
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"]) and len(entry["description"]) <= 100
    root = next(path for path in (dist / "npm").iterdir() if re.fullmatch(r"everwhen-[0-9.]+\.tgz", path.name))
    with tarfile.open(root) as packed:
        described = json.load(packed.extractfile("package/package.json"))
    assert described["mcpName"] == entry["name"] and described["version"] == entry["version"]
    with zipfile.ZipFile(next(dist.glob("*.whl"))) as packed:
        about = packed.read(next(name for name in packed.namelist() if name.endswith("/METADATA"))).decode()
    assert f"mcp-name: {entry['name']}" in about
    for name, digest in json.loads((dist / "mcpb-hashes.json").read_text()).items():
        assert sha256(dist / name) == digest


def main() -> None:
    dist = Path(sys.argv[1]).resolve()
    checks: list[tuple[str, Callable[[], None]]] = [("checksums", lambda: check_sums(dist))]
    kinds = {"archive": check_archive, "wheel": check_wheel, "npm": check_npm, "Debian package": check_deb, "MCP bundle": check_bundle}
    for target in PLATFORMS.values():
        if target.os != "linux" or not list(dist.glob(f"*{target.target}.tar.gz")):
            continue
        checks += [(f"{name}, {target.target}", lambda check=check, target=target: check(dist, target)) for name, check in kinds.items()]
    checks.append(("registry entry", lambda: check_registry_entry(dist)))
    failed = 0
    for name, check in checks:
        begun = time.monotonic()
        try:
            check()
            print(f"ok    {name} ({time.monotonic() - begun:.1f} s)", flush=True)
        except Exception as problem:
            failed += 1
            print(f"FAIL  {name}: {type(problem).__name__}: {problem}", flush=True)
    print(f"{len(checks) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()

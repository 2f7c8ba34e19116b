"""What the makers of packages share: the release, and archives that are the same whenever they are made."""

from __future__ import annotations

import gzip
import hashlib
import io
import subprocess
import tarfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DESCRIPTION = "Memory that knows when: a memory with a sense of time for any LLM app or agent"
# The name in the MCP registry; it has to stand in the packages too, as proof of who published them.
MCP_NAME = "io.github.everwhen/everwhen"
LICENCES = ("LICENSE-APACHE", "LICENSE-MIT")


@dataclass(frozen=True)
class Platform:
    """What one build target is called elsewhere."""

    target: str
    wheel: str
    npm: str
    deb: str | None = None
    os: str = "linux"
    program: str = "everwhen"


# A static binary needs no library of the system, so one wheel is right for glibc and for musl.
PLATFORMS = {
    platform.target: platform
    for platform in (
        Platform("x86_64-unknown-linux-musl", "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64", "linux-x64", "amd64"),
        Platform("aarch64-unknown-linux-musl", "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64", "linux-arm64", "arm64"),
        Platform("x86_64-apple-darwin", "macosx_10_12_x86_64", "darwin-x64", os="darwin"),
        Platform("aarch64-apple-darwin", "macosx_11_0_arm64", "darwin-arm64", os="darwin"),
        Platform("x86_64-pc-windows-msvc", "win_amd64", "win32-x64", os="win32", program="everwhen.exe"),
    )
}


@dataclass
class Release:
    """One version, its binaries by target, and where its files go."""

    version: str
    dist: Path
    time: int
    binaries: dict[str, Path]
    extras: dict[str, bytes] = field(default_factory=dict)
    """Manual pages, completions and notices, by path."""

    def platforms(self) -> list[Platform]:
        return [PLATFORMS[target] for target in self.binaries]

    def binary(self, platform: Platform) -> bytes:
        return self.binaries[platform.target].read_bytes()

    def licences(self) -> dict[str, bytes]:
        return {name: (ROOT / name).read_bytes() for name in LICENCES}


def tar_gz(path: Path, files: dict[str, tuple[bytes, int]], time: int) -> None:
    """Writes files (contents and mode by name), each with the same time and owner."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, (content, mode) in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(content), mode, time
            archive.addfile(entry, io.BytesIO(content))
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file, gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=9, mtime=time) as out:
        out.write(packed.getvalue())


def zip_file(path: Path, files: dict[str, tuple[bytes, int]], time: int) -> None:
    """Writes files (contents and mode by name), each with the same time."""
    import datetime

    moment = datetime.datetime.fromtimestamp(max(time, 315532800), datetime.timezone.utc).timetuple()[:6]
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, (content, mode) in files.items():
            entry = zipfile.ZipInfo(name, moment)
            entry.external_attr = (0o100000 | mode) << 16
            entry.create_system = 3
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content, compresslevel=9)


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def run(*command: str | Path, cwd: Path = ROOT, env: dict[str, str] | None = None) -> bytes:
    """What a command prints; it has to succeed."""
    return subprocess.run([str(part) for part in command], cwd=cwd, env=env, check=True, stdout=subprocess.PIPE).stdout

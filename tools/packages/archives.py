"""Archives to download and unpack: the binary and everything that describes it."""

from __future__ import annotations

from common import ROOT, Platform, Release, sha256, tar_gz, zip_file


def make(release: Release, platform: Platform) -> None:
    name = f"everwhen-{release.version}-{platform.target}"
    files = {platform.program: (release.binary(platform), 0o755), "README.md": ((ROOT / "README.md").read_bytes(), 0o644)}
    files |= {path: (content, 0o644) for path, content in (release.licences() | release.extras).items()}
    files = {f"{name}/{path}": file for path, file in files.items()}
    if platform.os == "win32":
        path = release.dist / f"{name}.zip"
        zip_file(path, files, release.time)
    else:
        path = release.dist / f"{name}.tar.gz"
        tar_gz(path, files, release.time)
    (path.parent / f"{path.name}.sha256").write_text(f"{sha256(path)}  {path.name}\n")

"""The Debian package: the program, its service, a file of settings, manual pages and completions."""

from __future__ import annotations

import gzip
import os
import tempfile
from pathlib import Path

from common import DESCRIPTION, ROOT, Platform, Release, run

ENVIRONMENT = """\
# Settings of the everwhen service, one EVERWHEN_NAME=value in each line; `everwhen config` lists them all.
# After a change: systemctl restart everwhen
#EVERWHEN_LISTEN=127.0.0.1:3939
#EVERWHEN_LOG_FORMAT=json
"""
# The service is started by the administrator: a memory opens no port because a package was installed.
POSTINST = """\
#!/bin/sh
set -e
if [ "$1" = configure ] && [ -z "$DPKG_ROOT" ] && [ -d /run/systemd/system ]; then
  systemctl daemon-reload || true
  if [ -n "$2" ]; then systemctl try-restart everwhen.service || true; fi
fi
"""
PRERM = """\
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -z "$DPKG_ROOT" ] && [ -d /run/systemd/system ]; then
  systemctl disable --now everwhen.service || true
fi
"""
POSTRM = """\
#!/bin/sh
set -e
if [ -z "$DPKG_ROOT" ] && [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
# What was remembered stays in /var/lib/private/everwhen, also after purge: it belongs to the user.
"""
COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: everwhen

Files: *
Copyright: The Everwhen contributors
License: Apache-2.0 or Expat
 See LICENSE-APACHE, LICENSE-MIT and, for the libraries in the program, THIRD-PARTY-NOTICES.txt in this directory.
"""


def files_of(release: Release, platform: Platform) -> dict[str, tuple[bytes, int]]:
    documents = "usr/share/doc/everwhen"
    files = {
        "usr/bin/everwhen": (release.binary(platform), 0o755),
        "usr/lib/systemd/system/everwhen.service": (release.extras["everwhen.service"], 0o644),
        "etc/everwhen/environment": (ENVIRONMENT.encode(), 0o640),
        f"{documents}/copyright": (COPYRIGHT.encode(), 0o644),
        f"{documents}/README.md": ((ROOT / "README.md").read_bytes(), 0o644),
        f"{documents}/changelog.gz": (packed((ROOT / "CHANGELOG.md").read_bytes()), 0o644),
        f"{documents}/THIRD-PARTY-NOTICES.txt.gz": (packed(release.extras["THIRD-PARTY-NOTICES.txt"]), 0o644),
        "usr/share/bash-completion/completions/everwhen": (release.extras["completions/everwhen.bash"], 0o644),
        "usr/share/zsh/vendor-completions/_everwhen": (release.extras["completions/_everwhen"], 0o644),
        "usr/share/fish/vendor_completions.d/everwhen.fish": (release.extras["completions/everwhen.fish"], 0o644),
    }
    files |= {f"{documents}/{name}": (content, 0o644) for name, content in release.licences().items()}
    for path, content in release.extras.items():
        if path.startswith("man/"):
            files[f"usr/share/man/man1/{Path(path).name}.gz"] = (packed(content), 0o644)
    return files


def make(release: Release, platform: Platform) -> None:
    files = files_of(release, platform)
    size = sum(len(content) for content, _ in files.values()) // 1024 + 1
    control = (
        f"Package: everwhen\nVersion: {release.version}\nArchitecture: {platform.deb}\nSection: net\nPriority: optional\n"
        f"Maintainer: The Everwhen contributors <everwhen@localhost>\nInstalled-Size: {size}\nRecommends: ca-certificates\n"
        f"Description: memory that knows when\n {DESCRIPTION}.\n"
    )
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory, "root")
        for path, (content, mode) in files.items():
            write(root / path, content, mode)
        for name, content, mode in (
            ("control", control, 0o644),
            ("conffiles", "/etc/everwhen/environment\n", 0o644),
            ("postinst", POSTINST, 0o755),
            ("prerm", PRERM, 0o755),
            ("postrm", POSTRM, 0o755),
        ):
            write(root / "DEBIAN" / name, content.encode(), mode)
        target = release.dist / f"everwhen_{release.version}_{platform.deb}.deb"
        environment = os.environ | {"SOURCE_DATE_EPOCH": str(release.time)}
        run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, target, env=environment)


def write(path: Path, content: bytes, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(mode)
    for folder in path.parents:
        if folder.name == "root":
            folder.chmod(0o755)
            break
        folder.chmod(0o755)


def packed(content: bytes) -> bytes:
    return gzip.compress(content, 9, mtime=0)

"""npm packages: the TypeScript client with a launcher, and one package with the binary for each platform. None has scripts."""

from __future__ import annotations

import json
import os
from pathlib import Path

from common import MCP_NAME, PLATFORMS, ROOT, Platform, Release, tar_gz

TYPESCRIPT = ROOT / "sdk" / "typescript"
LAUNCHER = Path(__file__).with_name("launcher.js")


def scoped(platform: Platform) -> str:
    return f"@everwhen/{platform.npm}"


def make_platform(release: Release, platform: Platform) -> None:
    system, cpu = platform.npm.split("-")
    package = {
        "name": scoped(platform),
        "version": release.version,
        "description": f"The program of everwhen for {system} on {cpu}",
        "license": "Apache-2.0 OR MIT",
        "os": [system],
        "cpu": [cpu],
        "files": ["bin"],
    }
    files = {"package/package.json": (text(package), 0o644), f"package/bin/{platform.program}": (release.binary(platform), 0o755)}
    extra = release.licences() | {"THIRD-PARTY-NOTICES.txt": release.extras["THIRD-PARTY-NOTICES.txt"]}
    files |= {f"package/{name}": (content, 0o644) for name, content in extra.items()}
    tar_gz(release.dist / "npm" / f"everwhen-{platform.npm}-{release.version}.tgz", files, release.time)


def make_root(release: Release) -> None:
    package = json.loads((TYPESCRIPT / "package.json").read_text())
    for unwanted in ("scripts", "devDependencies"):
        package.pop(unwanted, None)
    package |= {
        "version": release.version,
        "mcpName": MCP_NAME,
        "bin": {"everwhen": "bin/everwhen.js"},
        "files": [*package["files"], "bin"],
        # Every platform that a release is made for; npm takes the one that fits.
        "optionalDependencies": {scoped(platform): release.version for platform in PLATFORMS.values()},
    }
    files = {"package/package.json": (text(package), 0o644), "package/bin/everwhen.js": (LAUNCHER.read_bytes(), 0o755)}
    for folder in ("dist", "src"):
        for path in sorted((TYPESCRIPT / folder).rglob("*")):
            if path.is_file():
                files[f"package/{path.relative_to(TYPESCRIPT)}"] = (path.read_bytes(), 0o644)
    if not os.path.exists(TYPESCRIPT / "dist" / "index.js"):
        raise SystemExit("sdk/typescript is not built")
    files["package/README.md"] = ((TYPESCRIPT / "README.md").read_bytes(), 0o644)
    files |= {f"package/{name}": (content, 0o644) for name, content in release.licences().items()}
    tar_gz(release.dist / "npm" / f"everwhen-{release.version}.tgz", files, release.time)


def text(value: object) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n"

"""The Python wheel: the client of sdk/python, and the program among the scripts of the environment."""

from __future__ import annotations

import base64
import hashlib
import tomllib

from common import MCP_NAME, ROOT, Platform, Release, zip_file

PYTHON = ROOT / "sdk" / "python"


def metadata(release: Release) -> str:
    """The core metadata, from pyproject.toml."""
    project = tomllib.loads((PYTHON / "pyproject.toml").read_text())["project"]
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {release.version}",
        f"Summary: {project['description']}",
        f"License-Expression: {project['license']}",
        "License-File: LICENSE-APACHE",
        "License-File: LICENSE-MIT",
        f"Requires-Python: {project['requires-python']}",
        "Description-Content-Type: text/markdown",
    ]
    lines += [f"Requires-Dist: {needed}" for needed in project["dependencies"]]
    for extra, needs in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {needed}; extra == '{extra}'" for needed in needs]
    readme = (PYTHON / "README.md").read_text()
    return "\n".join(lines) + f"\n\n{readme}\n<!-- mcp-name: {MCP_NAME} -->\n"


def make(release: Release, platform: Platform) -> None:
    packages = tomllib.loads((PYTHON / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    files: dict[str, tuple[bytes, int]] = {}
    for package in packages:
        folder = PYTHON / package.replace(".", "/")
        for path in sorted(folder.iterdir()):
            if path.suffix in (".py", ".pyi", ".typed") or path.name == "py.typed":
                files[str(path.relative_to(PYTHON))] = (path.read_bytes(), 0o644)
    info, data = f"everwhen-{release.version}.dist-info", f"everwhen-{release.version}.data"
    tags = [f"Tag: py3-none-{part}" for part in platform.wheel.split(".")]
    files[f"{data}/scripts/{platform.program}"] = (release.binary(platform), 0o755)
    files[f"{info}/METADATA"] = (metadata(release).encode(), 0o644)
    described = ["Wheel-Version: 1.0", "Generator: everwhen tools/release", "Root-Is-Purelib: false", *tags]
    files[f"{info}/WHEEL"] = ("\n".join(described).encode() + b"\n", 0o644)
    for name, content in (release.licences() | {"THIRD-PARTY-NOTICES.txt": release.extras["THIRD-PARTY-NOTICES.txt"]}).items():
        files[f"{info}/licenses/{name}"] = (content, 0o644)
    record = [f"{name},sha256={digest(content)},{len(content)}" for name, (content, _) in files.items()]
    files[f"{info}/RECORD"] = ("\n".join([*record, f"{info}/RECORD,,"]).encode() + b"\n", 0o644)
    zip_file(release.dist / f"everwhen-{release.version}-py3-none-{platform.wheel}.whl", files, release.time)


def digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()

"""What MCP clients install: a bundle for one click, and the entry for the MCP registry."""

from __future__ import annotations

import json

from common import DESCRIPTION, MCP_NAME, Platform, Release, sha256, zip_file

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"


def bundle_name(release: Release, platform: Platform) -> str:
    return f"everwhen-mcp-{release.version}-{platform.npm}.mcpb"


def make_bundle(release: Release, platform: Platform) -> None:
    manifest = {
        "manifest_version": "0.3",
        "name": "everwhen",
        "display_name": "Everwhen",
        "version": release.version,
        "description": DESCRIPTION,
        "author": {"name": "The Everwhen contributors"},
        "license": "Apache-2.0 OR MIT",
        "server": {
            "type": "binary",
            "entry_point": f"server/{platform.program}",
            "mcp_config": {
                "command": "${__dirname}/server/" + platform.program,
                "args": ["mcp", "--memory", "${user_config.memory}"],
            },
        },
        "user_config": {
            "memory": {
                "type": "string",
                "title": "Memory",
                "description": "The name of the memory that is used; others stay as they are.",
                "default": "default",
                "required": False,
            }
        },
        "compatibility": {"platforms": [platform.os]},
    }
    files = {
        "manifest.json": (json.dumps(manifest, indent=2).encode() + b"\n", 0o644),
        f"server/{platform.program}": (release.binary(platform), 0o755),
    }
    extra = release.licences() | {"THIRD-PARTY-NOTICES.txt": release.extras["THIRD-PARTY-NOTICES.txt"]}
    files |= {name: (content, 0o644) for name, content in extra.items()}
    zip_file(release.dist / bundle_name(release, platform), files, release.time)


def make_registry_entry(release: Release) -> None:
    """server.json: how to run the server from each package. Bundles get their address when they are uploaded."""
    argument = {"type": "positional", "value": "mcp"}
    packages = [
        {"registryType": kind, "identifier": "everwhen", "version": release.version, "runtimeHint": hint, "transport": {"type": "stdio"}}
        | {"packageArguments": [argument]}
        for kind, hint in (("pypi", "uvx"), ("npm", "npx"))
    ]
    entry = {
        "$schema": SCHEMA,
        "name": MCP_NAME,
        "title": "Everwhen",
        "description": DESCRIPTION,
        "version": release.version,
        "packages": packages,
    }
    (release.dist / "server.json").write_text(json.dumps(entry, indent=2) + "\n")
    bundles = {bundle_name(release, platform): sha256(release.dist / bundle_name(release, platform)) for platform in release.platforms()}
    (release.dist / "mcpb-hashes.json").write_text(json.dumps(bundles, indent=2) + "\n")

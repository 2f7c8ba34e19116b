"""Runs the fenced commands of Markdown pages in a fresh home, one page after the other.

Usage: docs_check.py BINARY [PAGE...]        without pages: README.md and all of docs/

- A block ```sh is run with `bash -e` and has to succeed.
- A block ```console is run line by line: `$ command`, then what it prints, which has to be the same but for ids and times of day.
- A comment `<!-- not run: reason -->` on the line before a block says why it is not run; the reasons are listed at the end.
- A comment `<!-- wait N s -->` there waits first, for what is done in the background.
- Lines that build the binary (`cargo build`, `tools/…`) are left out, because the binary is given.

A page whose commands need a server gets one on a free port; the address http://localhost:3939 stands for it.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"(?:^<!-- (?:not run: (?P<reason>.*?)|wait (?P<wait>\d+) s) -->\n)?^```(?P<kind>sh|console)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
BUILDS = re.compile(r"^(cargo (build|install|run|test)|tools/)")
PATIENCE = 300


@dataclass
class Block:
    kind: str
    text: str
    reason: str | None
    wait: int


def blocks(page: Path) -> list[Block]:
    """The blocks of a page that a reader could run."""
    return [Block(found["kind"], found["text"], found["reason"], int(found["wait"] or 0)) for found in BLOCK.finditer(page.read_text())]


def plain(text: str) -> str:
    """Output without what differs from run to run."""
    text = re.sub(r"\b(ent|cnv|mem|vlt|fct|key|job)_[0-9a-z]+", r"\1_ID", text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


class Home:
    """A home directory of its own, with the binary first in the path and a server where one is needed."""

    def __init__(self, binary: Path, needs_server: bool) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="docs-check-"))
        programs = self.directory / "bin"
        programs.mkdir()
        (programs / "everwhen").symlink_to(binary)
        data = self.directory / "data"
        self.environment = {
            "HOME": str(self.directory),
            "PATH": f"{programs}:{os.environ['PATH']}",
            "EVERWHEN_DATA": str(data),
            "EVERWHEN_ZONE": "Europe/Lisbon",
            "LANG": "C.UTF-8",
        }
        self.server = None
        self.address = ""
        if needs_server:
            self.serve(binary)

    def serve(self, binary: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"localhost:{port}"
        command = [str(binary), "serve", "--json", "--listen", f"127.0.0.1:{port}"]
        self.server = subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.server.stdout.readline()

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        command = command.replace("localhost:3939", self.address) if self.address else command
        shell = ["bash", "-e", "-o", "pipefail", "-c", command]
        return subprocess.run(
            shell, env=self.environment, cwd=self.directory, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE
        )

    def close(self) -> None:
        if self.server:
            self.server.terminate()
            self.server.wait(60)
        shutil.rmtree(self.directory, ignore_errors=True)


def typed(text: str) -> str:
    """The lines of a block that are run."""
    kept = []
    for line in text.splitlines():
        match line.split(" && ", 1):
            case [first, _] if BUILDS.match(first):
                # What follows sets the path to what was built.
                continue
            case _ if BUILDS.match(line):
                continue
        kept.append(line)
    return "\n".join(kept)


def check(home: Home, block: Block) -> str | None:
    """Runs a block; says what is wrong with it."""
    time.sleep(block.wait)
    if block.kind == "sh":
        done = home.run(typed(block.text))
        return None if done.returncode == 0 else f"{block.text}\nfails:\n{done.stdout}{done.stderr}"
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        done = home.run(command)
        if done.returncode != 0:
            return f"$ {command}\nfails:\n{done.stdout}{done.stderr}"
        if plain(done.stdout) != plain(expected):
            return f"$ {command}\nshould print\n{plain(expected)}\nand prints\n{plain(done.stdout)}"
    return None


def main() -> None:
    binary = Path(sys.argv[1]).resolve()
    pages = [Path(name) for name in sys.argv[2:]] or [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    wrong, ran, skipped = [], 0, []
    for page in pages:
        found = blocks(page)
        if not found:
            continue
        needs_server = any("localhost:3939" in block.text for block in found if not block.reason)
        home = Home(binary, needs_server)
        try:
            for block in found:
                if block.reason:
                    skipped.append(f"{page.name}: {block.reason}: {block.text.splitlines()[0]}")
                    continue
                ran += 1
                problem = check(home, block)
                if problem:
                    wrong.append(f"{page.name}: {problem}")
        finally:
            home.close()
    print("\n".join(f"not run: {line}" for line in skipped))
    print("\n".join(wrong), file=sys.stderr)
    print(f"{ran} blocks run, {len(wrong)} wrong, {len(skipped)} not run")
    sys.exit(1 if wrong else 0)


main()

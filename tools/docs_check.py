"""Runs the fenced commands of Markdown pages in a fresh home, one page after the other.

Usage: docs_check.py BINARY [PAGE...]        without pages: README.md and all of docs/

- A block ```sh is run with `bash -e` and has to succeed.
- A block ```console is run line by line: `$ command`, then what it prints, which has to be the same but for ids and times of day.
- A block ```toml is a configuration file: `everwhen config` has to accept it, without an unknown setting.
- Commands that serve until they are stopped (`everwhen serve`, `ui`, `demo`) are started in a home of their own, have to name an
  address that answers, and are stopped.
- Comments on the lines before a block, in this order, each at most once:
  `<!-- not run: reason -->` says why it is not run; the reasons are listed at the end, and their number is held by `MOST_NOT_RUN`.
  `<!-- before: command -->` is run first: what a reader of that line has done already.
  `<!-- wait N s -->` waits first, for what is done in the background.
- Lines that build the binary (`cargo build`, `tools/…`) are left out, because the binary is given.

Commands inside a sentence, such as `everwhen recall QUESTION --limit 3`, are not run, but the command and its flags have to exist.

A page whose commands need a server gets one on a free port; the address http://localhost:3939 is replaced by it. /home/ana is replaced by the home,
with a copy of the WilmerAI tree that the tests use.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(
    r"(?:^<!-- not run: (?P<reason>.*?) -->\n)?(?:^<!-- before: (?P<before>.*?) -->\n)?(?:^<!-- wait (?P<wait>\d+) s -->\n)?"
    r"^```(?P<kind>sh|console|toml)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
SERVES = re.compile(r"^everwhen (serve|demo)\b")
ADDRESS = re.compile(r"http://[\w.:\[\]-]+")
WILMER = ROOT / "crates" / "everwhen-workflow" / "tests" / "wilmer" / "Public"
# Blocks that cannot run here: they need another program, an account, a data set or many minutes.
MOST_NOT_RUN = 8
BUILDS = re.compile(r"^(cargo (build|install|run|test)|tools/)")
MENTION = re.compile(r"`everwhen ([^`]+)`")
HELP: dict[tuple[str, ...], str | None] = {}
PATIENCE = 300


@dataclass
class Block:
    kind: str
    text: str
    reason: str | None
    before: str | None
    wait: int


def blocks(page: Path) -> list[Block]:
    """The blocks of a page that a reader could run."""
    found = BLOCK.finditer(page.read_text())
    return [Block(one["kind"], one["text"], one["reason"], one["before"], int(one["wait"] or 0)) for one in found]


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
        shell = ["bash", "-e", "-o", "pipefail", "-c", self.here(command)]
        return subprocess.run(
            shell, env=self.environment, cwd=self.directory, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE
        )

    def here(self, text: str) -> str:
        """Commands or settings with the addresses and directories of this home."""
        if "/home/ana/WilmerAI" in text and not (self.directory / "WilmerAI").exists():
            shutil.copytree(WILMER, self.directory / "WilmerAI" / "Public")
            discussion = self.directory / "WilmerAI" / "Public" / "DiscussionIds" / "1234"
            discussion.mkdir(parents=True)
            (discussion / "memories.json").write_text('[{"text_block": "Ana picked the blue tent.", "hash": "5d41402abc4b2a76b9719d911017c592"}]')
        text = text.replace("/home/ana", str(self.directory))
        return text.replace("localhost:3939", self.address) if self.address else text

    def serves(self, command: str) -> str | None:
        """Starts a command that serves, asks it something, and stops it; says what is wrong."""
        environment = self.environment | {"EVERWHEN_LISTEN": "127.0.0.1:0", "EVERWHEN_DATA": str(self.directory / "served"), "BROWSER": "true"}
        command = self.here(re.sub(r"\s+#.*", "", command))
        server = subprocess.Popen(
            ["bash", "-c", f"exec {command}"], env=environment, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
        )
        said = ""
        try:
            while not (found := ADDRESS.search(said)):
                line = server.stdout.readline()
                if not line:
                    return f"{command}\nends:\n{said}"
                said += line
            with urllib.request.urlopen(f"{found[0]}/healthz", timeout=PATIENCE) as answer:
                return None if answer.status == 200 else f"{command}: {found[0]}/healthz answers {answer.status}"
        finally:
            server.terminate()
            server.wait(60)

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
    if block.before and (done := home.run(block.before)).returncode != 0:
        return f"{block.before}\nfails:\n{done.stdout}{done.stderr}"
    match block.kind:
        case "sh":
            return check_commands(home, block)
        case "toml":
            return check_settings(home, block)
        case _:
            return check_output(home, block)


def check_commands(home: Home, block: Block) -> str | None:
    lines = typed(block.text).splitlines()
    for line in lines:
        if SERVES.match(line) and (problem := home.serves(line)):
            return problem
    done = home.run("\n".join(line for line in lines if not SERVES.match(line)))
    return None if done.returncode == 0 else f"{block.text}\nfails:\n{done.stdout}{done.stderr}"


def check_settings(home: Home, block: Block) -> str | None:
    file = home.directory / "settings.toml"
    file.write_text(home.here(block.text))
    done = home.run(f"everwhen config --config {file}")
    return None if done.returncode == 0 else f"{block.text}\nis refused:\n{done.stdout}{done.stderr}"


def check_output(home: Home, block: Block) -> str | None:
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        done = home.run(command)
        if done.returncode != 0:
            return f"$ {command}\nfails:\n{done.stdout}{done.stderr}"
        if plain(done.stdout) != plain(expected):
            return f"$ {command}\nshould print\n{plain(expected)}\nand prints\n{plain(done.stdout)}"
    return None


def help_of(binary: Path, *command: str) -> str | None:
    """The help of a command; nothing if there is no such command."""
    if command not in HELP:
        done = subprocess.run([str(binary), *command, "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        HELP[command] = done.stdout if done.returncode == 0 else None
    return HELP[command]


def check_mentions(binary: Path, page: Path) -> list[str]:
    """Commands in sentences that the program does not have, or not with these flags."""
    prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    wrong = []
    for mention in MENTION.findall(prose):
        words = [word.strip("[](),;…") for word in mention.split()]
        names = [word for word in words if re.fullmatch(r"[a-z][a-z0-9|-]*", word)]
        flags = [word.split("=")[0] for word in words if re.fullmatch(r"--[a-z][a-z-]*(=.*)?", word)]
        for name in names[0].split("|") if names and names[0] == words[0] else [None]:
            command = [name] if name else []
            text = help_of(binary, *command)
            if text is None:
                wrong.append(f"`everwhen {mention}`: there is no such command")
                continue
            for sub in names[1].split("|") if name and len(names) > 1 and names[1] == words[1] else []:
                if re.search(r"^Commands:|^  help  ", text, flags=re.MULTILINE):
                    text += help_of(binary, name, sub) or ""
                    if not re.search(rf"^  {re.escape(sub)}(\s|,|$)", text, flags=re.MULTILINE):
                        wrong.append(f"`everwhen {mention}`: {name} has no command {sub}")
            wrong += [f"`everwhen {mention}`: no flag {flag}" for flag in flags if not re.search(rf"{flag}\b", text)]
    return [f"{page.name}: {one}" for one in wrong]


def main() -> None:
    binary = Path(sys.argv[1]).resolve()
    pages = [Path(name) for name in sys.argv[2:]] or [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    wrong, ran, skipped = [], 0, []
    for page in pages:
        wrong += check_mentions(binary, page)
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
    if len(skipped) > MOST_NOT_RUN:
        print(f"at most {MOST_NOT_RUN} may be left out", file=sys.stderr)
    sys.exit(1 if wrong or len(skipped) > MOST_NOT_RUN else 0)


main()

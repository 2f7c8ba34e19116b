"""Makes HTML pages of the documentation, with the contents of docs/SUMMARY.md beside each, and checks every link of the result.

Usage: book.py BINARY [DIRECTORY]
"""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
# Pages that are not in docs/: the file, or the topic that the binary writes; their place in the list of contents.
FIRST = [("Start", "index", ROOT / "README.md")]
MADE = [("All commands", "commands"), ("All settings", "settings")]
LAST = [("Security", "security", ROOT / "SECURITY.md"), ("Changes", "changelog", ROOT / "CHANGELOG.md"), ("Architecture", "architecture", ROOT / "ARCHITECTURE.md")]
STYLE = """
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 20%, transparent) }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: minmax(12rem, 17rem) minmax(0, 1fr) }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; box-sizing: border-box; padding: 1rem; border-right: 1px solid var(--line) }
nav ul { list-style: none; padding-left: .8rem; margin: .2rem 0 } nav h2 { font-size: .85rem; margin: 1rem 0 .2rem }
nav [aria-current] { font-weight: bold }
main { max-width: 56rem; padding: 1rem 2rem 4rem; overflow-wrap: break-word }
pre { padding: .8rem; overflow: auto; border: 1px solid var(--line); border-radius: 6px } code { font-size: .9em }
table { border-collapse: collapse; display: block; overflow: auto } td, th { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left }
img { max-width: 100% }
@media (max-width: 50rem) { body { display: block } nav { position: static; height: auto } }
"""


@dataclass
class Page:
    title: str
    name: str
    text: str
    source: Path
    """Where its relative links start."""


def contents() -> list[tuple[int, str, str | None]]:
    """The lines of SUMMARY.md: depth (0 for a heading), title, file."""
    found: list[tuple[int, str, str | None]] = []
    for line in (DOCS / "SUMMARY.md").read_text().splitlines():
        if entry := re.fullmatch(r"( *)- \[(.+)\]\((.+)\)", line):
            found.append((1 + len(entry[1]) // 2, entry[2], entry[3]))
        elif line.startswith("# ") and line != "# Summary":
            found.append((0, line[2:], None))
    return found


def pages(binary: Path) -> list[Page]:
    """Every page of the book, in order."""
    found = [Page(title, name, path.read_text(), path) for title, name, path in FIRST]
    for _, title, file in contents():
        if file:
            path = DOCS / file
            found.append(Page(title, path.stem, path.read_text(), path))
    with tempfile.TemporaryDirectory() as home:
        for title, topic in MADE:
            said = subprocess.run([binary, "help", topic], env={"HOME": home}, capture_output=True, text=True, check=True).stdout
            found.append(Page(title, topic, said, DOCS / f"{topic}.md"))
    return found + [Page(title, name, path.read_text(), path) for title, name, path in LAST]


def anchor(heading: str) -> str:
    """The name of a heading, as Git hosts make it."""
    return "".join(letter for letter in heading.lower().replace(" ", "-") if letter.isalnum() or letter in "-_")


class Book:
    def __init__(self, pages: list[Page], directory: Path) -> None:
        self.pages = pages
        self.directory = directory
        self.by_source = {page.source.resolve(): page for page in pages}
        self.markdown = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")

    def target(self, page: Page, link: str) -> str:
        """A link of a source file as a link of the book. Files that are no page are copied beside it."""
        if re.match(r"[a-z]+:", link) or link.startswith("#"):
            return link
        file, mark, fragment = link.partition("#")
        path = (page.source.parent / unquote(file)).resolve()
        if other := self.by_source.get(path):
            return f"{other.name}.html{mark}{fragment}"
        if not path.is_relative_to(ROOT) or not path.exists():
            raise SystemExit(f"{page.source.name}: {link}: there is no such file")
        inside = PurePosixPath("files", *path.relative_to(ROOT).parts)
        if path.is_dir():
            return f"{inside}/index.html" if self.list_folder(path, inside) else ""
        (self.directory / inside).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, self.directory / inside)
        return f"{inside}{mark}{fragment if path.suffix == '.html' else ''}".rstrip("#")

    def list_folder(self, path: Path, inside: PurePosixPath) -> bool:
        """A page that names the files of a folder, as a Git host shows it."""
        (self.directory / inside).mkdir(parents=True, exist_ok=True)
        names = "".join(f"<li>{html.escape(file.name)}</li>" for file in sorted(path.iterdir()))
        (self.directory / inside / "index.html").write_text(f"<!doctype html><title>{html.escape(path.name)}</title><ul>{names}</ul>")
        return True

    def change(self, page: Page, tokens: list[Token]) -> None:
        """Gives headings their names and links their targets."""
        for number, token in enumerate(tokens):
            if token.type == "heading_open":
                words = "".join(part.content for part in tokens[number + 1].children or [])
                token.attrSet("id", anchor(words))
            for attribute in ("href", "src"):
                if link := token.attrGet(attribute):
                    token.attrSet(attribute, self.target(page, str(link)))
            if token.children:
                self.change(page, token.children)

    def navigation(self, current: Page) -> str:
        def entry(title: str, name: str) -> str:
            mark = ' aria-current="page"' if name == current.name else ""
            return f'<a href="{name}.html"{mark}>{html.escape(title)}</a>'

        parts = ["<ul>", *(f"<li>{entry(title, name)}</li>" for title, name, _ in FIRST)]
        for depth, title, file in contents():
            if file is None:
                parts.append(f"</ul><h2>{html.escape(title)}</h2><ul>")
            else:
                shown = entry(title, Path(file).stem)
                parts.append(f"<li>{shown}</li>" if depth == 1 else f"<li><ul><li>{shown}</li></ul></li>")
        parts.append("</ul><h2>Reference</h2><ul>")
        parts += [f"<li>{entry(title, name)}</li>" for title, name in [*MADE, *((title, name) for title, name, _ in LAST)]]
        return "".join([*parts, "</ul>"])

    def write(self) -> None:
        for page in self.pages:
            tokens = self.markdown.parse(page.text)
            self.change(page, tokens)
            body = self.markdown.renderer.render(tokens, self.markdown.options, {})
            (self.directory / f"{page.name}.html").write_text(
                f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n'
                f"<title>{html.escape(page.title)} – Everwhen</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
                f"<nav>{self.navigation(page)}</nav>\n<main>\n{body}</main>\n</body>\n</html>\n"
            )


class Links(HTMLParser):
    """The links and the anchors of an HTML page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            if name == "id" and value:
                self.anchors.add(value)


def broken_links(directory: Path) -> list[str]:
    """What is wrong in the finished book."""
    read = {path.name: Links(path.read_text()) for path in directory.glob("*.html")}
    wrong = []
    for name, page in read.items():
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                continue
            file, _, fragment = link.partition("#")
            if file and not (directory / file).exists():
                wrong.append(f"{name}: {link}: there is no such file")
            elif fragment and (file or name) in read and unquote(fragment) not in read[file or name].anchors:
                wrong.append(f"{name}: {link}: there is no such heading")
    return wrong


def main() -> None:
    binary = Path(sys.argv[1]).resolve()
    directory = Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "target" / "book").resolve()
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    made = pages(binary)
    Book(made, directory).write()
    wrong = broken_links(directory)
    print("\n".join(wrong), file=sys.stderr)
    count = sum(len(Links(path.read_text()).links) for path in directory.glob("*.html"))
    print(f"{len(made)} pages, {count} links, {len(wrong)} broken: {directory}/index.html")
    sys.exit(1 if wrong else 0)


main()

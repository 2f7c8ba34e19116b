"""Runs the code blocks of a document, each language's one after the other in one program, as a reader would.

Usage: readme.py python FILE | readme.py javascript FILE NODE APP    (APP has the package installed)

A block that begins with a comment "# not run" or "// not run" needs something that tests have not, such as a provider's key. The server is
the one in EVERWHEN_SERVER and EVERWHEN_KEY; addresses in the text are replaced by it.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx

LANGUAGES = {"python": ("python", "py"), "javascript": ("ts", "js", "typescript", "javascript")}


def blocks(text: str, languages: tuple[str, ...]) -> list[str]:
    """The code blocks of some languages."""
    found = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [code for language, code in found if language in languages and "not run" not in code.partition("\n")[0]]


def main() -> None:
    language, path = sys.argv[1], Path(sys.argv[2])
    codes = blocks(path.read_text(), LANGUAGES[language])
    if not codes:
        sys.exit(f"{path}: no {language} blocks")
    # Each document begins with an empty memory.
    key = {"authorization": f"Bearer {os.environ['EVERWHEN_KEY']}"}
    httpx.delete(f"{os.environ['EVERWHEN_SERVER']}/v1/vaults/default", headers=key)
    code = "\n".join(codes).replace("http://localhost:3939", os.environ["EVERWHEN_SERVER"])
    if language == "python":
        root = Path(__file__).resolve().parents[2] / "sdk/python"
        with tempfile.TemporaryDirectory() as home:
            run([sys.executable, "-c", code], cwd=home, env={**os.environ, "PYTHONPATH": str(root)})
    else:
        file = Path(sys.argv[4]) / f"{path.parent.name}-{path.stem}.mts"
        # An import may stand anywhere in a document, but only once for each name.
        imports = list(dict.fromkeys(line for line in code.splitlines() if line.startswith("import ")))
        rest = [line for line in code.splitlines() if not line.startswith("import ")]
        file.write_text("\n".join([*imports, *rest]))
        run([sys.argv[3], "--disable-warning=ExperimentalWarning", file.name], cwd=file.parent, env=dict(os.environ))
    print(f"{path}: {len(codes)} {language} blocks run")


def run(command: list[str], cwd: str | Path, env: dict[str, str]) -> None:
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{sys.argv[2]}: the code fails\n{done.stdout}{done.stderr}")


main()

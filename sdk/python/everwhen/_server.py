"""The program, started for one client and stopped with it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import weakref
from pathlib import Path

import httpx

from everwhen.errors import EmbeddedServerError

STARTING_SECONDS = 60.0
STOPPING_SECONDS = 15.0
PROGRAM = "everwhen.exe" if sys.platform == "win32" else "everwhen"


def find_binary() -> Path:
    """The program: what EVERWHEN_BINARY names, else what came with this package, else what is on the PATH."""
    if named := os.environ.get("EVERWHEN_BINARY"):
        if not Path(named).is_file():
            raise EmbeddedServerError(f"EVERWHEN_BINARY names {named}, and there is no such file")
        return Path(named)
    inside = (Path(__file__).parent / "bin" / PROGRAM, Path(sysconfig.get_path("scripts")) / PROGRAM)
    for path in inside:
        if path.is_file():
            return path
    if found := shutil.which(PROGRAM):
        return Path(found)
    raise EmbeddedServerError(
        "the everwhen program was not found: name it in EVERWHEN_BINARY, or put it on the PATH"
    )


class EmbeddedServer:
    """A server of one's own, on a free port of this machine.

    It keeps everything in `path`, or in a temporary directory that is removed with it. Neither this machine's
    configuration file nor EVERWHEN_ variables count for it; `config` names a file that does.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        binary: str | os.PathLike[str] | None = None,
        config: str | os.PathLike[str] | None = None,
    ) -> None:
        program = Path(binary) if binary is not None else find_binary()
        self._own = Path(tempfile.mkdtemp(prefix="everwhen-"))
        settings = Path(config) if config is not None else self._own / "config.toml"
        if config is None:
            settings.touch()
        self.path = Path(path) if path is not None else self._own / "data"
        """The directory that holds everything."""
        command = [str(program), "serve", "--data", str(self.path), "--config", str(settings)]
        command += ["--listen", "127.0.0.1:0", "--log", "warn", "--json", "--stop-with-stdin"]
        try:
            with (self._own / "out").open("wb") as out, (self._own / "err").open("wb") as err:
                # A session of its own: Ctrl-C reaches this program first, which then stops the server.
                self._process = subprocess.Popen(
                    command,
                    # It closes when this program ends, even if that is killed, and the server stops.
                    stdin=subprocess.PIPE,
                    stdout=out,
                    stderr=err,
                    env={k: v for k, v in os.environ.items() if not k.startswith("EVERWHEN_")},
                    start_new_session=True,
                )
        except OSError as error:
            shutil.rmtree(self._own, ignore_errors=True)
            raise EmbeddedServerError(f"cannot start {program}: {error}") from error
        self._stop = weakref.finalize(self, _stop, self._process, self._own)
        try:
            self.url = self._wait_until_ready()
        except BaseException:
            self._stop()
            raise

    @property
    def operator_token(self) -> str:
        """What the server accepts as a key for everything, until it stops."""
        return str(json.loads((self.path / "server.json").read_text())["token"])

    @property
    def process_id(self) -> int:
        """The id of the server's process."""
        return self._process.pid

    def stop(self) -> None:
        """Stops the server, which finishes what it has begun, and removes what was temporary."""
        self._stop()

    def _wait_until_ready(self) -> str:
        deadline = time.monotonic() + STARTING_SECONDS
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                said = (self._own / "err").read_text(errors="replace").strip()
                raise EmbeddedServerError(f"the server did not start: {said or self._process.returncode}")
            if (url := self._address()) and _is_ready(url):
                return url
            time.sleep(0.02)
        raise EmbeddedServerError(f"the server was not ready within {STARTING_SECONDS:.0f} seconds")

    def _address(self) -> str | None:
        first, ended, _ = (self._own / "out").read_text(errors="replace").partition("\n")
        return str(json.loads(first)["url"]) if ended else None


def _is_ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz", timeout=5, trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


def _stop(process: subprocess.Popen[bytes], own: Path) -> None:
    if process.stdin is not None:
        process.stdin.close()
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        process.wait(STOPPING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    shutil.rmtree(own, ignore_errors=True)

"""A running program, as another one on the same machine can find out whether it is still there."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Process:
    """A program by where it runs, its number there and when it began; numbers are used again."""

    host: str
    pid: int
    started: str  # as the system tells it; empty = it does not

    @classmethod
    def this(cls) -> Process:
        """Return this very program."""
        return cls(_host(), os.getpid(), _started(os.getpid()) or "")

    @classmethod
    def read(cls, text: str) -> Process | None:
        """Return the program that a text of `text` names; None if it names none."""
        try:
            facts = json.loads(text)
            return cls(str(facts["host"]), int(facts["pid"]), str(facts["started"]))
        except (ValueError, KeyError, TypeError):
            return None

    @property
    def text(self) -> str:
        """Return it as it is written down."""
        return json.dumps(asdict(self))

    @property
    def here(self) -> bool:
        """Say whether it runs, or ran, on this machine: then `gone` is certain."""
        return self.host == _host()

    @property
    def gone(self) -> bool:
        """Say whether it has certainly ended; of another machine's nothing is certain."""
        if not self.here:
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except OSError:
            pass  # it is somebody else's
        started = _started(self.pid)
        return started is None or (bool(self.started and started) and started != self.started)


def _host() -> str:
    """Return a machine's name; two containers of one name have different process tables."""
    try:
        table = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        table = ""
    return f"{socket.gethostname()} {table}".strip()


def _started(pid: int) -> str | None:
    """Return when a program began, empty if that is not known, None if it has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return _asked_of_ps(pid)
    state, *rest = stat.rpartition(")")[2].split()
    return None if state == "Z" else rest[18]  # the 22nd field: ticks since the machine started


def _asked_of_ps(pid: int) -> str | None:
    try:
        command = ["ps", "-o", "lstart=", "-p", str(pid)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() or None

"""The state of the user's working copy."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class WorkingCopy:
    """The git state of a folder."""

    commit: str  # empty outside a repository
    dirty: bool

    @classmethod
    def of(cls, folder: Path) -> WorkingCopy:
        """Look at the repository around a folder."""
        commit = git(folder, "rev-parse", "HEAD")
        return cls(commit, bool(commit and git(folder, "status", "--porcelain")))


def git(folder: Path, *words: str) -> str:
    """Return what git answers in a folder; empty if it is not installed, refuses or hangs."""
    try:
        done = subprocess.run(
            ["git", *words], cwd=folder, capture_output=True, text=True, check=False, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""

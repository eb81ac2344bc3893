"""What every golden format is: something that loads a golden set."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Protocol

from rageval.corpus.document import Corpus
from rageval.golden.question import GoldenSet

_SET_NAME = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)*")


class GoldenSource(Protocol):
    """Reads questions and labels from where they are kept."""

    def load(self, corpus: Corpus) -> GoldenSet:
        """Return the golden set for a corpus; all faults of it are raised as one InputError."""
        ...


def set_name_fault(name: str) -> str | None:
    """Return what is wrong with a set's identifier, or None.

    Examples
    --------
    >>> set_name_fault("hr.leave_2024") is None
    True
    >>> set_name_fault("HR leave")
    "'HR leave' is no set identifier: lowercase letters, digits and _ are allowed, dots between"
    """
    if _SET_NAME.fullmatch(name):
        return None
    return (
        f"{name!r} is no set identifier: lowercase letters, digits and _ are allowed, dots between"
    )


def name_from(path: Path) -> str:
    """Return a set's identifier from the name of its file or folder.

    Examples
    --------
    >>> name_from(Path("data/My Set.json"))
    'my_set'
    """
    return re.sub(r"[^a-z0-9_]+", "_", path.resolve().stem.lower()).strip("_") or "set"

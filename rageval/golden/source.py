"""What every golden format is: something that loads a golden set."""

from __future__ import annotations

import re
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

"""Cells are never gated nor registered: a candidate is a run of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rageval.errors import InputError
from rageval.sweep.composing import Composer, Job


def refuse_verdicts(composer: Composer, jobs: Sequence[Job]) -> None:
    """Refuse cells that are to be gated or registered, before any is run.

    Raises
    ------
    InputError
        If there is one.
    """
    known: set[tuple[str, ...]] = set()
    for job in jobs:
        kind = tuple(word for word in job.overrides if decides(composer, word))
        if job.fault or kind in known:
            continue
        try:
            whole = composer.compose(job).tree.whole
        except InputError:  # the cell fails by itself
            continue
        known.add(kind)
        asked = {"gate.enabled": whole["gate"]["enabled"], "register": whole["register"]}
        for key in (key for key, wanted in asked.items() if wanted):
            raise InputError(f"{key}=true is for a run of its own, not for the cells of a sweep")


def decides(composer: Composer, word: str) -> bool:
    """Say whether a word or key chooses a file of conf/, or asks for a verdict itself."""
    key = re.split(r"[@=]", word.lstrip("+~"), maxsplit=1)[0]
    return composer.chooses(key) or key.startswith(("gate", "register"))

"""What people read of a model in MLflow: its history as a table, a version in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rageval.escaping.markdown import escaped, table
from rageval.tracking.reading import Kept

_SHOWN = 50  # moves of the alias, the newest first
_VERDICTS = {"passed": "passed the gate", "failed": "failed the gate", "none": "was not gated"}
_LONGEST = 4900  # characters that some registries keep of a description


class Move(Protocol):
    """One move of the alias; see `rageval.registry.promotion.Promotion`."""

    @property
    def when(self) -> str:
        """Return when it moved, ISO 8601."""
        ...

    @property
    def who(self) -> str:
        """Return who moved it."""
        ...

    @property
    def action(self) -> str:
        """Return promote or rollback."""
        ...

    @property
    def before(self) -> str | None:
        """Return the version before; None at first."""
        ...

    @property
    def after(self) -> str:
        """Return the version now."""
        ...

    @property
    def verdict(self) -> str:
        """Return passed, failed or none."""
        ...

    @property
    def reason(self) -> str:
        """Return why."""
        ...

    @property
    def forced(self) -> bool:
        """Return whether a check was overruled."""
        ...


def described(model: str, moves: Sequence[Move]) -> str:
    """Return the description of a model: what it is, and its history as a table.

    Parameters
    ----------
    model
        The name of the registered model.
    moves
        Every move of its alias, the oldest first.
    """
    rows = [
        [
            move.when.replace("T", " ")[:16],
            escaped(move.who),
            f"{move.action}, forced" if move.forced else move.action,
            f"{move.before or '–'} → {move.after}",
            move.verdict,
            escaped(move.reason),
        ]
        for move in reversed(moves[-_SHOWN:])
    ]
    told = f"The retrieval that answers questions like those of {escaped(model)}."
    heads = ["when (UTC)", "who", "what", "version", "verdict", "reason"]
    return f"{told}\n\n{table(heads, rows)}"[:_LONGEST]


def version_described(kept: Kept, verdict: str) -> str:
    """Return the description of a version: its retrieval, its verdict, and its run's own words."""
    run = f"[run {kept.run}](#/experiments/{kept.experiment}/runs/{kept.run})"
    head = f"{escaped(kept.result.name)}: {_VERDICTS.get(verdict, verdict)}; {run}"
    words = kept.tags.get("mlflow.note.content", "")
    return f"{head}\n\n{words}"[:_LONGEST]

"""What a command answers to programs: one JSON document, or the one word that matters.

Commands print for people. With `output.format=json` they print nothing of that, and what they found
is written to the standard output as one document when they end; with `output.format=quiet` the
essence of it is. Notes and faults go to the standard error as ever.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

TEXT, JSON, QUIET = "text", "json", "quiet"
FORMATS = (TEXT, JSON, QUIET)

_format: ContextVar[str] = ContextVar("rageval_output_format", default=TEXT)
_found: ContextVar[dict[str, Any] | None] = ContextVar("rageval_answer", default=None)
_essence: ContextVar[str] = ContextVar("rageval_essence", default="")


def set_format(output: object) -> None:
    """Take the format from the composed `output` node; anything else there is no business of it."""
    wanted = output.get("format", TEXT) if isinstance(output, Mapping) else TEXT
    _format.set(wanted if wanted in FORMATS else TEXT)


def for_people() -> bool:
    """Say whether the output is for people, so that commands print."""
    return _format.get() == TEXT


def answer(essence: str, **found: Any) -> None:  # noqa: ANN401  any JSON value
    """Add to what the command answers; `essence` replaces an earlier one.

    Parameters
    ----------
    essence
        The word or the lines that `output.format=quiet` prints: an id, a path, an outcome.
    **found
        Keys of the JSON document.
    """
    _found.set({**(_found.get() or {}), **found})
    _essence.set(essence)


def write_answer(exit_code: int) -> None:
    """Write the answer in the format that was asked for, and forget it."""
    found, essence, wanted = _found.get(), _essence.get(), _format.get()
    _found.set(None)
    _essence.set("")
    _format.set(TEXT)
    if wanted == JSON and found is not None:
        content = {**found, "exit_code": exit_code}
        sys.stdout.write(json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
    if wanted == QUIET and essence:
        sys.stdout.write(f"{essence}\n")

"""Reasons why questions or labels may leave a golden set: a committed file that verdicts quote."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from rageval.errors import InputError
from rageval.evaluation.provenance.working_copy import git
from rageval.files.nodes import plain_yaml
from rageval.files.text import read_text
from rageval.schema.fields import Name, Record
from rageval.schema.validation import sentences


class Entry(Record):
    """One reason, and the questions that it is about."""

    questions: Annotated[tuple[Name, ...], Field(min_length=1)]  # ids
    reason: Name
    until: date | None = None  # the last day on which it counts; None = without end


class _File(Record):
    exceptions: tuple[Entry, ...]


@dataclass(frozen=True)
class Exceptions:
    """The entries of a file that count today."""

    entries: tuple[Entry, ...] = ()
    source: str = ""  # file and commit, as a verdict quotes them
    notes: tuple[str, ...] = ()  # about entries that count no more

    @property
    def questions(self) -> frozenset[str]:
        """Return the ids that are excused."""
        return frozenset(name for entry in self.entries for name in entry.questions)

    def quoted(self, ids: Collection[str]) -> Iterator[str]:
        """Yield the entries that are about these questions, as a verdict quotes them."""
        for entry in self.entries:
            about = [name for name in entry.questions if name in ids]
            if about:
                yield f"exception for {', '.join(about)} ({self.source}): “{entry.reason}”"


NO_EXCEPTIONS = Exceptions()


def read_exceptions(path: Path, today: date) -> Exceptions:
    """Return the entries of a file that count today.

    Raises
    ------
    InputError
        If it is missing or wrong, or lies in a git repository and is not committed as it is.
    """
    try:
        content = plain_yaml(read_text(path), path)
        if not isinstance(content, dict):
            raise InputError(f"gate.exceptions: {path} needs a list under the key 'exceptions'")
        found = _File.model_validate(content)
    except InputError as fault:
        raise InputError(
            f"gate.exceptions: {str(fault).removeprefix('gate.exceptions: ')}"
        ) from fault
    except ValidationError as fault:
        raise InputError.of(sentences(fault, str(path), _File)) from fault
    over = [entry for entry in found.exceptions if entry.until and entry.until < today]
    return Exceptions(
        tuple(entry for entry in found.exceptions if entry not in over),
        f"{path}, {_commit(path)}",
        tuple(
            f"the exception for {', '.join(entry.questions)} ended on {entry.until} ({path})"
            for entry in over
        ),
    )


def _commit(path: Path) -> str:
    """Return the commit that a file was last changed in.

    Raises
    ------
    InputError
        If it is in a git repository and not committed as it is.
    """
    folder = path.resolve().parent
    if git(folder, "rev-parse", "--is-inside-work-tree") != "true":
        return "not committed: it is in no git repository"
    tracked = git(folder, "ls-files", "--", path.name)
    if not tracked or git(folder, "status", "--porcelain", "--", path.name):
        state = "has changes that are not committed" if tracked else "is not committed"
        raise InputError(
            f"gate.exceptions: {path} {state}; a reason counts once it is committed, so commit the "
            "file first"
        )
    return f"commit {git(folder, 'log', '-1', '--format=%h', '--', path.name)}"

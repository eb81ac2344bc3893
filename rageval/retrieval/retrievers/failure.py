"""What a user's retriever did wrong on one question."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from rageval.errors import InputError, RagevalError, UnreachableError
from rageval.escaping.redaction import without_accounts

_FRAMES = 3  # of the user's own code that the sentence names


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed question: one sentence for the table, and the whole traceback to fix it by.

    Attributes
    ----------
    sentence
        The error and the last lines of the user's own code that led to it.
    trace
        The whole traceback; empty where nothing was raised.
    """

    sentence: str
    trace: str = ""

    @classmethod
    def of(cls, fault: BaseException) -> Self:
        """Describe what was raised."""
        sentence = " ".join(f"{type(fault).__name__}: {fault}".split()) + raised_in(fault)
        trace = "".join(traceback.format_exception(fault))
        return cls(without_accounts(sentence), without_accounts(trace))

    def __str__(self) -> str:
        """Return the sentence."""
        return self.sentence


@contextmanager
def indexing(retriever: object) -> Iterator[None]:
    """Report what a user's retriever raises while it indexes as an error of that class.

    Raises
    ------
    UnreachableError
        If it cannot connect to what it needs.
    InputError
        If it fails for any other reason.
    """
    name = type(retriever).__name__
    try:
        yield
    except RagevalError:
        raise
    except OSError as fault:
        raise UnreachableError(f"retriever {name} cannot be reached: {fault}") from fault
    except (Exception, SystemExit) as fault:
        raise InputError(
            f"retriever {name} failed to index the passages: {Failure.of(fault)}"
        ) from fault


def raised_in(fault: BaseException) -> str:
    """Return where the user's own code raised an error: file, line, function and the line's text.

    The last frames outside of rageval and of installed packages, the innermost first; empty if
    there is none.
    """
    package = Path(__file__).parents[2]
    frames = [
        frame
        for frame in traceback.extract_tb(fault.__traceback__)
        if not Path(frame.filename).is_relative_to(package)
        and not {"site-packages", "dist-packages"} & set(Path(frame.filename).parts)
        and not Path(frame.filename).is_relative_to(Path(os.__file__).parent)
    ]
    places = [
        f"{Path(frame.filename).name}:{frame.lineno}, in {frame.name}"
        + (f": {frame.line}" if frame.line else "")
        for frame in frames[: -_FRAMES - 1 : -1]
    ]
    return f" ({'; called from '.join(places)})" if places else ""

"""Standard output and error without secrets, and without orders to a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from rageval.errors import InputError
from rageval.escaping.characters import visible
from rageval.escaping.redaction import without_accounts


class CleanStream:
    """A text stream whose secrets are hidden, and whose control characters are escaped.

    To a terminal control characters go as they are: there they are the colours and the progress
    bar of our own console, which escapes what it is given to show.

    Parameters
    ----------
    stream
        Where to write.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._terminal = stream.isatty()

    def write(self, text: str) -> int:
        """Write text and return its length, as a stream does."""
        clean = without_accounts(text)
        try:
            self._stream.write(clean if self._terminal else _printable(clean))
        except UnicodeEncodeError:  # a terminal of another encoding shows what it can
            encoding = self._stream.encoding or "ascii"
            self._stream.write(clean.encode(encoding, "backslashreplace").decode(encoding))
        except OSError as fault:
            raise _unwritable(fault) from fault
        return len(text)

    def flush(self) -> None:
        """Write what is held back."""
        try:
            self._stream.flush()
        except OSError as fault:
            raise _unwritable(fault) from fault

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  whatever a stream has
        return getattr(self._stream, name)


class ClosedOutputError(Exception):
    """Nobody reads the output any more: the other end of a pipe is closed."""


def _unwritable(fault: OSError) -> Exception:
    if isinstance(fault, BrokenPipeError):
        return ClosedOutputError()
    return InputError(f"the output cannot be written: {fault.strerror or fault}")


def _printable(text: str) -> str:
    """Escape control characters; a progress bar of a library still returns to its line's start."""
    return "\r".join(visible(part) for part in text.split("\r"))


@contextmanager
def clean_output() -> Iterator[None]:
    """Clean what is written to standard output and error meanwhile."""
    out, err = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, CleanStream(stream)) for stream in (out, err))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err

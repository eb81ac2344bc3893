"""How large and how deep an input may be: what is beyond is refused before it fills the memory."""

from __future__ import annotations

import stat
from pathlib import Path

from pydantic import ValidationError

from rageval.errors import InputError
from rageval.schema.fields import Count, Record
from rageval.schema.validation import sentences

MB = 1_000_000  # bytes
_SMALL = 10 * MB  # unpacked bytes below which a ratio says nothing


class LimitError(InputError):
    """An input that may be well formed is larger or deeper than the limits allow."""


class Limits(Record):
    """The limits of one command; conf/limits/default.yaml has them."""

    file_mb: Count = 4096  # one file, as it is on disk
    unpacked_mb: Count = 8192  # one compressed file, unpacked
    unpacked_ratio: Count = 200  # unpacked size / size on disk, above 10 MB
    yaml_depth: Count = 100  # lists and mappings within each other
    yaml_copies: Count = 10_000  # values that aliases add to those that are written
    cells: Count = 20_000  # of one sweep


_now: list[Limits] = [Limits()]


def limits() -> Limits:
    """Return the limits of this process."""
    return _now[0]


def set_limits(node: object) -> None:
    """Take a configuration's limits for those of this process.

    Raises
    ------
    InputError
        If a value is no whole number of at least 1, or a key is unknown.
    """
    try:
        _now[0] = Limits.model_validate(node)
    except ValidationError as fault:
        raise InputError.of(sentences(fault, "limits", Limits)) from fault


def require_regular(path: Path) -> None:
    """Make sure that a path is a file that can be read to its end, and not too large.

    Raises
    ------
    InputError
        If it is a pipe, a device, a socket or a folder, or larger than `limits.file_mb`.
    FileNotFoundError
        If there is none.
    OSError
        If it cannot be looked at.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        kind = next((name for test, name in _KINDS if test(found.st_mode)), "something else")
        raise InputError(f"{path}: is {kind}; a regular file is needed")
    if found.st_size > limits().file_mb * MB:
        raise InputError(
            f"{path}: holds {found.st_size / MB:,.0f} MB; up to {limits().file_mb:,} are read "
            "(limits.file_mb)"
        )


def unpacked_limit(packed: int) -> int:
    """Return to how many bytes a compressed file of a size may be unpacked."""
    allowed = limits()
    return min(allowed.unpacked_mb * MB, max(_SMALL, packed * allowed.unpacked_ratio))


_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)

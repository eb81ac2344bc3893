"""The lines of a TREC file as fields, with their places."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from rageval.files.errors import ErrorCollector

_BLOCK = 65_536  # lines at once

Fields = list[bytes]


def read_blocks(
    path: Path, content: bytes, needed: range, faults: ErrorCollector, head: int = 0
) -> Iterator[tuple[list[int], Fields]]:
    """Yield blocks of lines: their line numbers, and all their fields one after another.

    A line that begins with `#` is a comment. Fields are separated by ASCII white space; a line
    whose number of fields is not in `needed` is noted as a fault, and what it has beyond the
    smallest of them is not read. The first `head` lines name columns. CRLF and blank lines at the
    end are accepted.
    """
    content = content.rstrip()
    lines = islice(enumerate(content.split(b"\n") if content else [], start=1), head, None)
    while block := list(islice(lines, _BLOCK)):
        rows = [(n, line.split()) for n, line in block if not line.startswith(b"#")]
        fit = [(n, fields) for n, fields in rows if len(fields) in needed]
        if len(fit) < len(rows):
            _note(path, rows, needed, faults)
        yield [n for n, _ in fit], [f for _, fields in fit for f in fields[: needed.start]]


def _note(
    path: Path, rows: list[tuple[int, Fields]], needed: range, faults: ErrorCollector
) -> None:
    more = " or more" if len(needed) > 1 else ""
    for line, fields in rows:
        if len(fields) not in needed:
            told = f"{len(fields)} fields, {needed.start}{more} are needed, white space between"
            faults.add(path, line, told)

"""A text cut into what a person chooses from: paragraphs, and the lines of lists and tables."""

from __future__ import annotations

import re

_LISTED = re.compile(r"^\s*(?:[-*+|>]|\d+[.)])")  # a line that stands for itself


def passages(text: str) -> list[tuple[int, int]]:
    r"""Return half-open characters of every passage, without the white space around it.

    A paragraph ends at a blank line; a heading, an item of a list and a row of a table are passages
    of their own.

    Examples
    --------
    >>> text = "# Title\nOne\ntwo.\n\n- a\n- b\n"
    >>> [text[start:end] for start, end in passages(text)]
    ['# Title', 'One\ntwo.', '- a', '- b']
    """
    found: list[tuple[int, int]] = []
    start = at = 0
    for line in text.splitlines(keepends=True):
        own = bool(_LISTED.match(line)) or line.startswith("#")
        if own or not line.strip():
            found.append((start, at))
            start = at
        if line.startswith("#"):
            found.append((at, at + len(line)))
            start = at + len(line)
        at += len(line)
    found.append((start, at))
    trimmed = (_trimmed(text, begin, end) for begin, end in found)
    return [(begin, end) for begin, end in trimmed if begin < end]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())

"""Markdown that shows texts as they are."""

from __future__ import annotations

from collections.abc import Sequence

from rageval.escaping.characters import visible


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose first column is left-aligned and whose others are right-aligned.

    Examples
    --------
    >>> print(table(["subset", "n"], [["all", "34"]]))
    | subset | n |
    | :-- | --: |
    | all | 34 |
    """
    lines = [headings, [":--", *["--:"] * (len(headings) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def escaped(text: str) -> str:
    r"""Return text that Markdown shows as it is, inside a table too.

    Examples
    --------
    >>> escaped("a|b *c*")
    'a\\|b \\*c\\*'
    """
    for mark in "\\`*_|<>[]":
        text = text.replace(mark, f"\\{mark}")
    return visible(" ".join(text.split()))

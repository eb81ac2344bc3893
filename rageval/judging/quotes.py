"""Where a quote of the labels stands in a document."""

from __future__ import annotations

import difflib
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator

from rageval.chunking.chunks import Offsets
from rageval.errors import InputError

_LINE_END = re.compile(r"\r\n|\n|\r")
_LISTED = 10  # lines in a message: more help nobody


def place_of_quote(quote: str, text: str, offer: bool = True) -> Offsets:
    """Return the one place where the document holds the quote, character for character.

    Raises
    ------
    InputError
        If it occurs several times, or nowhere; with `offer` the nearest passage is named then, but
        never taken.

    Examples
    --------
    >>> place_of_quote("two", "one two three")
    (4, 7)
    """
    starts = list(_occurrences(quote, text))
    if len(starts) == 1:
        return starts[0], starts[0] + len(quote)
    if not starts:
        nearest = _nearest(quote, text) if offer else ""
        raise InputError(f"the document does not hold this text{nearest}")
    raise InputError(
        f"the text occurs several times, {_lines(starts, text)}: quote more of it, or give a span"
    )


def _lines(starts: list[int], text: str) -> str:
    """Return the lines of some characters in words, each once with how often it is meant."""
    ends = [match.end() for match in _LINE_END.finditer(text)]
    times = Counter(bisect_right(ends, start) + 1 for start in starts)
    told = [f"{n} ({count} times)" if count > 1 else str(n) for n, count in times.items()]
    more = ", …" if len(told) > _LISTED else ""
    return f"on line{'s' if len(told) > 1 else ''} {', '.join(told[:_LISTED])}{more}"


def line_at(text: str, place: int) -> int:
    """Return the line of a character: 1, 2, …."""
    return sum(1 for _ in _LINE_END.finditer(text, 0, place)) + 1


def _occurrences(quote: str, text: str) -> Iterator[int]:
    start = text.find(quote)
    while start >= 0:
        yield start
        start = text.find(quote, start + 1)


def _nearest(quote: str, text: str) -> str:
    """Return how the sentence goes on: the passage that is nearest, or nothing."""
    words = quote.split()
    loose = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
    if loose:
        line = line_at(text, loose.start())
        return f": on line {line} it stands with other white space, write it as it is there"
    wanted = set(words)
    lines = sorted(
        (line for line in set(_LINE_END.split(text)) if line.strip()),
        key=lambda line: (-len(wanted.intersection(line.split())), line),
    )
    near = difflib.get_close_matches(quote, [line[:1000] for line in lines[:5]], n=1, cutoff=0.4)
    return f", the nearest is: {near[0][:200]!r}" if near else ""

"""Where a quote of the labels stands in a document."""

from __future__ import annotations

import difflib
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from typing import Literal

from rageval.chunking.chunks import Offsets
from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.golden.question import GoldenSet

_LINE_END = re.compile(r"\r\n|\n|\r")
Quoting = Literal["exact", "space", "loose"]
_MARK = re.compile(r"[*_`~]")
_MARKS = r"[*_`~\[\]]*"  # of Markdown, within a line
_LISTED = 10  # lines in a message: more help nobody


def place_of_quote(
    quote: str, text: str, offer: bool = True, quoting: Quoting = "exact"
) -> Offsets:
    r"""Return the one place where the document holds the quote, character for character.

    What stands nowhere so is looked for up to white space (`quoting="space"`), or also up to case
    and the marks of Markdown (`"loose"`).

    Raises
    ------
    InputError
        If it occurs several times, or nowhere; with `offer` the nearest passage is named then, but
        never taken.

    Examples
    --------
    >>> place_of_quote("two", "one two three")
    (4, 7)
    >>> place_of_quote("two three", "one **Two**\n three", quoting="loose")
    (6, 18)
    """
    places = places_of_quote(quote, text, "exact")
    if not places and quoting != "exact":
        places = places_of_quote(quote, text, quoting)
    if len(places) == 1:
        return places[0]
    starts = [start for start, _ in places]
    if not starts:
        nearest = _nearest(quote, text) if offer else ""
        raise InputError(f"the document does not hold this text{nearest}")
    raise InputError(
        f"the text occurs several times, {_lines(starts, text)}: quote more of it, or give a span"
    )


def places_of_quote(quote: str, text: str, quoting: Quoting) -> list[Offsets]:
    """Return every place where a text holds a quote in one way of matching.

    Examples
    --------
    >>> places_of_quote("a b", "a b, a  b", "exact"), places_of_quote("a b", "a b, a  b", "space")
    ([(0, 3)], [(0, 3), (5, 9)])
    """
    if quoting == "exact":
        return [(start, start + len(quote)) for start in _occurrences(quote, text)]
    return [match.span() for match in _pattern(quote, quoting).finditer(text)]


def _pattern(quote: str, quoting: Quoting) -> re.Pattern[str]:
    """Return what finds a quote up to white space, or up to case and marks, too."""
    if quoting == "space":
        return re.compile(r"\s+".join(map(re.escape, quote.split())))
    words = (re.findall(r"\w+|[^\w\s]", _MARK.sub("", word)) for word in quote.split())
    loose = [rf"{_MARKS}".join(map(re.escape, parts)) for parts in words if parts]
    return re.compile(rf"{_MARKS}\s[\s>#|+-]*{_MARKS}".join(loose), re.IGNORECASE)


def quoted_loosely(golden: GoldenSet, corpus: Corpus) -> int:
    """Return how many quotes of a set no document holds character for character."""
    quotes = [
        reference
        for question in golden
        for references in (*question.requirements, question.distractors)
        for reference in references
        if reference.quote
    ]
    found = ((reference.quote, corpus.find(reference.document)) for reference in quotes)
    return sum(1 for quote, document in found if document and quote not in document.text)


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

"""TREC topics: the text of each query, tagged as TREC has it or a line a query."""

from __future__ import annotations

import html
import re
from pathlib import Path

from rageval.faults import Faults
from rageval.source import read_text

_TOPIC = re.compile(r"<top>(.*?)(?:</top>|(?=<top>)|\Z)", re.DOTALL)
# The word that TREC itself puts at the beginning of a field; any other is the topic's own.
_LABELS = {
    "num": "Number:",
    "dom": "Domain:",
    "title": "Topic:",
    "desc": "Description:",
    "smry": "Summary:",
    "narr": "Narrative:",
    "con": "Concept(s):",
    "fac": "Factor(s):",
    "def": "Definition(s):",
}
_ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z]\w*);")  # `&copy=1` is no entity


def read_topics(path: Path, field: str = "title") -> dict[str, tuple[int, str]]:
    """Return the line and text of each query by id.

    A file with `<top>` holds tagged topics, of which `field` is read: `title`, `desc` or another
    tag; the word that TREC itself puts there (`Topic:`, `Description:` …) is left out, and entities
    (`&amp;`) are decoded. Else each line is an id, a tab and the text. White space is collapsed.

    Raises
    ------
    InputError
        With every topic that has no number or no such field, every line without a tab, and every
        id that occurs twice.
    """
    text, faults = read_text(path), Faults()
    tagged = "<top>" in text
    found = _tagged(text, path, field, faults) if tagged else _lines(text, path, faults)
    topics: dict[str, tuple[int, str]] = {}
    for line, name, words in found:
        if name in topics:
            faults.add(path, line, f"query {name!r} is taken by line {topics[name][0]}")
        topics.setdefault(name, (line, words))
    faults.settle()
    return topics


def _tagged(text: str, path: Path, field: str, faults: Faults) -> list[tuple[int, str, str]]:
    found: list[tuple[int, str, str]] = []
    for match in _TOPIC.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        number, content = _field(match[1], "num"), _field(match[1], field)
        if not number or not content:
            faults.add(path, line, f"the topic has no {field if number else 'number'}")
        else:
            found.append((line, number.split()[0], content))
    return found


def _field(topic: str, tag: str) -> str:
    r"""Return what a topic says in a field; empty if there is no such field.

    A field ends with its own closing tag. Without one, it ends before a tag that begins a line or
    is one of TREC's; any other `<word>` is part of the text.

    Examples
    --------
    >>> _field("<num> Number: 7\n<title> vector<int> &amp; Re: boats\n<desc> none", "title")
    'vector<int> & Re: boats'
    """
    start = re.search(rf"<{re.escape(tag)}>", topic)
    if start is None:
        return ""
    rest = topic[start.end() :]
    known = "|".join(_LABELS)
    closed = re.search(rf"</{re.escape(tag)}>", rest)
    opened = re.search(rf"<(?:{known})>|</\w+>|^[ \t]*<\w+>", rest, re.MULTILINE)
    end = closed or opened
    content = " ".join((rest[: end.start()] if end else rest).split())
    content = content.removeprefix(_LABELS.get(tag, "")).strip()
    return _ENTITY.sub(lambda found: html.unescape(found[0]), content)


def _lines(text: str, path: Path, faults: Faults) -> list[tuple[int, str, str]]:
    found: list[tuple[int, str, str]] = []
    for line, row in enumerate(text.rstrip().split("\n"), start=1):
        name, tab, words = row.rstrip("\r").partition("\t")
        if row.startswith("#"):
            continue
        if not tab or not words.strip():
            faults.add(path, line, "an id, a tab and the text of the query are needed")
        else:
            found.append((line, name.strip(), " ".join(words.split())))
    return found

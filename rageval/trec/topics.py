"""TREC topics: the text of each query, tagged as TREC has it or a line a query."""

from __future__ import annotations

import re
from pathlib import Path

from rageval.faults import Faults
from rageval.source import read_text

_TOPIC = re.compile(r"<top>(.*?)(?:</top>|(?=<top>)|\Z)", re.DOTALL)
_NUMBER = re.compile(r"<num>\s*(?:Number:)?\s*(\S+)")


def read_topics(path: Path, field: str = "title") -> dict[str, tuple[int, str]]:
    """Return the line and text of each query by id.

    A file with `<top>` holds tagged topics, of which `field` is read: `title`, `desc` or another
    tag. Else each line is an id, a tab and the text. White space is collapsed.

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
    wanted = re.compile(rf"<{re.escape(field)}>(?:\s*\w+:)?(.*?)(?=<\w+>|</|\Z)", re.DOTALL)
    for match in _TOPIC.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        number, content = _NUMBER.search(match[1]), wanted.search(match[1])
        if number is None or content is None or not content[1].strip():
            what = "number" if number is None else field
            faults.add(path, line, f"the topic has no {what}")
        else:
            found.append((line, number[1].removesuffix("</num>"), " ".join(content[1].split())))
    return found


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

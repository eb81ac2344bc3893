"""TREC topics: the text of each query, tagged as TREC has it or a line a query."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

from rageval.files.errors import ErrorCollector
from rageval.files.text import read_text

_BEGIN = re.compile(r"(?:^|>)\s*<(topic|top)(?=[\s>])", re.IGNORECASE | re.MULTILINE)
_TAG = re.compile(r"</?[A-Za-z][\w-]*>")
_NUMBER = re.compile(r"""\b(?:number|num|id)\s*=\s*["']([^"']+)["']""", re.IGNORECASE)
_NUMBERED = re.compile(r"(\d+):(.*)")  # a line of the Million Query track
# What other tracks call a field: Web and TREC-COVID have `query` for the title, CLEF `EN-title`.
_NAMES = {
    "num": ("num", "number"),
    "title": ("title", "query", "[A-Z]{2}-title"),
    "desc": ("desc", "description", "[A-Z]{2}-desc"),
    "narr": ("narr", "narrative", "[A-Z]{2}-narr"),
}
_ID_KEYS = ("_id", "id", "qid", "query_id")
_TEXT_KEYS = ("title", "text", "query")
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

    A file with `<top>` or `<topic>` holds tagged topics in upper or lower case, of which `field` is
    read: `title`, `desc` or another tag; the word that TREC itself puts there (`Topic:`,
    `Description:` …) is left out, and entities
    (`&amp;`) are decoded. A topic without tags inside is its own title. A file that begins with `{`
    is JSON Lines with `_id` or `id` and `text`, `title` or `query`. Else each line is an id, a tab
    and the text, or `number:text`. White space is collapsed.

    Raises
    ------
    InputError
        With every topic that has no number or no such field, every line without a tab, and every
        id that occurs twice.
    """
    text, faults = read_text(path), ErrorCollector()
    if begin := _BEGIN.search(text):
        found = _tagged((text, begin[1]), path, field, faults)
    elif text.lstrip().startswith("{"):
        found = _objects(text, path, field, faults)
    else:
        found = _lines(text, path, faults)
    topics: dict[str, tuple[int, str]] = {}
    for line, name, words in found:
        if name in topics:
            faults.add(path, line, f"query {name!r} is taken by line {topics[name][0]}")
        topics.setdefault(name, (line, words))
    faults.raise_if_any()
    return topics


def _tagged(
    source: tuple[str, str], path: Path, field: str, faults: ErrorCollector
) -> list[tuple[int, str, str]]:
    text, tag = source
    topic = rf"<{tag}(\s[^>]*)?>(.*?)(?:</{tag}>|(?=<{tag}[\s>])|\Z)"
    found: list[tuple[int, str, str]] = []
    for match in re.finditer(topic, text, re.DOTALL | re.IGNORECASE):
        line = text.count("\n", 0, match.start()) + 1
        named = _NUMBER.search(match[1] or "")
        number = named[1] if named else _field(match[2], "num")
        content = _field(match[2], field)
        if field == "title" and not _TAG.search(match[2]):
            content = _decoded(match[2])
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
    names = _NAMES.get(tag, (re.escape(tag),))
    starts = (re.search(rf"<({name})(?:\s[^<>]*)?>", topic, re.IGNORECASE) for name in names)
    start = next((found for found in starts if found), None)
    if start is None:
        return ""
    rest = topic[start.end() :]
    known = "|".join(_LABELS)
    closed = re.search(rf"</{re.escape(start[1])}>", rest, re.IGNORECASE)
    opened = re.search(rf"<(?:{known})>|</\w+>|^[ \t]*<\w+>", rest, re.MULTILINE | re.IGNORECASE)
    end = closed or opened
    content = " ".join((rest[: end.start()] if end else rest).split())
    return _decoded(content.removeprefix(_LABELS.get(tag, "")))


def _decoded(content: str) -> str:
    return _ENTITY.sub(lambda found: html.unescape(found[0]), " ".join(content.split()))


def _objects(
    text: str, path: Path, field: str, faults: ErrorCollector
) -> list[tuple[int, str, str]]:
    found: list[tuple[int, str, str]] = []
    keys = _TEXT_KEYS if field == "title" else (field,)
    for line, row in enumerate(text.split("\n"), start=1):
        if not row.strip():
            continue
        try:
            entry = json.loads(row)
        except ValueError:
            entry = None
        entry = entry if isinstance(entry, dict) else {}
        name = next((str(entry[key]) for key in _ID_KEYS if entry.get(key) is not None), "")
        words = next((entry[key] for key in keys if isinstance(entry.get(key), str)), "")
        if not name.strip() or not words.strip():
            needed = f"an object with `_id` or `id`, and {' or '.join(f'`{k}`' for k in keys)}"
            faults.add(path, line, f"{needed} is needed")
        else:
            found.append((line, name.strip(), " ".join(words.split())))
    return found


def _lines(text: str, path: Path, faults: ErrorCollector) -> list[tuple[int, str, str]]:
    found: list[tuple[int, str, str]] = []
    for line, row in enumerate(text.rstrip().split("\n"), start=1):
        name, tab, words = row.rstrip("\r").partition("\t")
        if not tab and (numbered := _NUMBERED.fullmatch(row.rstrip("\r"))):
            name, words, tab = numbered[1], numbered[2], ":"
        if row.startswith("#"):
            continue
        if not tab or not words.strip():
            faults.add(path, line, "an id, a tab and the text of the query are needed")
        else:
            found.append((line, name.strip(), " ".join(words.split())))
    return found

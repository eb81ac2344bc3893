"""The sections that the headings of a Markdown text make, with exact places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

_LINE_END = re.compile(r"\r\n|\n|\r")  # as markdown-it splits lines, whatever else Unicode offers
_MARKUP = frozenset({"text", "code_inline", "softbreak", "hardbreak", "image"})


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it, the sections below it included."""

    title: str  # the heading's text, without markup
    level: int  # 1..6
    path: tuple[str, ...]  # the titles of the headings around it, outermost first, and its own
    line: int  # 1, 2, …
    start: int  # half-open characters, from the begin of the heading's line
    end: int  # to the next heading of its level or above


def sections(text: str) -> list[Section]:
    r"""Return the sections of a Markdown text in reading order.

    Headings with `#` and underlined ones count where they stand at the outermost level: not in a
    code block, a quotation or a list.

    Examples
    --------
    >>> for section in sections("# A\nx\n## B\ny\n# C\n"):
    ...     print(section.path, section.start, section.end)
    ('A',) 0 13
    ('A', 'B') 6 13
    ('C',) 13 17
    """
    headings = _headings(text)
    starts = _line_starts(text)
    ends = _ends([level for level, _, _ in headings])
    found: list[Section] = []
    around: list[Section] = []
    for (level, line, title), after in zip(headings, ends, strict=True):
        around = [section for section in around if section.level < level]
        path = (*(section.title for section in around), title)
        end = starts[headings[after][1]] if after < len(headings) else len(text)
        found.append(Section(title, level, path, line + 1, starts[line], end))
        around.append(found[-1])
    return found


def plain_title(title: str) -> str:
    """Return the text of a heading that is written with inline Markdown.

    Examples
    --------
    >>> plain_title("The `run` *command*")
    'The run command'
    """
    return _title(_inline().parseInline(title))


@cache
def _blocks() -> MarkdownIt:
    """Return a parser that leaves text alone: only the headings' own is wanted."""
    return MarkdownIt("commonmark").disable("inline")


@cache
def _inline() -> MarkdownIt:
    return MarkdownIt("commonmark")


def _headings(text: str) -> list[tuple[int, int, str]]:
    """Return level, line (counted from 0) and title of each heading."""
    env: dict[str, Any] = {}
    tokens = _blocks().parse(text, env)
    return [
        (int(token.tag[1:]), token.map[0], _title(_inline().parseInline(content.content, env)))
        for token, content in zip(tokens, tokens[1:], strict=False)
        if token.type == "heading_open" and token.level == 0 and token.map is not None
    ]


def _title(tokens: list[Token]) -> str:
    parts = [
        child.content if child.content else " "
        for token in tokens
        for child in token.children or ()
        if child.type in _MARKUP
    ]
    return " ".join("".join(parts).split())


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in _LINE_END.finditer(text))]


def _ends(levels: list[int]) -> list[int]:
    """Return for each heading the position of the next one of its level or above, or the count."""
    ends = [len(levels)] * len(levels)
    waiting: list[int] = []
    for position, level in enumerate(levels):
        while waiting and levels[waiting[-1]] >= level:
            ends[waiting.pop()] = position
        waiting.append(position)
    return ends

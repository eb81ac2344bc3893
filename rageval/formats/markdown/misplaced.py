"""What seems to say who may see a page, in a place where it is not read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml

from rageval.corpus.groups import is_misspelt
from rageval.errors import InputError
from rageval.files.nodes import compose_yaml

_ALLOWED = "front matter is YAML between a first line '---' and the next '---'"
_LINE_END = re.compile(r"\r\n|\n|\r")
_KEY = re.compile(r"""[^\w\n]{0,8}([\w-]+)["'*]*\s*[:=\[]""")
_BARE = re.compile(r"\s*groups?\s*[:=]\s*(\[.*)?$", re.IGNORECASE)
_BLANK = " \t\ufeff\u200b\xa0"
_TICKS = re.compile(r" {0,3}(`{3,}|~{3,})")
_FENCE = re.compile(r"[^\w\s#>|`~({\[]{2,}\s*\w*")  # ---, +++, ;;;, —, ---yaml

Stray = tuple[int, str]  # line, sentence


def stray_groups(text: str, head: bool = True) -> Stray | None:
    r"""Return the first sign of groups in a text without front matter, or None.

    Read are the head of the page (if `head`), that is what a first line such as `---`, `+++` or `{`
    encloses, and every block between two lines `---` that is a YAML mapping. Code is passed over.

    Examples
    --------
    >>> stray_groups("+++\ngroups = ['hr']\n+++\n")[0]
    1
    >>> stray_groups("The groups: all of them.") is None
    True
    """
    lines = _LINE_END.split(text)
    return (_in_head(lines) if head else None) or next(_in_blocks(lines), None)


def _in_head(lines: Sequence[str]) -> Stray | None:
    first = next((n for n, line in enumerate(lines) if line.strip(_BLANK)), 0)
    opening = lines[first].strip(_BLANK)
    if opening == "+++":
        return first + 1, f"'+++' opens TOML, which is not read: {_ALLOWED}"
    if opening.startswith("{"):
        return _first_key(lines, first, _end(lines, first, "}") + 1)
    if _FENCE.fullmatch(opening):
        end = _end(lines, first + 1, opening[:3])
        if first and opening == "---" and _keys("\n".join(lines[first + 1 : end])):
            return first + 1, f"blank lines stand above '---': {_ALLOWED}"
        return _first_key(lines, first + 1, end)
    bare = (n for n in range(first, _paragraph(lines, first)) if _BARE.match(lines[n]))
    return next(((n + 1, _unread(lines[n])) for n in bare), None)


def _paragraph(lines: Sequence[str], begin: int) -> int:
    """Return the first line that is blank or begins code, or the end of the text."""
    rows = range(begin, len(lines))
    return next((n for n in rows if not lines[n].strip() or _TICKS.match(lines[n])), len(lines))


def _end(lines: Sequence[str], begin: int, closing: str) -> int:
    """Return the first line that closes a block, or the end of the text."""
    return next(
        (n for n in range(begin, len(lines)) if lines[n].strip().startswith(closing)), len(lines)
    )


def _first_key(lines: Sequence[str], begin: int, end: int) -> Stray | None:
    keys = ((n, _KEY.match(lines[n])) for n in range(begin, min(end, len(lines))))
    found = (n for n, key in keys if key and _means_groups(key[1]))
    return next(((n + 1, _unread(lines[n])) for n in found), None)


def _in_blocks(lines: Sequence[str]) -> Iterator[Stray]:
    rules = list(_rules(lines))
    for begin, end in zip(rules, rules[1:], strict=False):
        near = _first_key(lines, begin + 1, end)
        if near and any(map(_means_groups, _keys("\n".join(lines[begin + 1 : end])))):
            yield near


def _rules(lines: Sequence[str]) -> Iterator[int]:
    """Yield the lines `---` outside of fenced code."""
    fence = ""
    for number, line in enumerate(lines):
        ticks = _TICKS.match(line)
        if ticks and not fence:
            fence = ticks[1]
        elif ticks and ticks[1].startswith(fence):
            fence = ""
        elif not fence and line.rstrip() == "---":
            yield number


def _keys(block: str) -> list[str]:
    """Return the keys of a block that is a YAML mapping; of any other none."""
    try:
        node = compose_yaml(block, Path("block"))
    except InputError:
        return []
    return [str(key.value) for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []


def _means_groups(key: str) -> bool:
    return key == "groups" or is_misspelt(key)


def _unread(line: str) -> str:
    return f"{line.strip()[:60]!r} says who may see the page where it is not read: {_ALLOWED}"

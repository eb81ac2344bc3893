"""A page's title, which may stand in its front matter alone."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from rageval.corpus.groups import group_fault, is_misspelt
from rageval.errors import InputError
from rageval.formats.markdown.frontmatter import Page, in_one_line, read_page

_TOML = re.compile(r"\+\+\+[ \t]*\r?\n(.*?)^\+\+\+[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HASH = re.compile(r" {0,3}#[ \t]+(.*?)[ \t]*#*[ \t]*")
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*")


def titled(text: str, path: Path) -> Page:
    r"""Return a page without its front matter, with the title that stands there.

    YAML is read as `read_page` does; TOML between two lines `+++`, as Hugo has it, is read too.

    Raises
    ------
    InputError
        If groups are misspelt, out of place or no list of names.

    Examples
    --------
    >>> titled("+++\ntitle = 'Pay'\n+++\nBand C.\n", Path("pay.md"))
    Page(text='Band C.\n', groups=frozenset(), title='Pay')
    """
    toml = _TOML.match(text)
    if toml and (fields := _toml(toml[1])) is not None:
        title = in_one_line(fields.get("title"))
        return Page(text[toml.end() :], _groups(fields, path), title)
    return read_page(text, path)


def with_title(body: str, title: str) -> str:
    r"""Return a page that says its title: as its heading, or above the heading that it has.

    A page that begins with that very heading is left as it is.

    Examples
    --------
    >>> with_title("Band C.\n", "Pay"), with_title("# Pay\n", "pay"), with_title("# P\n", "Pay")
    ('# Pay\n\nBand C.\n', '# Pay\n', 'Pay\n\n# P\n')
    """
    if not title:
        return body
    heading = _first_heading(body)
    if heading is None:
        return f"# {title}\n\n{body}"
    return body if _same(heading, title) else f"{title}\n\n{body}"


def _same(one: str, other: str) -> bool:
    first, second = (re.sub(r"[\W_]+", " ", text).strip().casefold() for text in (one, other))
    return first == second


def _first_heading(body: str) -> str | None:
    """Return the first heading of the first level outside of code, None if there is none."""
    fence = above = ""
    for line in body.splitlines():
        ticks = _FENCE.match(line)
        if ticks and (not fence or ticks[1].startswith(fence)):
            fence = "" if fence else ticks[1]
        elif not fence:
            if heading := _HASH.fullmatch(line):
                return heading[1]
            if above and _UNDERLINE.fullmatch(line):
                return above
        above = "" if fence or ticks else line.strip()
    return None


def _toml(block: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(block)
    except tomllib.TOMLDecodeError:
        return None


def _groups(fields: dict[str, Any], path: Path) -> frozenset[str]:
    slip = next((key for key in fields if key != "groups" and is_misspelt(key)), None)
    if slip is not None and "groups" not in fields:
        raise InputError(
            f"{path}:2: {slip!r} says nothing about access, did you mean 'groups'? "
            "if not, say groups = [] as well"
        )
    groups = fields.get("groups", [])
    fault = group_fault(groups)
    if fault:
        raise InputError(f"{path}:2: groups: {fault}")
    return frozenset(groups)

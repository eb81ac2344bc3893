"""reStructuredText as Markdown: headings by their underlines, text without roles and options."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LINE = re.compile(r"([!-/:-@\[-`{-~])\1*[ \t]*")
_DIRECTIVE = re.compile(r"\s*\.\. ([\w-]+(?::[\w-]+)*)::[ \t]*(.*)")
_OPTION = re.compile(r"\s+:[\w-]+:.*")
_COMMENT = re.compile(r"\.\.( |$)(?!\s*\[|_)")
_TARGET = re.compile(r"\.\. _[^:]*:.*")
_ROLE = re.compile(r":[\w:.+-]+:`~?([^`<]*?)\s*(?:<[^`]*>)?`")
_LINK = re.compile(r"`([^`<]+?)\s*<[^`>]*>`__?")
_CODE = frozenset({"code", "code-block", "sourcecode", "literalinclude", "parsed-literal"})
_LEFT_OUT = frozenset({"toctree", "image", "figure", "contents", "index", "raw", "highlight",
                       "currentmodule", "module", "meta", "include", "only", "tags"})  # fmt: skip


def markdown_of(text: str) -> str:
    r"""Return a text with its headings as Markdown's; their levels follow the order of first use.

    Examples
    --------
    >>> markdown_of("Leave\n=====\n\nSee :ref:`pay <x>`.\n\nSick\n----\nCall.\n")
    '# Leave\n\nSee pay.\n\n## Sick\nCall.\n'
    """
    lines = text.splitlines()
    styles: dict[str, int] = {}
    found: list[str] = []
    at = 0
    while at < len(lines):
        over = bool(_LINE.fullmatch(lines[at])) and _is_title(lines, at + 1, lines[at])
        if over or _is_title(lines, at):
            title = lines[at + 1 if over else at]
            line = lines[at + 2 if over else at + 1]
            level = styles.setdefault(f"{'over' if over else 'under'}{line[0]}", len(styles) + 1)
            found.append(f"{'#' * min(level, 6)} {_plain(title.strip())}")
            at += 3 if over else 2
        else:
            found.append(lines[at])
            at += 1
    return "\n".join(_body(found)) + "\n" if found else ""


def _is_title(lines: list[str], at: int, over: str = "") -> bool:
    """Say whether a line is underlined, and overlined alike where there is a line above."""
    if at + 1 >= len(lines) or not lines[at].strip() or _LINE.fullmatch(lines[at]):
        return False
    under = lines[at + 1].rstrip()
    if not _LINE.fullmatch(under) or len(under) < len(lines[at].rstrip()):
        return False
    return under == over.rstrip() if over else not lines[at].startswith(" ")


def _body(lines: list[str]) -> Iterator[str]:
    """Yield the lines that are text; a directive that shows none goes with what is inside it."""
    left_out = -1  # the indent below which a directive's content ends
    options = False  # right below a directive
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if left_out >= 0 and (not line.strip() or indent > left_out):
            continue
        left_out = -1
        directive = _DIRECTIVE.fullmatch(line)
        target = _TARGET.fullmatch(line)
        comment = not directive and not target and _COMMENT.match(line)
        if comment or (directive and directive[1] in _LEFT_OUT):
            left_out = indent
        elif directive:
            yield from _argument(directive, indent)
        elif not (options and _OPTION.fullmatch(line)) and not target:
            options = False
            yield _plain(line)
        options = options or bool(directive)


def _argument(directive: re.Match[str], indent: int) -> Iterator[str]:
    """Yield what stands beside a directive's name, if that is text."""
    if directive[2] and directive[1] not in _CODE:
        yield _plain(" " * indent + directive[2])


def _plain(line: str) -> str:
    return _LINK.sub(r"\1", _ROLE.sub(r"\1", line))

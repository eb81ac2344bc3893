"""Characters that a terminal, a page or a table of numbers would obey instead of showing them."""

from __future__ import annotations

import re

# C0 and C1 controls, line and paragraph separators, and every mark that changes the direction of
# text (Unicode, UAX #9): with those, what is read is not what is there ("Trojan Source").
_DIRECTION = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_CONTROL = re.compile(
    f"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029{_DIRECTION}\ud800-\udfff\ufff9-\ufffb\ufeff]"
)
_LINE = re.compile(f"[\t\n{_CONTROL.pattern[1:]}")
# A spreadsheet takes a cell that begins so for a formula (OWASP, CSV injection).
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def visible(text: str) -> str:
    r"""Return text with each control character as its escape; tabs and line ends stay.

    Examples
    --------
    >>> visible("a\x1b[2Jb\u202ec\n")
    'a\\x1b[2Jb\\u202ec\n'
    """
    return _CONTROL.sub(_escape, text)


def one_line(text: str) -> str:
    r"""Return text on one line: as `visible`, and line ends and tabs as their escapes, too.

    Examples
    --------
    >>> one_line("a\nb\tc")
    'a\\nb\\tc'
    """
    return _LINE.sub(_escape, text)


def cell(text: str) -> str:
    """Return text as a CSV cell that no spreadsheet takes for a formula; `plain_cell` undoes it.

    Examples
    --------
    >>> cell("=1+1"), cell("'=1"), cell("a=1")
    ("'=1+1", "''=1", 'a=1')
    """
    return f"'{text}" if _FORMULA.match(text) else text


def plain_cell(text: str) -> str:
    """Return what `cell` was given.

    Examples
    --------
    >>> plain_cell("'=1+1"), plain_cell("''=1"), plain_cell("'tis")
    ('=1+1', "'=1", "'tis")
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def _escape(found: re.Match[str]) -> str:
    return found.group().encode("unicode_escape", "surrogatepass").decode("ascii")

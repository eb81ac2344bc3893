"""Ids as words: TREC files separate their fields by white space, so no id may hold any."""

from __future__ import annotations

import re
from urllib.parse import unquote

from rageval.errors import InputError

_UNFIT = re.compile(r"[\s%]|^#")  # a line that begins with # is a comment


def word(name: str) -> str:
    """Return an id without white space, which TREC files cannot hold: percent-encoded.

    Examples
    --------
    >>> word("Extinction risk:170"), word("100%"), word("#1")
    ('Extinction%20risk:170', '100%25', '%231')
    """
    return _UNFIT.sub(lambda match: "".join(f"%{b:02X}" for b in match[0].encode()), name)


def name_of(encoded: str) -> str:
    """Return the id that `word` made a word of.

    Raises
    ------
    InputError
        If it is none that `word` makes.

    Examples
    --------
    >>> name_of("Extinction%20risk:170")
    'Extinction risk:170'
    """
    try:
        return unquote(encoded, errors="strict")
    except UnicodeDecodeError as error:
        raise InputError(f"the id {encoded!r} is not percent-encoded UTF-8") from error

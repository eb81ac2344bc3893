"""Digests that name content: equal digests mean equal content, on any machine."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable
from typing import Any

_Json = Any  # None, bool, int, float, str, and lists and string-keyed dicts of these


def digest(content: _Json) -> str:
    """Return the sha256 of a JSON value's canonical form, as 64 hexadecimal digits.

    Keys are sorted and every string is delimited, so no two different values share a form.

    Examples
    --------
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    >>> digest(["a", "xb"]) == digest(["ax", "b"])
    False
    """
    form = json.dumps(
        content, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
    return hashlib.sha256(form.encode("utf-8", "surrogatepass")).hexdigest()


_TEXT_DIGITS = 12  # hexadecimal; of a million texts two share a digest once in 560 times


def text_digest(text: str) -> str:
    """Return what names a question by its words: case, spaces and punctuation do not count.

    Examples
    --------
    >>> text_digest("Who pays?") == text_digest(" who  PAYS")
    True
    """
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
    plain = " ".join(words) or text
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:_TEXT_DIGITS]


def sketch(digests: Iterable[str], size: int = 350) -> tuple[str, ...]:
    """Return the smallest of several digests, which any two large sets that overlap share.

    Of up to `size` digests it holds all.

    Examples
    --------
    >>> sketch(["c", "a", "b", "a"], 2)
    ('a', 'b')
    """
    return tuple(sorted(set(digests))[:size])

"""Digests that name content: equal digests mean equal content, on any machine."""

from __future__ import annotations

import hashlib
import json
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

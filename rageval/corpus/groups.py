"""Access groups as files declare them: a list of names."""

from __future__ import annotations

import difflib
import re
from functools import lru_cache

from rageval.schema.names import shortened, subset_fault

_CLOSE = 0.8  # of difflib: `grups` and `gruops` are meant, `topics` and `group_by` are not


def group_fault(groups: object) -> str | None:
    """Return what is wrong with a declared list of groups, or None.

    Examples
    --------
    >>> group_fault(["hr", " "])
    "' ' is not a group: a name without blanks around it is needed"
    >>> group_fault("hr")
    "'hr' is not a list of group names"
    >>> group_fault(["hr"]) is None
    True
    """
    if not isinstance(groups, list):
        return f"{groups!r} is not a list of group names"
    for name in groups:
        if not isinstance(name, str) or not name or name != name.strip():
            return f"{name!r} is not a group: a name without blanks around it is needed"
        fault = subset_fault(name)
        if fault:
            return f"the group {shortened(name)} {fault}"
    return None


@lru_cache(maxsize=10_000)
def is_misspelt(key: str, right: str = "groups") -> bool:
    """Say whether a key is nearly the one that lists groups: another case, the singular, a slip.

    Examples
    --------
    >>> [is_misspelt(key) for key in ("Groups", "group", "gruops", "groups", "title")]
    [True, True, True, False, False]
    """
    if key == right:
        return False
    plain, wanted = (re.sub(r"[\W_]+", "", name).casefold() for name in (key, right))
    return bool(difflib.get_close_matches(plain, [wanted], cutoff=_CLOSE))

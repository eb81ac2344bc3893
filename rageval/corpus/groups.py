"""Access groups as files declare them: a list of names."""

from __future__ import annotations


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
    return None

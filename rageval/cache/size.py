"""How much memory a kept result holds."""

from __future__ import annotations

from collections.abc import Mapping
from types import MethodType

import numpy as np

_OBJECT = 64  # bytes that anything else counts for


def held(result: object, shared: tuple[type, ...] = ()) -> int:
    """Return the bytes of the arrays and texts in a result, whatever holds them; each counts once.

    Objects of the `shared` types inside it are held by others too and do not count.

    Examples
    --------
    >>> held([np.zeros(1000), np.zeros(10)]) - held([])
    8080
    """
    seen: set[int] = set()
    total, left = _own(result), _inside(result)
    while left:
        item = left.pop()
        if id(item) in seen or isinstance(item, shared):
            continue
        seen.add(id(item))
        total += _own(item)
        left += _inside(item)
    return total


def _own(item: object) -> int:
    if isinstance(item, np.memmap):
        return _OBJECT  # its file holds it
    if isinstance(item, np.ndarray):
        return item.nbytes
    return _OBJECT + (len(item) if isinstance(item, str | bytes) else 0)


def _inside(item: object) -> list[object]:
    """Return what an object holds: items, attributes, and whose method it is."""
    if isinstance(item, np.ndarray | str | bytes | int | float | type):
        return []
    if isinstance(item, Mapping):
        return [*item.keys(), *item.values()]
    if isinstance(item, list | tuple | set | frozenset):
        return list(item)
    if isinstance(item, MethodType):
        return [item.__self__]
    return list(getattr(item, "__dict__", {}).values())

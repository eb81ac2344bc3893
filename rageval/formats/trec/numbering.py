"""Ids numbered as they are met."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rageval.files.errors import ErrorCollector


class Numbering:
    """Numbers for ids: 0, 1, … in the order in which they are first met."""

    def __init__(self) -> None:
        self._number: dict[bytes, int] = {}

    @classmethod
    def known(cls, ids: Iterable[bytes]) -> Numbering:
        """Return the numbering of ids that are numbered already."""
        found = cls()
        found.of(ids)
        return found

    def of(self, ids: Iterable[bytes]) -> list[int]:
        """Return the number of each id; a new id gets the next."""
        number = self._number
        return [number.setdefault(name, len(number)) for name in ids]

    def names(self, path: Path, faults: ErrorCollector) -> tuple[str, ...]:
        """Return the ids by number; what is not UTF-8 is noted as a fault of the file."""
        try:
            return tuple(name.decode("utf-8") for name in self._number)
        except UnicodeDecodeError:
            faults.add(path, 0, "an id is not UTF-8; save the file as UTF-8")
            return ()

    def order(self) -> NDArray[np.int64]:
        """Return each number's place among the ids sorted by their bytes: [n]."""
        ids = list(self._number)
        place = np.empty(len(ids), dtype=np.int64)
        place[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
        return place

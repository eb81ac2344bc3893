"""What every export is: something that writes a golden set and says what it could not keep."""

from __future__ import annotations

from typing import Protocol

from rageval.judging.labelled import Labelled


class Exporter(Protocol):
    """Writes a golden set in one format."""

    def write(self, labelled: Labelled) -> list[str]:
        """Write it and return a sentence for each thing that the format cannot hold.

        Raises
        ------
        InputError
            If the place is taken by something else, or nothing of the set can be held.
        """
        ...

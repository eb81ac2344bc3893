"""No export."""

from __future__ import annotations

from rageval.fields import component
from rageval.judging.labelled import Labelled


@component
class NoExport:
    """Writes nothing."""

    path: None = None

    def write(self, labelled: Labelled) -> list[str]:
        """Return nothing, for nothing is lost."""
        return []

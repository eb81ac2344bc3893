"""No export."""

from __future__ import annotations

from rageval.judging.labelled import Labelled
from rageval.schema.fields import component


@component
class NoExport:
    """Writes nothing."""

    path: None = None

    def write(self, labelled: Labelled) -> list[str]:
        """Return nothing, for nothing is lost."""
        return []

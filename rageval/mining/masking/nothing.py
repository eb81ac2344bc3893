"""No masking, for logs that hold no personal data."""

from __future__ import annotations

from rageval.schema.fields import component


@component
class NoMask:
    """Leaves every text as it is."""

    def mask(self, text: str) -> str:
        """Return the text."""
        return text

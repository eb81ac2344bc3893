"""What takes personal data out of a text."""

from __future__ import annotations

from typing import Protocol


class Mask(Protocol):
    """One class a way of masking, one file a class."""

    def mask(self, text: str) -> str:
        """Return a question with personal data replaced; called before anything is kept of it."""

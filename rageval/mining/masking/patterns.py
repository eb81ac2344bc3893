"""Masking by patterns: what can be told by its form, without knowing a language or a name."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import Field

from rageval.errors import InputError
from rageval.schema.fields import component

# In this order: what is found first is taken away from those below it.
_KNOWN = {
    "email": r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    "url": r"https?://\S+|\bwww\.\S+",
    "iban": r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b",
    "card": r"\b\d{4}(?:[ -]?\d{4}){3}\b|\b3[47]\d{2}[ -]?\d{6}[ -]?\d{5}\b",
    "ip": r"\b\d{1,3}(?:\.\d{1,3}){3}\b"
    r"|(?<![\w:])(?i:(?:[\da-f]{1,4}:){7}[\da-f]{1,4}"
    r"|(?:[\da-f]{1,4}:){1,6}(?::[\da-f]{1,4}){1,6})(?![\w:])",
    "phone": r"(?<![\w.])(?:\+|00)\d{1,3}(?:[ /().-]*\d){6,12}\b"  # international
    r"|(?<![\w.])0\d{2,5}[ /-]\d{4,10}\b"
    r"|(?<![\w.])0\d{2,5}[ /-]\d{2,}(?:[ -]\d{2,}){1,4}\b"
    r"|(?<![\w.])0\d{9,12}\b"
    r"|\(0\d{1,5}\) ?\d{2,}(?:[ -]?\d{2,}){1,4}\b"
    r"|(?<![\w.-])(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}\b",  # of North America
}


@component
class PatternMask:
    """Replaces e-mail addresses, web addresses, IBANs, card, IP and phone numbers by `<kind>`.

    `extra` maps kinds of your own, or more forms of these, to regular expressions, which are looked
    for first, a staff number for instance. Names of people are not found: for those give a class of
    your own with `mask(text)`, around a recogniser that knows your language.
    """

    extra: Mapping[str, str] = Field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what is no regular expression, or one that stands between any two letters."""
        for kind, pattern in self.extra.items():
            try:
                empty = re.search(pattern, "")
            except re.error as fault:
                raise InputError(f"masking.extra.{kind}: {pattern!r}: {fault}") from fault
            if empty:
                raise InputError(f"masking.extra.{kind}: {pattern!r} finds a text of no letters")

    def mask(self, text: str) -> str:
        """Return the text with everything that has one of the forms replaced.

        Examples
        --------
        >>> masking = PatternMask(extra={"staff": "E-[0-9]{5}"})
        >>> masking.mask("E-12345, ada@example.org, +49 30 123456")
        '<staff>, <email>, <phone>'
        """
        for kind, pattern in (*self.extra.items(), *_KNOWN.items()):
            text = re.sub(pattern, f"<{kind}>".replace("\\", r"\\"), text)
        return text

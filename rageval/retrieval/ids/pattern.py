"""Ids that are made by a pattern, such as `leave.md#chunk-7`."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

from rageval.errors import InputError
from rageval.retrieval.passages.hit import Hit
from rageval.schema.fields import Name, component

_FIELD = re.compile(r"\{(\w*)\}")
_KNOWN = {"document": r".+", "start": r"\d+", "end": r"\d+", "heading": r".+"}


@component
class IdPattern:
    """Reads document, characters or heading from an id.

    `{document}`, `{start}` and `{end}`, and `{heading}` are read; any other field, such as `{n}`,
    stands for text that says nothing: the place of a chunk in a chunking that is not ours. A hit
    of which only the document is known stands for the whole document, unless it has a text.

    Raises
    ------
    InputError
        If the pattern does not name the document, or only one of start and end.

    Examples
    --------
    >>> IdPattern("{document}#chunk-{n}").translate(Hit("leave.md#chunk-7")).document
    'leave.md'
    >>> IdPattern("doc/{document}@{start}:{end}").translate(Hit("doc/leave.md@10:90")).span
    (10, 90)
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ()

    pattern: Name

    def __post_init__(self) -> None:
        fields = _FIELD.findall(self.pattern)
        if "document" not in fields or ("start" in fields) != ("end" in fields):
            raise InputError(
                f"ids.pattern: {self.pattern!r} must hold {{document}}, and {{start}} with {{end}} "
                "or neither; it looks like '{document}#chunk-{n}'"
            )
        repeated = [field for field in _KNOWN if fields.count(field) > 1]
        if repeated:
            raise InputError(f"ids.pattern: {{{repeated[0]}}} occurs more than once")

    def translate(self, hit: Hit) -> Hit:
        """Return the hit with what its id says; one that does not fit the pattern stays."""
        found = self._expression.fullmatch(hit.id)
        if found is None:
            return hit
        part = found.groupdict()
        span = (int(part["start"]), int(part["end"])) if "start" in part else hit.span
        heading = (part["heading"],) if "heading" in part else hit.heading
        return replace(hit, document=part["document"], span=span, heading=heading)

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        pieces, at = [], 0
        for field in _FIELD.finditer(self.pattern):
            pieces.append(re.escape(self.pattern[at : field.start()]))
            name, at = field[1], field.end()
            pieces.append(f"(?P<{name}>{_KNOWN[name]})" if name in _KNOWN else ".*?")
        return re.compile("".join(pieces) + re.escape(self.pattern[at:]), re.DOTALL)

"""Hits whose metadata say where they are from."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import jmespath
from jmespath.exceptions import JMESPathError

from rageval.errors import InputError
from rageval.retrieval.passages.hit import Hit, hit_of
from rageval.schema.fields import Name, component

_PARTS = ("document", "start", "end", "heading", "text")


@component
class MetadataFields:
    """Reads document, characters, heading or text from the metadata of a hit.

    Each is a JMESPath over the metadata: `source`, `loc.start`. One that finds nothing leaves the
    hit as it is.

    Examples
    --------
    >>> fields = MetadataFields(document="source", prefix="docs/")
    >>> fields.translate(Hit("7", metadata={"source": "docs/leave.md"})).document
    'leave.md'
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ("jmespath",)

    document: Name
    start: Name | None = None
    end: Name | None = None
    heading: Name | None = None
    text: Name | None = None
    prefix: str = ""  # taken away from documents that begin with it
    suffix: str = ""  # taken away from documents that end with it

    def __post_init__(self) -> None:
        self._expressions  # noqa: B018  compiling checks them

    def translate(self, hit: Hit) -> Hit:
        """Return the hit with what its metadata say.

        Raises
        ------
        InputError
            If what they say is of a wrong type.
        """
        found: dict[str, Any] = {
            part: expression.search(dict(hit.metadata))
            for part, expression in self._expressions.items()
        }
        if not isinstance(found["document"], str):
            return hit
        found["document"] = found["document"].removeprefix(self.prefix).removesuffix(self.suffix)
        read = hit_of({key: value for key, value in found.items() if value is not None})
        if isinstance(read, str):
            raise InputError(f"ids: the metadata of {hit} cannot be used: {read}")
        return replace(
            hit,
            document=read.document,
            span=read.span or hit.span,
            heading=read.heading or hit.heading,
            text=read.text or hit.text,
        )

    @cached_property
    def _expressions(self) -> dict[str, Any]:
        found = {}
        for part in _PARTS:
            written = getattr(self, part)
            try:
                if written is not None:
                    found[part] = jmespath.compile(written)
            except JMESPathError as fault:
                told = str(fault).splitlines()[0]
                raise InputError(f"ids.{part}: {written!r} is no JMESPath: {told}") from fault
        return found

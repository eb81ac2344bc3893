"""What a hit may name: a document, characters of it, a heading, a text, or an id."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real  # numpy's numbers are Real and not float
from typing import Any

from rageval.chunking.chunks import Offsets

PARTS = ("id", "document", "start", "end", "heading", "text", "score", "metadata")
_FORMS = (
    "a hit is an id, and an id is a string, or (document, start, end), (document, heading), a "
    f"mapping with some of {', '.join(PARTS)}, or a pair of one of these and its score"
)


@dataclass(frozen=True, slots=True)
class Hit:
    """One passage as a retriever names it; what it does not say is empty.

    Attributes
    ----------
    id
        Of a passage that `index` was given, of a document, or an id of the retriever's own.
    document
        Id of the document that holds the passage.
    span
        Half-open characters of the document.
    heading
        Path of headings in the document, outermost first; the last one alone will do.
    text
        The passage's text, which is looked up in the document or else in the whole corpus.
    score
        Higher is better; NaN = none was given.
    metadata
        Whatever else the retriever returned, for an id map to read.
    """

    id: str = ""
    document: str = ""
    span: Offsets | None = None
    heading: tuple[str, ...] = ()
    text: str = ""
    score: float = math.nan
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return how a message names the hit."""
        document = self.document or self.id
        if self.span is not None:
            return repr(f"{document}#{self.span[0]}-{self.span[1]}")
        if self.text:
            return f"the text {_shortened(self.text)!r}" + (f" of {document!r}" if document else "")
        if self.heading:
            return f"{document!r} / {' > '.join(self.heading)!r}"
        return repr(document)

    @property
    def blank(self) -> bool:
        """Say whether it names nothing at all."""
        named = (self.id, self.document, self.text)
        return not any(name.strip() for name in named) and self.span is None


def hit_of(value: object) -> Hit | str:
    """Return what a retriever returned as a hit, or a sentence that says what is wrong with it.

    Examples
    --------
    >>> hit_of(("leave.md", 10, 90)).span, hit_of(("leave.md", 0.7)).score
    ((10, 90), 0.7)
    >>> hit_of((("leave.md", "Sick leave"), 0.7)).heading
    ('Sick leave',)
    """
    if isinstance(value, Hit):
        return _fault(value.score, value) or value
    name, score = value, None
    if isinstance(value, tuple) and len(value) == 2 and not _is_heading(value[1]):
        name, score = value
    elif isinstance(value, Mapping):
        score = value.get("score")
    found = _named(name)
    if found is None:
        return f"returned {value!r}; {_FORMS}"
    if isinstance(found, str):
        return f"returned {value!r}: {found}; {_FORMS}"
    if score is None:
        return found
    return _fault(score, name) or _scored(found, float(score))


def _named(name: object) -> Hit | str | None:
    """Return the hit that a name stands for; None or a sentence if it is no name."""
    if isinstance(name, Hit):
        return name
    if isinstance(name, str):
        return Hit(id=name)
    if isinstance(name, Mapping):
        return _mapped(name)
    if isinstance(name, tuple | list) and name and isinstance(name[0], str):
        document, *rest = name
        if len(rest) == 2 and all(map(_is_place, rest)):
            return Hit(document=document, span=(int(rest[0]), int(rest[1])))
        if len(rest) == 1 and _is_heading(rest[0]):
            return Hit(document=document, heading=_path(rest[0]))
    return None


def _mapped(row: Mapping[Any, Any]) -> Hit | str:
    given = {key: value for key, value in row.items() if value is not None}
    unknown = [repr(key) for key in given if key not in PARTS]
    if unknown:
        return f"it has the key {unknown[0]}"
    wrong = [key for key in ("id", "document", "text") if not isinstance(given.get(key, ""), str)]
    if wrong:
        return f"{wrong[0]!r} is no text"
    if not isinstance(given.get("metadata", {}), Mapping):
        return "'metadata' is no mapping"
    if "heading" in given and not _is_heading(given["heading"]):
        return "'heading' is neither a text nor a list of texts"
    places = [given[key] for key in ("start", "end") if key in given]
    if len(places) == 1 or not all(map(_is_place, places)):
        return "'start' and 'end' are two whole numbers"
    if not any(key in given for key in ("id", "document", "text", "metadata")):
        return "it names nothing"
    return Hit(
        id=given.get("id", ""),
        document=given.get("document", ""),
        span=(int(places[0]), int(places[1])) if places else None,
        heading=_path(given.get("heading", ())),
        text=given.get("text", ""),
        metadata=given.get("metadata", {}),
    )


def _fault(score: object, name: object) -> str:
    """Return what is wrong with a score, or nothing; NaN in a `Hit` says that there is none."""
    if isinstance(name, Hit) and isinstance(score, float) and math.isnan(score):
        return ""
    if isinstance(score, Real) and math.isfinite(score):
        return ""
    return f"returned the score {score!r} for {name!r}; a score is a finite number"


def _scored(hit: Hit, score: float) -> Hit:
    return Hit(hit.id, hit.document, hit.span, hit.heading, hit.text, score, hit.metadata)


def _is_place(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_heading(value: object) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    return isinstance(value, list | tuple) and bool(value) and all(map(_is_text, value))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _path(heading: str | Sequence[str]) -> tuple[str, ...]:
    return (heading,) if isinstance(heading, str) else tuple(heading)


_LONGEST = 60  # characters of a passage in a message


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"

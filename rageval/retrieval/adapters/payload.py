"""What an engine keeps with a passage, written when we build its index and read from its hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rageval.errors import InputError
from rageval.retrieval.passages.hit import Hit
from rageval.retrieval.retrievers.foreign import Passage

PREFIX = "rageval_"  # begins the name of every index that may be built over


def payload_of(passage: Passage) -> dict[str, Any]:
    """Return what is kept with a passage of ours."""
    start, _, end = passage.id.rpartition("#")[2].partition("-")
    return {
        "document": passage.document,
        "start": int(start),
        "end": int(end),
        "text": passage.text,
        "groups": sorted(passage.groups),
    }


def hit_from(name: object, score: float, payload: Mapping[str, Any]) -> Hit:
    """Return a hit from what an engine returned; a payload of ours says where it stands."""
    span = payload.get("start"), payload.get("end")
    document = payload.get("document")
    if isinstance(document, str) and isinstance(span[0], int) and isinstance(span[1], int):
        return Hit(document=document, span=(span[0], span[1]), score=score)
    return Hit(id=str(name), score=score, metadata=payload)


def require_passages(passages: Sequence[Passage]) -> None:
    """Make sure that there is something to build an index from.

    Raises
    ------
    InputError
        If there is not.
    """
    if not passages:
        raise InputError(
            "index.build=true builds an index from our chunks, and chunking=none makes none; "
            "choose a chunking, or measure an index that exists with index.build=false"
        )


def require_ours(name: str, exists: bool, build: bool, what: str) -> None:
    """Make sure that an index is there to be measured, or may be built.

    Parameters
    ----------
    name
        Of the index.
    exists
        Whether the engine has one of that name.
    build
        Whether it is to be built.
    what
        What the engine calls an index: a table, a collection.

    Raises
    ------
    InputError
        If it is to be measured and is not there, or if building would replace one that is not ours.
    """
    if not build and not exists:
        raise InputError(
            f"there is no {what} {name!r} to measure; index.build=true builds one from our chunks"
        )
    if build and exists and not name.startswith(PREFIX):
        raise InputError(
            f"the {what} {name!r} exists, and index.build=true replaces only a {what} whose name "
            f"begins with {PREFIX!r}; index.build=false measures it as it is"
        )

"""What Elasticsearch and OpenSearch have in common: the body of a search, its hits, an index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rageval.retrieval.adapters.payload import hit_from, payload_of
from rageval.retrieval.passages.hit import Hit
from rageval.retrieval.retrievers.foreign import Passage

BATCH = 500  # passages in one bulk request
MAPPINGS = {
    "properties": {
        "document": {"type": "keyword"},
        "start": {"type": "integer"},
        "end": {"type": "integer"},
        "text": {"type": "text"},
        "groups": {"type": "keyword"},
    }
}


def body_of(query: Mapping[str, Any], groups_field: str | None, groups: frozenset[str]) -> Any:  # noqa: ANN401  JSON
    """Return a query that lets through public documents and those of the asker's groups.

    Examples
    --------
    >>> body_of({"match": {"text": "x"}}, None, frozenset())
    {'match': {'text': 'x'}}
    """
    if groups_field is None:
        return dict(query)
    public = {"bool": {"must_not": [{"exists": {"field": groups_field}}]}}
    shared = [{"terms": {groups_field: sorted(groups)}}] if groups else []
    visible = {"bool": {"should": [public, *shared], "minimum_should_match": 1}}
    return {"bool": {"must": [dict(query)], "filter": [visible]}}


def hits_of(answer: Mapping[str, Any]) -> list[Hit]:
    """Return the hits of an answer to a search."""
    return [
        hit_from(row["_id"], float(row["_score"] or 0), row.get("_source") or {})
        for row in answer["hits"]["hits"]
    ]


def operations(passages: Sequence[Passage]) -> Iterator[list[dict[str, Any]]]:
    """Yield the lines of bulk requests that index passages; those without groups are public."""
    for at in range(0, len(passages), BATCH):
        lines: list[dict[str, Any]] = []
        for passage in passages[at : at + BATCH]:
            source = {name: value for name, value in payload_of(passage).items() if value != []}
            lines += [{"index": {"_id": passage.id}}, source]
        yield lines


def require_indexed(answer: Mapping[str, Any]) -> None:
    """Make sure that a bulk request failed on no passage.

    Raises
    ------
    ValueError
        If it did.
    """
    if answer.get("errors"):
        faults = [row["index"]["error"] for row in answer["items"] if "error" in row["index"]]
        raise ValueError(f"{len(faults)} passages were not indexed, the first: {faults[0]}")

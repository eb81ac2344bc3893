"""How things are called outside: passages, and measures of subsets in MLflow's characters."""

from __future__ import annotations

import re

from rageval.chunking.chunks import Chunks
from rageval.naming import escaped

_ESCAPE = re.compile(r"-x([0-9a-f]+)-")


def passage(chunks: Chunks, number: int) -> str:
    """Return a chunk's id: `<document>#<start>-<end>`."""
    document = chunks.corpus[int(chunks.document[number])]
    return f"{document.id}#{int(chunks.start[number])}-{int(chunks.end[number])}"


def metric_key(subset: str, measure: str) -> str:
    """Return the metric key of a measure over a subset, in the characters that MLflow allows.

    Any other character of a subset's name becomes `-x<code point>-`.

    Examples
    --------
    >>> metric_key("tag.negation", "recall")
    'tag.negation/recall'
    >>> metric_key("class.größer/kleiner", "mrr")
    'class.gr-xf6--xdf-er-x2f-kleiner/mrr'
    """
    return f"{escaped(subset)}/{measure}"


def subset_and_measure(key: str) -> tuple[str, str]:
    """Return what `metric_key` was given.

    Examples
    --------
    >>> subset_and_measure("class.gr-xf6--xdf-er-x2f-kleiner/mrr")
    ('class.größer/kleiner', 'mrr')
    """
    subset, _, measure = key.rpartition("/")
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), subset), measure

"""From which chunks a retriever learns how rare a term is, and what lies near what."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rageval.chunking.chunks import Chunks

# `all`: from every chunk; the scores of public passages then depend on restricted ones, too.
# `public`: from what everybody may see; restricted passages are found by those statistics.
Statistics = Literal["all", "public"]


def learnt_from(chunks: Chunks, statistics: Statistics) -> NDArray[np.bool_]:
    """Return which chunks statistics are made from, [n_chunks]."""
    if statistics == "public":
        return chunks.visible(frozenset())
    return np.ones(len(chunks), dtype=bool)

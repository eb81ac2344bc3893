"""The vectors of texts, each encoded once: a changed document encodes its own chunks alone.

Vectors are kept in packs, a pack for each time that something was encoded: the digests of its texts
and their vectors. Questions are encoded when they are asked, as production does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rageval.cache.files import Arrays
from rageval.cache.store import Cache
from rageval.retrieval.encoders.encoder import Encoder, Encoding, QueryEncoding, Vectors
from rageval.schema.fingerprint import digest

_PACKS = 8  # of one encoder; more are put together into one
Digests = NDArray[np.bytes_]  # [n] sha256


@dataclass(frozen=True)
class MemoizedEncoder:
    """An encoder that encodes each text of a corpus once.

    An encoder that learns from the corpus makes other vectors of the same text for another corpus,
    so its key holds all texts that it learnt from; one that is `pretrained` does not.
    """

    encoder: Encoder
    key: str  # of the encoder
    cache: Cache

    def fit(self, texts: Sequence[str]) -> MemoizedEncoding:
        """Return the encoding for a corpus of these texts."""
        pretrained = getattr(self.encoder, "pretrained", False)
        key = self.key if pretrained else digest([self.key, _digests(texts).tobytes().hex()])
        return MemoizedEncoding(self.encoder.fit(texts), key, self.cache)


@dataclass(frozen=True)
class MemoizedEncoding:
    """An encoding that keeps the vectors of passages; questions are encoded when they are asked."""

    encoding: Encoding
    key: str
    cache: Cache

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row a text; texts that no pack holds are encoded."""
        names = _digests(texts)
        packs = self.cache.get_packs("vectors", self.key)
        missing = ~_known(packs, names)
        self.cache.count("vectors", int((~missing).sum()), int(missing.sum()))
        if missing.any():
            new, first = np.unique(names[missing], return_index=True)
            rows = np.flatnonzero(missing)[first]
            made = self.encoding.encode([texts[row] for row in rows.tolist()])
            packs = _few([*packs, {"text": new, "vector": made}])
            self.cache.put_packs("vectors", self.key, packs)
        return _gathered(packs, names)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row a question."""
        if isinstance(self.encoding, QueryEncoding):
            return self.encoding.encode_queries(texts)
        return self.encoding.encode(texts)


def _digests(texts: Sequence[str]) -> Digests:
    found = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
    return np.array(found, dtype="S32")


def _known(packs: Sequence[Arrays], names: Digests) -> NDArray[np.bool_]:
    known = np.zeros(len(names), dtype=bool)
    for pack in packs:
        known |= _places(pack, names)[1]
    return known


def _places(pack: Arrays, names: Digests) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return where each text would stand in a pack, and whether it stands there."""
    held = pack["text"]
    place = np.minimum(np.searchsorted(held, names), max(0, len(held) - 1))
    return place, held[place] == names if len(held) else np.zeros(len(names), dtype=bool)


def _gathered(packs: Sequence[Arrays], names: Digests) -> Vectors:
    """Return the vector of each text; some pack must hold it."""
    kind = np.result_type(*(pack["vector"].dtype for pack in packs)) if packs else np.float64
    width = packs[0]["vector"].shape[1] if packs else 0
    vectors: Vectors = np.zeros((len(names), width), kind)
    for pack in packs:
        place, there = _places(pack, names)
        vectors[there] = pack["vector"][place[there]]
    return vectors


def _few(packs: Sequence[Arrays]) -> list[Arrays]:
    """Return the packs, as one if they are many."""
    if len(packs) <= _PACKS:
        return list(packs)
    text = np.concatenate([pack["text"] for pack in packs])
    vector = np.concatenate([pack["vector"] for pack in packs])
    names, first = np.unique(text, return_index=True)
    return [{"text": names, "vector": vector[first]}]

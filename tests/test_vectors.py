"""Texts are encoded once for each encoder: what it is really asked for, in memory and on disk."""

import hashlib

import numpy as np
import pytest

from rageval.cache import vectors
from rageval.cache.memoized import memoized
from rageval.cache.store import Cache, CacheConfig
from rageval.retrieval.retrievers.bm25 import Bm25
from rageval.retrieval.retrievers.dense import Dense
from rageval.retrieval.retrievers.hybrid import Hybrid
from rageval.schema.fields import component
from rageval.schema.fingerprint import digest
from tests.tiny import ask, chunks_of, same

TEXTS = ("the cat sat", "the dog ran", "a cat and a dog", "nothing at all")
ASKED = []  # what the encoders were asked to encode, in order


class _Hashed:
    def __init__(self, salt=""):
        self.salt = salt

    def encode(self, texts):
        ASKED.extend(texts)
        rows = [hashlib.sha256((self.salt + text).encode()).digest() for text in texts]
        found = np.array([np.frombuffer(row, np.uint8) for row in rows], dtype=np.float32)
        return found / np.linalg.norm(found, axis=1, keepdims=True)


@component
class Pretrained:
    model: str = "small"
    pretrained = True

    def fit(self, texts):
        return _Hashed(self.model)


@component
class Learning:
    def fit(self, texts):
        return _Hashed("".join(texts))


@pytest.fixture(autouse=True)
def nothing_asked():
    ASKED.clear()


def stages(tmp_path, kind="disk"):
    return Cache(CacheConfig(kind=kind, dir=str(tmp_path / "c"), memory_mb=64, disk_mb=64))


def dense(kept, encoder=None, **node):
    return memoized(Dense(encoder=encoder or Pretrained()), {"encoder": node}, digest, kept)


def chunk_texts(retriever, *texts):
    """Return the chunk texts that were encoded when these documents were asked."""
    ASKED.clear()
    chunks = chunks_of(*texts)
    found = ask(retriever.index(chunks), chunks, "cat")
    return sorted(text for text in ASKED if text != "cat"), found


@pytest.mark.parametrize("kind", ["memory", "disk"])
def test_a_changed_document_encodes_its_own_chunks_alone(tmp_path, kind):
    kept = stages(tmp_path, kind)
    assert chunk_texts(dense(kept), *TEXTS)[0] == sorted(TEXTS)
    changed = (*TEXTS[:2], "a bird", TEXTS[3])
    again, found = chunk_texts(dense(kept), *changed)
    assert again == ["a bird"]
    fresh = chunk_texts(Dense(encoder=Pretrained()), *changed)[1]
    assert same(found, fresh)


def test_another_process_encodes_nothing_again(tmp_path):
    chunk_texts(dense(stages(tmp_path)), *TEXTS)
    again = chunk_texts(dense(stages(tmp_path)), "a bird", *TEXTS)[0]
    assert again == ["a bird"]
    mixed = Hybrid(
        retrievers={"one": Bm25(), "two": Dense(encoder=Pretrained())},
        weights={"one": 1.0, "two": 1.0},
        floor="one",
    )
    node = {"retrievers": {"one": {}, "two": {"encoder": {}}}}
    part = chunk_texts(memoized(mixed, node, digest, stages(tmp_path)), *TEXTS, "a fish")[0]
    assert part == ["a fish"]  # a hybrid's part is the same encoder


def test_a_text_that_occurs_twice_is_encoded_once(tmp_path):
    assert chunk_texts(dense(stages(tmp_path)), "same", "same", "other")[0] == ["other", "same"]


def test_another_encoder_or_setting_encodes_anew(tmp_path):
    kept = stages(tmp_path)
    chunk_texts(dense(kept), *TEXTS)
    assert chunk_texts(dense(kept, Pretrained("large"), model="large"), *TEXTS)[0] == sorted(TEXTS)


def test_what_an_encoder_learnt_from_is_part_of_its_key(tmp_path):
    kept = stages(tmp_path)
    chunk_texts(dense(kept, Learning()), *TEXTS)
    changed = (*TEXTS[:3], "another text")
    assert chunk_texts(dense(kept, Learning()), *changed)[0] == sorted(changed)
    assert chunk_texts(dense(stages(tmp_path), Learning()), *TEXTS)[0] == []  # the same corpus


def test_a_damaged_pack_is_encoded_anew(tmp_path):
    chunk_texts(dense(stages(tmp_path)), *TEXTS)
    (pack,) = (tmp_path / "c").glob("vectors-*.npz")
    for ranking in (tmp_path / "c").glob("rankings-*.npz"):
        ranking.unlink()
    data = bytearray(pack.read_bytes())
    data[-200] ^= 1
    pack.write_bytes(bytes(data))
    found, _ = chunk_texts(dense(stages(tmp_path)), *TEXTS)
    data[len(data) // 2] ^= 1
    assert sorted(found) in ([], sorted(TEXTS))  # the last bytes may be the archive's own
    pack.write_bytes(bytes(data))
    for ranking in (tmp_path / "c").glob("rankings-*.npz"):
        ranking.unlink()
    assert sorted(chunk_texts(dense(stages(tmp_path)), *TEXTS)[0]) == sorted(TEXTS)


def test_many_packs_become_one(tmp_path, monkeypatch):
    monkeypatch.setattr(vectors, "_PACKS", 2)
    for number in range(3):
        chunk_texts(dense(stages(tmp_path)), *TEXTS, f"new {number}")
    assert len(list((tmp_path / "c").glob("vectors-*.npz"))) == 1
    everything = (*TEXTS, "new 0", "new 1", "new 2")
    assert chunk_texts(dense(stages(tmp_path)), *everything)[0] == []


def test_large_arrays_stay_in_their_file(tmp_path):
    def large():
        return {"value": np.arange(100_000.0)}

    stages(tmp_path).get_or_compute_arrays("s", "k", large)
    kept = stages(tmp_path)
    found = kept.get_or_compute_arrays("s", "k", large)["value"]
    assert isinstance(found, np.memmap)
    assert found.flags.aligned
    assert not found.flags.writeable
    assert found.tolist() == large()["value"].tolist()
    assert kept._size < 1000  # it does not count as memory
    with np.load(tmp_path / "c" / "s-k.npz", allow_pickle=False) as plain:  # an ordinary archive
        assert plain["value"][-1] == 99_999

"""What every engine with vectors must do, whatever it is."""

import pytest
from tiny import ask, chunks_of, names

from rageval.chunking.nothing import NoChunks
from rageval.errors import InputError
from rageval.retrieval.encoders.lsa import Lsa
from rageval.retrieval.retrievers.dense import Dense
from rageval.retrieval.retrievers.foreign import Foreign

TEXTS = (
    "The oil pump is on the left of the engine.",
    "Bread is baked in the oven, and bread is sold here.",
    "A butter knife is for butter.",
    "Salaries: the pump operator earns much, oil or not.",
    "Tea and bread, butter and oil.",
)
SECRET = {"d": ["hr"], "e": ["it's", "hr"]}
ENCODER = Lsa(dimensions=3)


class Fixed:
    """A trained encoder for tests: it counts letters."""

    pretrained = True

    def fit(self, texts):
        return self

    def encode(self, texts):
        import numpy as np

        rows = np.array([[1 + text.lower().count(c) for c in "abcdefghijklmnop"] for text in texts])
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def indexed(retriever, chunks):
    return Foreign(retriever).index(chunks)


def orders_as_exact_search_does(retriever):
    chunks = chunks_of(*TEXTS)
    exact = Dense(ENCODER).index(chunks)
    index = indexed(retriever, chunks)
    found, ours = ask(index, chunks, *TEXTS), ask(exact, chunks, *TEXTS)
    assert found.errors == {}
    assert index.returned.chunks is chunks  # every hit is one of our chunks
    for row in range(len(TEXTS)):
        count = int(ours.count[row])
        assert found.score[row, :count] == pytest.approx(ours.score[row, :count], abs=1e-3)
        first = found.chunk[row, : count - 1].tolist()
        gaps = (ours.score[row, : count - 1] - ours.score[row, 1:count]) > 1e-3
        if gaps.all():  # equal scores may come in any order
            assert first == ours.chunk[row, : count - 1].tolist()


def filters_by_group_before_it_cuts(retriever):
    chunks = chunks_of(*TEXTS, groups=SECRET)
    index = indexed(retriever, chunks)
    for question in TEXTS:
        closed, public = (ask(index, chunks, question, groups=g) for g in (["hr", "it's"], ()))
        order = names(closed, chunks)
        assert set("de") <= set(order)
        rest = "".join(name for name in order if name not in "de")
        assert names(public, chunks) == rest
        assert names(ask(index, chunks, question, depth=2), chunks) == rest[:2]
        other = names(ask(index, chunks, question, groups=["it's"]), chunks)
        assert set(other) == set("abce")
        assert set(names(ask(index, chunks, question, groups=["strangers"]), chunks)) == set("abc")


def measures_what_an_earlier_run_built(build, measure):
    chunks = chunks_of(*TEXTS)
    before = ask(indexed(build, chunks), chunks, *TEXTS)
    nothing = chunks_of(*TEXTS, chunker=NoChunks())
    index = indexed(measure, nothing)
    found = ask(index, nothing, *TEXTS)
    passages = index.returned.chunks
    assert found.errors == {}
    for row in range(len(TEXTS)):
        assert names(found, passages, row)[:1] == names(before, chunks, row)[:1]
        assert [passages.text(n) for n in found.chunk[row]] == [
            chunks.text(n) for n in before.chunk[row]
        ]


def refuses(retriever, told, chunker=None):
    with pytest.raises(InputError, match=told):
        indexed(retriever, chunks_of(*TEXTS, chunker=chunker))

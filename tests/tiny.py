"""Corpora of a few words, for tests that work their expected values out by hand."""

import numpy as np

from rageval.chunking.chunks import cut
from rageval.chunking.whole import WholeDocument
from rageval.corpus.document import Corpus, Document
from rageval.retrieval.retrievers.retriever import Query, Scope

NOBODY = frozenset()


def corpus_of(*texts, groups=None):
    """Make documents a, b, c, …; `groups` maps an id to who may see that document."""
    rights = groups or {}
    return Corpus(
        tuple(
            Document(name, text, frozenset(rights.get(name, ())))
            for name, text in zip("abcdefghijklmnopqrstuvwxyz", texts, strict=False)
        ),
        "test",
    )


def chunks_of(*texts, groups=None, chunker=None):
    """Make one chunk a document: a, b, c, …."""
    return cut(corpus_of(*texts, groups=groups), chunker or WholeDocument())


def ask(index, chunks, *texts, depth=10, groups=NOBODY):
    """Search for texts as an asker of these groups."""
    scope = Scope.of(frozenset(groups), chunks)
    return index.search([Query(text, scope) for text in texts], depth)


def names(candidates, chunks, row=0):
    """Return the documents of one query's candidates as a word: best first."""
    numbers = candidates.chunk[row][candidates.chunk[row] >= 0]
    return "".join(chunks.corpus[int(chunks.document[n])].id for n in numbers)


def same(one, other):
    """Say whether two batches of candidates are identical."""
    return (
        np.array_equal(one.chunk, other.chunk)
        and np.array_equal(one.score, other.score, equal_nan=True)
        and np.array_equal(one.raw, other.raw, equal_nan=True)
        and dict(one.errors) == dict(other.errors)
    )

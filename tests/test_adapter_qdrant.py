"""retriever=qdrant in the local mode of its client."""

import engines
import pytest
from tiny import ask, chunks_of, names

from rageval.chunking.nothing import NoChunks
from rageval.errors import UnreachableError
from rageval.retrieval.adapters.qdrant import Qdrant
from rageval.retrieval.ids.fields import MetadataFields
from rageval.retrieval.retrievers.foreign import Foreign

qdrant_client = pytest.importorskip("qdrant_client", reason="extra: qdrant")
pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect")


def built(**settings):
    return Qdrant(engines.ENCODER, ":memory:", build=True, **settings)


def test_it_orders_as_exact_search_does():
    engines.orders_as_exact_search_does(built())
    engines.orders_as_exact_search_does(built(vector="words"))


def test_it_filters_by_group_before_it_cuts():
    engines.filters_by_group_before_it_cuts(built())


def test_it_measures_what_an_earlier_run_built(tmp_path):
    folder = str(tmp_path / "q")
    build, measure = (Qdrant(engines.Fixed(), folder, build=b) for b in (True, False))
    engines.measures_what_an_earlier_run_built(build, measure)


def test_it_refuses_what_it_cannot_measure_or_may_not_replace(tmp_path):
    folder = str(tmp_path / "q")
    engines.refuses(Qdrant(engines.Fixed(), folder, "pages"), "there is no collection 'pages'")
    engines.refuses(built(), "chunking=none makes none", NoChunks())
    made = Qdrant(engines.Fixed(), folder, "pages", build=True)
    index = engines.indexed(made, chunks_of("a"))
    del index
    engines.refuses(made, "the collection 'pages' exists")
    wrong = Qdrant(engines.Fixed(), folder, "pages", vector="title")
    engines.refuses(wrong, "'title' is no vector of pages; its vectors: one without a name")
    learnt = Qdrant(engines.ENCODER, folder, "pages")
    engines.refuses(learnt, "Lsa learns from our chunks", NoChunks())


def test_a_collection_of_ones_own_with_distances_and_other_fields(tmp_path):
    folder = str(tmp_path / "q")
    client = qdrant_client.QdrantClient(path=folder)
    models = qdrant_client.models
    size = models.VectorParams(size=16, distance=models.Distance.EUCLID)
    client.create_collection("pages", vectors_config=size)
    rows = engines.Fixed().encode(engines.TEXTS).tolist()
    client.upsert("pages", [
        models.PointStruct(
            id=n, vector=row, payload={"source": name, "acl": engines.SECRET.get(name, [])}
        )
        for n, (name, row) in enumerate(zip("abcde", rows, strict=True))
    ])  # fmt: skip
    client.close()
    chunks = chunks_of(*engines.TEXTS, groups=engines.SECRET, chunker=NoChunks())
    theirs = Qdrant(engines.Fixed(), folder, "pages", groups="acl")
    index = Foreign(theirs, ids=MetadataFields("source")).index(chunks)
    found = ask(index, chunks, engines.TEXTS[0], depth=9)
    assert sorted(names(found, index.returned.chunks)) == ["a", "b", "c"]
    assert names(found, index.returned.chunks)[0] == "a"
    assert found.score[0, 0] == pytest.approx(0, abs=1e-3)  # the distance to itself
    assert (found.score[0][:-1] >= found.score[0][1:]).all()


def test_a_server_that_is_away_is_unreachable():
    with pytest.raises(UnreachableError):
        engines.indexed(Qdrant(engines.Fixed(), "http://127.0.0.1:1"), chunks_of("a"))

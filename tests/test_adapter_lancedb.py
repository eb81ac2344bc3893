"""retriever=lancedb in a folder."""

import engines
import pytest
from tiny import ask, chunks_of, names

from rageval.chunking.nothing import NoChunks
from rageval.retrieval.adapters.lancedb import LanceDb
from rageval.retrieval.ids.fields import MetadataFields
from rageval.retrieval.retrievers.foreign import Foreign

lancedb = pytest.importorskip("lancedb", reason="extra: lancedb")


@pytest.fixture
def built(tmp_path):
    return LanceDb(engines.ENCODER, str(tmp_path / "l"), build=True)


def test_it_orders_as_exact_search_does(built):
    engines.orders_as_exact_search_does(built)


def test_it_filters_by_group_before_it_cuts(built):
    engines.filters_by_group_before_it_cuts(built)


def test_it_measures_what_an_earlier_run_built(tmp_path):
    build, measure = (LanceDb(engines.Fixed(), str(tmp_path), build=b) for b in (True, False))
    engines.measures_what_an_earlier_run_built(build, measure)


def test_it_refuses_what_it_cannot_measure_or_may_not_replace(tmp_path, built):
    folder = str(tmp_path)
    engines.refuses(LanceDb(engines.Fixed(), folder, "pages"), "there is no table 'pages'")
    engines.refuses(built, "chunking=none makes none", NoChunks())
    made = LanceDb(engines.Fixed(), folder, "pages", build=True)
    engines.indexed(made, chunks_of("a"))
    engines.refuses(made, "the table 'pages' exists")
    wrong = LanceDb(engines.Fixed(), folder, "pages", vector="title")
    engines.refuses(wrong, "pages has no column 'title'; it has: id, document")


def test_a_table_of_ones_own_with_distances_and_other_columns(tmp_path):
    rows = engines.Fixed().encode(engines.TEXTS).tolist()
    base = lancedb.connect(tmp_path)
    base.create_table("pages", [
        {"key": f"k{n}", "source": name, "vector": row, "acl": engines.SECRET.get(name, [""])[:1]}
        for n, (name, row) in enumerate(zip("abcde", rows, strict=True))
    ])  # fmt: skip
    chunks = chunks_of(*engines.TEXTS, groups=engines.SECRET, chunker=NoChunks())
    theirs = LanceDb(engines.Fixed(), str(tmp_path), "pages", "vector", "l2", "key", groups="acl")
    index = Foreign(theirs, ids=MetadataFields("source")).index(chunks)
    found = ask(index, chunks, engines.TEXTS[3], depth=9, groups=["hr", ""])
    assert found.errors == {}
    assert names(found, index.returned.chunks)[0] == "d"
    assert found.score[0, 0] == pytest.approx(0, abs=1e-3)  # the distance to itself
    assert (found.score[0][:-1] >= found.score[0][1:]).all()
    public = ask(index, chunks, engines.TEXTS[3], depth=9, groups=[""])
    assert sorted(names(public, index.returned.chunks)) == ["a", "b", "c"]

"""retriever=elasticsearch and opensearch, through their real clients.

The server is tests/lucene_server.py, which speaks their documented REST; it is neither of the two.
"""

import pytest
from lucene_server import engine
from tiny import ask, chunks_of, names

from rageval.chunking.nothing import NoChunks
from rageval.errors import InputError, UnreachableError
from rageval.retrieval.adapters.elasticsearch import Elasticsearch
from rageval.retrieval.adapters.opensearch import OpenSearch
from rageval.retrieval.ids.fields import MetadataFields
from rageval.retrieval.retrievers.foreign import Foreign

TEXTS = ("oil oil pump", "bread oven", "oil lamp", "oil oil oil salaries")
SECRET = {"d": ["hr"]}


@pytest.fixture(params=["elasticsearch", "opensearch"])
def client(request):
    if request.param == "elasticsearch":
        pytest.importorskip("elasticsearch", reason="extra: elasticsearch")
        return Elasticsearch
    pytest.importorskip("opensearchpy", reason="extra: opensearch")
    return OpenSearch


@pytest.fixture
def served():
    with engine() as (kept, url):
        yield kept, url


def chunks(chunker=None):
    return chunks_of(*TEXTS, groups=SECRET, chunker=chunker)


def test_an_index_of_our_chunks_is_built_asked_and_filtered(client, served):
    kept, url = served
    cut = chunks()
    index = Foreign(client(url, build=True)).index(cut)
    found = ask(index, cut, "oil", "bread", "zzz", depth=5)
    assert found.errors == {}
    assert [names(found, cut, row) for row in range(3)] == ["ac", "b", ""]
    assert found.score[0, :2].tolist() == [2.0, 1.0]
    assert names(ask(index, cut, "oil", depth=1), cut) == "a"  # d, which is better, takes no place
    assert names(ask(index, cut, "oil", groups=["hr"]), cut) == "dac"
    assert index.returned.chunks is cut
    assert list(kept.indices) == ["rageval_passages"]
    again = Foreign(client(url, build=True)).index(cut)  # built over
    assert names(ask(again, cut, "oil"), cut) == "ac"


def test_an_index_of_ones_own_is_asked_by_ones_own_query(client, served):
    kept, url = served
    kept.indices["pages"] = {
        str(n): {"path": name, "body": text, "acl": SECRET.get(name, [])}
        for n, (name, text) in enumerate(zip("abcd", TEXTS, strict=True))
    }
    theirs = client(url, "pages", query="{match: {body: {query: question}}}", groups="acl")
    cut = chunks(NoChunks())
    index = Foreign(theirs, ids=MetadataFields("path", text="body")).index(cut)
    found = ask(index, cut, "oil lamp", groups=["hr"])
    assert found.errors == {}
    assert names(found, index.returned.chunks) == "dac"
    passages = index.returned.chunks
    assert [passages.text(n) for n in found.chunk[0]] == [TEXTS[3], TEXTS[0], TEXTS[2]]
    assert all(method in {"HEAD", "GET", "POST"} for method, *_ in kept.requests)
    assert not any("_bulk" in path for _, path, *_ in kept.requests)


def test_it_refuses_what_it_cannot_measure_or_may_not_replace(client, served):
    kept, url = served
    kept.indices["pages"] = {}
    for settings, told in (
        ({"search_index": "gone"}, "there is no index 'gone' to measure"),
        ({"search_index": "pages", "build": True}, "the index 'pages' exists"),
        ({"query": "{match:"}, "retriever.query: '{match:' is no JMESPath"),
    ):
        with pytest.raises(InputError, match=told):
            Foreign(client(url, **settings)).index(chunks())
    with pytest.raises(InputError, match="chunking=none makes none"):
        Foreign(client(url, build=True)).index(chunks(NoChunks()))
    assert kept.indices == {"pages": {}}


def test_a_server_that_is_away_is_unreachable(client):
    with pytest.raises(UnreachableError, match=r"retriever\.url: http://127\.0\.0\.1:1"):
        Foreign(client("http://127.0.0.1:1", retries=0)).index(chunks())


def test_the_key_is_sent(client, served):
    kept, url = served
    kept.indices["pages"] = {}
    Foreign(client(url, "pages", key="user:word")).index(chunks())
    assert kept.requests[0][3]["authorization"].startswith(("ApiKey", "Basic"))

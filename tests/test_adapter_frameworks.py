"""Retrievers of LangChain, LlamaIndex and Haystack, in memory and in stores that they know."""

import engines
import numpy as np
import pytest
from tiny import ask, chunks_of, names

from rageval.chunking.nothing import NoChunks
from rageval.config.build import build_retriever
from rageval.errors import InputError
from rageval.retrieval.ids.fields import MetadataFields
from rageval.retrieval.retrievers.foreign import Foreign

CHUNKS = chunks_of(*engines.TEXTS, groups=engines.SECRET, chunker=NoChunks())
# Each framework holds the first half of every text: passages that no chunking of ours would make.
PARTS = [text[: len(text) // 2] for text in engines.TEXTS]


def searched(retriever, question, ids="source", groups=(), depth=9):
    index = Foreign(retriever, ids=MetadataFields(ids)).index(CHUNKS)
    return index, ask(index, CHUNKS, question, depth=depth, groups=groups)


def finds_and_filters(retriever, ids="source"):
    """Ask for a public and for a restricted passage, with and without rights."""
    index, found = searched(retriever, PARTS[1], ids)
    assert found.errors == {}
    passages = index.returned.chunks
    assert passages.text(int(found.chunk[0, 0])) == PARTS[1]
    assert set(names(found, passages)) <= set("abc")
    index, found = searched(retriever, PARTS[3], ids, groups=["hr"])
    assert index.returned.chunks.text(int(found.chunk[0, 0])) == PARTS[3]
    index, found = searched(retriever, PARTS[3], ids, depth=1)
    assert set(names(found, index.returned.chunks)) <= set("abc")
    return found


def fixed(texts):
    return engines.Fixed().encode(list(texts)).astype(float).tolist()


@pytest.fixture
def langchain():
    pytest.importorskip("langchain_core", reason="extra: langchain")
    from langchain_core.embeddings import Embeddings

    class Letters(Embeddings):
        def embed_documents(self, texts):
            return fixed(texts)

        def embed_query(self, text):
            return fixed([text])[0]

    return Letters()


def metadata(number):
    name = "abcde"[number]
    return {"source": name, "acl": sorted(engines.SECRET.get(name, ["public"]))[0]}


def test_langchain_asks_a_retriever_with_a_filter(langchain):
    from langchain_core.vectorstores import InMemoryVectorStore

    from rageval.retrieval.adapters.langchain import LangChain

    store = InMemoryVectorStore(langchain)
    store.add_texts(PARTS, metadatas=[metadata(n) for n in range(5)])

    def asked(limit, groups):
        allowed = {"public", *groups}
        return store.as_retriever(
            search_kwargs={"k": limit, "filter": lambda d: d.metadata["acl"] in allowed}
        )

    found = finds_and_filters(LangChain(asked))
    assert np.isnan(found.score[0, 0])  # a retriever of LangChain gives an order alone


def test_langchain_asks_a_faiss_store_for_its_scores(langchain):
    pytest.importorskip("faiss", reason="faiss-cpu")
    community = pytest.importorskip(
        "langchain_community.vectorstores", reason="langchain-community"
    )
    from langchain_community.vectorstores.utils import DistanceStrategy

    from rageval.retrieval.adapters.langchain import LangChain

    store = community.FAISS.from_texts(
        PARTS, langchain, metadatas=[metadata(n) for n in range(5)],
        distance_strategy=DistanceStrategy.MAX_INNER_PRODUCT,
        relevance_score_fn=lambda score: float(score),
    )  # fmt: skip
    index, found = searched(LangChain(store), PARTS[2])
    assert index.returned.chunks.text(int(found.chunk[0, 0])) == PARTS[2]
    assert found.score[0, 0] == pytest.approx(1.0, abs=1e-4)
    assert (np.diff(found.score[0]) <= 0).all()
    assert set("de") <= set(names(found, index.returned.chunks))  # unfiltered: leaks to be counted


def test_langchain_asks_chroma(langchain):
    chromadb = pytest.importorskip("chromadb", reason="chromadb")
    from langchain_core.documents import Document
    from langchain_core.runnables import RunnableLambda

    from rageval.retrieval.adapters.langchain import LangChain

    collection = chromadb.EphemeralClient().create_collection("pages", embedding_function=None)
    collection.add(ids=list("abcde"), embeddings=fixed(PARTS), documents=PARTS,
                   metadatas=[metadata(n) for n in range(5)])  # fmt: skip

    def asked(limit, groups):
        def search(question):
            rows = collection.query(query_embeddings=fixed([question]), n_results=limit,
                                    where={"acl": {"$in": ["public", *groups]}})  # fmt: skip
            columns = (rows["documents"][0], rows["metadatas"][0])
            return [Document(text, metadata=more) for text, more in zip(*columns, strict=True)]

        return RunnableLambda(search)

    finds_and_filters(LangChain(asked))


def test_llama_index_asks_a_retriever_with_a_filter():
    pytest.importorskip("llama_index.core", reason="extra: llama-index")
    from llama_index.core import VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.schema import TextNode
    from llama_index.core.vector_stores import FilterOperator, MetadataFilter, MetadataFilters

    from rageval.retrieval.adapters.llama_index import LlamaIndex

    class Letters(BaseEmbedding):
        def _get_text_embedding(self, text):
            return fixed([text])[0]

        _get_query_embedding = _get_text_embedding

        async def _aget_query_embedding(self, query):
            return fixed([query])[0]

    nodes = [
        TextNode(text=text, metadata={**metadata(n), "file_name": "abcde"[n]},
                 excluded_embed_metadata_keys=["source", "acl", "file_name"])
        for n, text in enumerate(PARTS)
    ]  # fmt: skip
    index = VectorStoreIndex(nodes, embed_model=Letters())

    def asked(limit, groups):
        allowed = MetadataFilter(key="acl", value=["public", *groups], operator=FilterOperator.IN)
        return index.as_retriever(
            similarity_top_k=limit, filters=MetadataFilters(filters=[allowed])
        )

    found = finds_and_filters(LlamaIndex(asked), "file_name || doc_id")
    assert 0 < found.score[0, 0] <= 1


def test_llama_index_says_where_a_node_stands():
    schema = pytest.importorskip("llama_index.core.schema", reason="extra: llama-index")
    from rageval.retrieval.adapters.llama_index import LlamaIndex

    class Always:
        def retrieve(self, question):
            node = schema.TextNode(text="oil pump", start_char_idx=4, end_char_idx=12)
            node.relationships[schema.NodeRelationship.SOURCE] = schema.RelatedNodeInfo(node_id="a")
            return [schema.NodeWithScore(node=node, score=0.5)]

    ids = MetadataFields("doc_id", start="start", end="end")
    index = Foreign(LlamaIndex(Always()), ids=ids).index(CHUNKS)
    found = ask(index, CHUNKS, "x")
    assert (
        index.returned.chunks.text(int(found.chunk[0, 0])) == engines.TEXTS[0][4:12] == "oil pump"
    )


@pytest.fixture
def haystack():
    pytest.importorskip("haystack", reason="extra: haystack")
    from haystack import Document
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    store = InMemoryDocumentStore()
    store.write_documents([
        Document(content=text, meta={**metadata(n), "file_path": "abcde"[n]})
        for n, text in enumerate(PARTS)
    ])  # fmt: skip
    return store


def allowed_to(groups):
    return {"field": "meta.acl", "operator": "in", "value": ["public", *groups]}


def test_haystack_asks_a_retriever_with_a_filter(haystack):
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever

    from rageval.retrieval.adapters.haystack import Haystack

    def asked(limit, groups):
        return InMemoryBM25Retriever(haystack, top_k=limit, filters=allowed_to(groups))

    found = finds_and_filters(Haystack(asked), "file_path")
    assert found.score[0, 0] > 0


def test_haystack_runs_a_pipeline(haystack):
    from haystack import Pipeline
    from haystack.components.joiners import DocumentJoiner
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever

    from rageval.retrieval.adapters.haystack import Haystack

    def asked(limit, groups):
        pipeline = Pipeline()
        one = InMemoryBM25Retriever(haystack, top_k=limit, filters=allowed_to(groups))
        pipeline.add_component("words", one)
        pipeline.add_component("joined", DocumentJoiner(top_k=limit))
        pipeline.connect("words", "joined")
        return pipeline

    finds_and_filters(Haystack(asked, query="words.query"), "file_path")
    _, found = searched(Haystack(asked, query="words.query", output="nothing"), "x", "file_path")
    assert "components that return documents: joined" in found.errors[0].sentence


def test_what_a_users_function_raises_is_said_before_the_first_question(monkeypatch, tmp_path):
    pytest.importorskip("haystack", reason="extra: haystack")
    (tmp_path / "broken_source.py").write_text("def make():\n    raise ValueError('no store')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    node = {
        "_target_": "rageval.retrieval.adapters.haystack.Haystack",
        "source": {"_target_": "broken_source.make"},
    }
    with pytest.raises(InputError, match="retriever.source: ValueError: no store"):
        build_retriever(node, "retriever")

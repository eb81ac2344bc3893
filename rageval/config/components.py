"""The components of ours that a stored configuration may build, and how a class is checked."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from hydra.utils import get_object

_OURS = "rageval."
# By module and qualified name. Nothing else below rageval is built from what a store holds.
COMPONENTS = frozenset(
    f"{_OURS}{name}"
    for name in (
        "chunking.fixed.FixedSize",
        "chunking.heading.Headings",
        "chunking.nothing.NoChunks",
        "chunking.recursive.Recursive",
        "chunking.sentence.Sentences",
        "chunking.whole.WholeDocument",
        "formats.adr.golden.AdrGolden",
        "formats.autorag.corpus.AutoragCorpus",
        "formats.autorag.golden.AutoragGolden",
        "formats.beir.corpus.BeirCorpus",
        "formats.beir.golden.BeirGolden",
        "formats.canonical.documents.LabelledDocuments",
        "formats.canonical.golden.GoldenFile",
        "formats.chroma.golden.ChromaGolden",
        "formats.deepeval.golden.DeepEvalGolden",
        "formats.documents.folder.DocumentFolder",
        "formats.haystack.golden.HaystackGolden",
        "formats.llama_index.corpus.LlamaIndexCorpus",
        "formats.llama_index.golden.LlamaIndexGolden",
        "formats.mapped.corpus.MappedCorpus",
        "formats.mapped.golden.MappedGolden",
        "formats.markdown.corpus.MarkdownFolder",
        "formats.ragas.golden.RagasGolden",
        "formats.squad.corpus.SquadCorpus",
        "formats.squad.golden.SquadGolden",
        "formats.table.golden.TableGolden",
        "formats.trec.golden.TrecGolden",
        "formats.trec.ids.JudgedQueries",
        "formats.trec.ids.RunDocuments",
        "formats.trec.rankings.Rankings",
        "formats.trec.replay.RunFile",
        "golden.access.AccessFile",
        "golden.access.PublicOnly",
        "retrieval.adapters.command.Command",
        "retrieval.adapters.http.HttpService",
        "retrieval.adapters.elasticsearch.Elasticsearch",
        "retrieval.adapters.haystack.Haystack",
        "retrieval.adapters.langchain.LangChain",
        "retrieval.adapters.llama_index.LlamaIndex",
        "retrieval.adapters.lancedb.LanceDb",
        "retrieval.adapters.opensearch.OpenSearch",
        "retrieval.adapters.postgres.Postgres",
        "retrieval.adapters.qdrant.Qdrant",
        "retrieval.analysis.Analyser",
        "retrieval.encoders.fastembed.FastEmbed",
        "retrieval.encoders.lsa.Lsa",
        "retrieval.encoders.model2vec.Model2Vec",
        "retrieval.encoders.openai_http.OpenAiEncoder",
        "retrieval.encoders.sentence_transformers.SentenceTransformers",
        "retrieval.encoders.wordllama.WordLlama",
        "retrieval.ids.fields.MetadataFields",
        "retrieval.ids.file.IdFile",
        "retrieval.ids.pattern.IdPattern",
        "retrieval.ids.sql.IdQuery",
        "retrieval.rerankers.lexical.LexicalReranker",
        "retrieval.rerankers.library.RerankersLibrary",
        "retrieval.retrievers.bm25.Bm25",
        "retrieval.retrievers.dense.Dense",
        "retrieval.retrievers.hybrid.Hybrid",
        "retrieval.retrievers.reranked.Reranked",
        "retrieval.retrievers.tfidf.TfIdf",
        "retrieval.rewriting.JoinTurns",
        "split.split.Split",
    )
)


def extras(node: Any) -> tuple[str, ...]:  # noqa: ANN401  any JSON value
    """Return the extras of rageval that bring the packages of the components below a node.

    Examples
    --------
    >>> extras({"encoder": {"_target_": "rageval.retrieval.encoders.wordllama.WordLlama"}})
    ('wordllama',)
    """
    ours = [target for target in _targets(node) if target in COMPONENTS]
    found = {getattr(get_object(target), "extra", None) for target in ours}
    return tuple(sorted(extra for extra in found if extra is not None))


def foreign(node: Any, allow: tuple[str, ...]) -> list[str]:  # noqa: ANN401  any JSON value
    """Return every `_target_` below a node that is neither a component of ours nor allowed.

    `allow` holds what the names of a user's classes may begin with. Nothing is imported that is not
    named by either.
    """
    return [str(target) for target in _targets(node) if not _may_be_built(target, allow)]


def _may_be_built(target: Any, allow: tuple[str, ...]) -> bool:  # noqa: ANN401  any JSON value
    """Say whether a class is an allowed one, by its name and by where it is really defined.

    `rageval.gate.decision.subprocess.Popen` would begin well, and is no class of ours.
    """
    if not isinstance(target, str):
        return False
    if target not in COMPONENTS and (target.startswith(_OURS) or not target.startswith(allow)):
        return False
    try:
        found = get_object(target)
    except ImportError:
        return target not in COMPONENTS  # building it reports that it is not there
    except (ValueError, AttributeError):
        return False
    if not inspect.isclass(found) and not inspect.isfunction(found):
        return False
    real = f"{found.__module__}.{found.__qualname__}"
    if target in COMPONENTS:
        return real == target
    return real.startswith(allow) and not real.startswith(_OURS)


def _targets(node: Any) -> Iterator[Any]:  # noqa: ANN401  any JSON value
    if isinstance(node, Mapping):
        if "_target_" in node:
            yield node["_target_"]
        for value in node.values():
            yield from _targets(value)
    elif isinstance(node, list | tuple):
        for value in node:
            yield from _targets(value)

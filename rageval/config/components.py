"""The components of ours that a stored configuration may build, and how a class is checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hydra.utils import get_class

_OURS = "rageval."
# By module and qualified name. Nothing else below rageval is built from what a store holds.
COMPONENTS = frozenset(
    f"{_OURS}{name}"
    for name in (
        "analysis.Analyser",
        "chunking.fixed.FixedSize",
        "chunking.heading.Headings",
        "chunking.recursive.Recursive",
        "chunking.sentence.Sentences",
        "chunking.whole.WholeDocument",
        "corpus.autorag.AutoragCorpus",
        "corpus.beir.BeirCorpus",
        "corpus.llama_index.LlamaIndexCorpus",
        "corpus.markdown.MarkdownFolder",
        "corpus.squad.SquadCorpus",
        "encoders.lsa.Lsa",
        "encoders.model2vec.Model2Vec",
        "encoders.sentence_transformers.SentenceTransformers",
        "encoders.wordllama.WordLlama",
        "formats.documents.folder.DocumentFolder",
        "formats.mapped.corpus.MappedCorpus",
        "formats.mapped.golden.MappedGolden",
        "formats.trec.ids.JudgedQueries",
        "formats.trec.ids.RunDocuments",
        "formats.trec.rankings.Rankings",
        "golden.access.AccessFile",
        "golden.access.PublicOnly",
        "golden.adr.AdrGolden",
        "golden.autorag.AutoragGolden",
        "golden.beir.BeirGolden",
        "golden.canonical.GoldenFile",
        "golden.chroma.ChromaGolden",
        "golden.deepeval.DeepEvalGolden",
        "golden.haystack.HaystackGolden",
        "golden.llama_index.LlamaIndexGolden",
        "golden.ragas.RagasGolden",
        "golden.squad.SquadGolden",
        "golden.table.TableGolden",
        "golden.trec.TrecGolden",
        "retrievers.bm25.Bm25",
        "retrievers.dense.Dense",
        "retrievers.hybrid.Hybrid",
        "retrievers.tfidf.TfIdf",
        "rewriting.JoinTurns",
        "split.Split",
        "trec.replay.RunFile",
    )
)


def foreign(node: Any, allow: tuple[str, ...]) -> list[str]:  # noqa: ANN401  any JSON value
    """Return every `_target_` below a node that is neither a component of ours nor allowed.

    `allow` holds what the names of a user's classes may begin with. Nothing is imported that is not
    named by either.
    """
    return [str(target) for target in _targets(node) if not _may_be_built(target, allow)]


def _may_be_built(target: Any, allow: tuple[str, ...]) -> bool:  # noqa: ANN401  any JSON value
    """Say whether a class is an allowed one, by its name and by where it is really defined.

    `rageval.provenance.working_copy.subprocess.Popen` begins well, but is no class of ours.
    """
    if not isinstance(target, str):
        return False
    if target not in COMPONENTS and (target.startswith(_OURS) or not target.startswith(allow)):
        return False
    try:
        found = get_class(target)
    except ImportError:
        return target not in COMPONENTS  # whoever builds it reports that it is not there
    except (ValueError, AttributeError):
        return False  # no class at all
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

"""Where the components of ours stood before version 0.2.0.

Stored configurations and YAML files of users name them so. In digests the earlier name stands: a
class that moved is the class that was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_OURS = "rageval."
# Module below rageval before → now. A class keeps its own name.
_MOVED = {
    "analysis": "retrieval.analysis",
    "corpus.autorag": "formats.autorag.corpus",
    "corpus.beir": "formats.beir.corpus",
    "corpus.llama_index": "formats.llama_index.corpus",
    "corpus.markdown": "formats.markdown.corpus",
    "corpus.squad": "formats.squad.corpus",
    "encoders.lsa": "retrieval.encoders.lsa",
    "encoders.model2vec": "retrieval.encoders.model2vec",
    "encoders.sentence_transformers": "retrieval.encoders.sentence_transformers",
    "encoders.wordllama": "retrieval.encoders.wordllama",
    "golden.adr": "formats.adr.golden",
    "golden.autorag": "formats.autorag.golden",
    "golden.beir": "formats.beir.golden",
    "golden.canonical": "formats.canonical.golden",
    "golden.chroma": "formats.chroma.golden",
    "golden.deepeval": "formats.deepeval.golden",
    "golden.haystack": "formats.haystack.golden",
    "golden.llama_index": "formats.llama_index.golden",
    "golden.ragas": "formats.ragas.golden",
    "golden.squad": "formats.squad.golden",
    "golden.table": "formats.table.golden",
    "golden.trec": "formats.trec.golden",
    "retrievers.bm25": "retrieval.retrievers.bm25",
    "retrievers.dense": "retrieval.retrievers.dense",
    "retrievers.hybrid": "retrieval.retrievers.hybrid",
    "retrievers.tfidf": "retrieval.retrievers.tfidf",
    "rewriting": "retrieval.rewriting",
    "split": "split.split",
    "trec.replay": "formats.trec.replay",
}
_BEFORE = {now: before for before, now in _MOVED.items()}


def current_name(target: str) -> str:
    """Return where a class stands now.

    Examples
    --------
    >>> current_name("rageval.retrievers.bm25.Bm25"), current_name("mine.Own")
    ('rageval.retrieval.retrievers.bm25.Bm25', 'mine.Own')
    """
    return _renamed(target, _MOVED)


def first_name(target: str) -> str:
    """Return where a class stood when it was first measured.

    Examples
    --------
    >>> first_name("rageval.retrieval.retrievers.bm25.Bm25"), first_name("mine.Own")
    ('rageval.retrievers.bm25.Bm25', 'mine.Own')
    """
    return _renamed(target, _BEFORE)


def with_current_names(node: Any) -> Any:  # noqa: ANN401  any JSON value
    """Return a node of a configuration whose every `_target_` is where its class stands now."""
    if isinstance(node, Mapping):
        return {
            key: current_name(value)
            if key == "_target_" and isinstance(value, str)
            else with_current_names(value)
            for key, value in node.items()
        }
    return [with_current_names(value) for value in node] if isinstance(node, list) else node


def _renamed(target: str, names: Mapping[str, str]) -> str:
    module, _, name = target.removeprefix(_OURS).rpartition(".")
    ours = target.startswith(_OURS) and module in names
    return f"{_OURS}{names[module]}.{name}" if ours else target

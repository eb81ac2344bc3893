"""Measure retrieval alone: tracked, reproducible, paired comparisons that can fail a build.

The library needs no configuration, no tracking store and no files::

    data = rageval.load_dataset("docs", "golden.yaml")
    before = rageval.evaluate(my_search, data, k=6, measures=["nDCG@10", "R@20"])
    after = rageval.evaluate(my_new_search, data, k=6, measures=["nDCG@10", "R@20"])
    print(rageval.compare([before, after]))
    assert rageval.decide(after, before, {"max_drop": {"all": {"recall": 0.05}}}).passed
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rageval.version import __version__ as __version__

if TYPE_CHECKING:
    from rageval.comparison.changes import Comparison as Comparison
    from rageval.corpus.document import Document as Document
    from rageval.errors import InputError as InputError
    from rageval.errors import RagevalError as RagevalError
    from rageval.errors import UnreachableError as UnreachableError
    from rageval.evaluation.run_file import Scored as Scored
    from rageval.evaluation.run_file import score as score
    from rageval.evaluation.subsets import Summary as Summary
    from rageval.gate.verdict import Verdict as Verdict
    from rageval.library.comparing import Comparisons as Comparisons
    from rageval.library.comparing import compare as compare
    from rageval.library.dataset import Dataset as Dataset
    from rageval.library.dataset import load_dataset as load_dataset
    from rageval.library.deciding import decide as decide
    from rageval.library.evaluating import EvaluationResult as EvaluationResult
    from rageval.library.evaluating import evaluate as evaluate
    from rageval.measures.measure import Measure as Measure
    from rageval.measures.measure import OwnMeasure as OwnMeasure
    from rageval.retrieval.retrievers.foreign import SingleRetriever as Retriever

# Where each public name is defined. A name is loaded when it is asked for, so that importing the
# package alone costs nothing.
_PUBLIC = {
    "Comparison": "rageval.comparison.changes",
    "Comparisons": "rageval.library.comparing",
    "Dataset": "rageval.library.dataset",
    "Document": "rageval.corpus.document",
    "EvaluationResult": "rageval.library.evaluating",
    "InputError": "rageval.errors",
    "Measure": "rageval.measures.measure",
    "OwnMeasure": "rageval.measures.measure",
    "RagevalError": "rageval.errors",
    "Retriever": "rageval.retrieval.retrievers.foreign:SingleRetriever",
    "Scored": "rageval.evaluation.run_file",
    "Summary": "rageval.evaluation.subsets",
    "UnreachableError": "rageval.errors",
    "Verdict": "rageval.gate.verdict",
    "compare": "rageval.library.comparing",
    "decide": "rageval.library.deciding",
    "evaluate": "rageval.library.evaluating",
    "load_dataset": "rageval.library.dataset",
    "score": "rageval.evaluation.run_file",
}

__all__ = [
    "Comparison",
    "Comparisons",
    "Dataset",
    "Document",
    "EvaluationResult",
    "InputError",
    "Measure",
    "OwnMeasure",
    "RagevalError",
    "Retriever",
    "Scored",
    "Summary",
    "UnreachableError",
    "Verdict",
    "__version__",
    "compare",
    "decide",
    "evaluate",
    "load_dataset",
    "score",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401  whatever is asked for
    if name not in _PUBLIC:
        raise AttributeError(f"module 'rageval' has no attribute {name!r}")
    module, _, attribute = _PUBLIC[name].partition(":")
    return getattr(import_module(module), attribute or name)


def __dir__() -> list[str]:
    return sorted(__all__)

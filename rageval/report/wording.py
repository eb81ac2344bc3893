"""How retrieval and what fell short are put in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from rageval.evaluation.evaluation import Evaluation
from rageval.measures.catalogue import catalogue
from rageval.retrieval.window import Window

_LISTED = 5  # questions named in a note


def retrieval(choices: Mapping[str, str], window: Window) -> str:
    """Return a variant in words: `hybrid (lsa), heading, k=6`.

    Examples
    --------
    >>> retrieval({"retriever": "bm25", "chunking": "fixed"}, Window(k=6, min_score=0.1, depth=40))
    'bm25, fixed, k=6, floor 0.1'
    """
    encoder = f" ({choices['encoder']})" if choices["retriever"] in {"dense", "hybrid"} else ""
    words = [f"{choices['retriever']}{encoder}", choices["chunking"], f"k={window.k}"]
    if window.min_score is not None:
        words.append(f"floor {window.min_score:g}")
    if window.per_document is not None:
        words.append(f"≤ {window.per_document} a document")
    return ", ".join(words)


def notes(evaluation: Evaluation) -> Iterator[str]:
    """Yield what fell short, as sentences."""
    lost = dict.fromkeys(evaluation.questions[row].id for row, _ in evaluation.qrels.unsupported)
    if lost:
        questions = _counted(len(lost), "question")
        yield (
            f"{questions} whose evidence no chunk covers (below judging.min_overlap): {_some(lost)}"
        )
    yield from leaks(evaluation)
    if evaluation.retrieved.short:
        deepest = evaluation.benchmark.cutoffs.deepest
        rankings = _counted(evaluation.retrieved.short, "ranking")
        yield (
            f"{rankings} with fewer than the {deepest} documents that measures look at: the "
            "retriever or the floor gave no more"
        )
    yield from ties(evaluation)


def leaks(evaluation: Evaluation) -> Iterator[str]:
    """Yield which documents came back to whom although they may not see them."""
    corpus, candidates = evaluation.chunks.corpus, evaluation.retrieved.candidates.chunk
    for row in np.flatnonzero(evaluation.retrieved.leaks).tolist():
        chunks = candidates[row][candidates[row] >= 0]
        numbers = dict.fromkeys(evaluation.chunks.document[chunks].tolist())
        groups = evaluation.grounds.groups[row]
        found = [corpus[n].id for n in numbers if not corpus[n].visible_to(groups)]
        question = evaluation.questions[row]
        who = "nobody in particular" if question.asker is None else question.asker
        yield (
            f"leak: {question.id}, asked by {who}, got {', '.join(found)}; the retriever must "
            "filter by the groups of the asker, inside the search"
        )


def ties(evaluation: Evaluation) -> Iterator[str]:
    """Yield what ties decide, a sentence for each measure."""
    headings = {
        measure.name: measure.heading for measure in catalogue(evaluation.benchmark.cutoffs)
    }
    for name, found in evaluation.undecided.items():
        value, expected, low, high = (
            values.mean() or 0.0
            for values in (evaluation.values[name], found.expected, found.low, found.high)
        )
        questions = _counted(int(found.rows.sum()), "question")
        yield (
            f"equal scores decide {headings[name]} of {questions}: {value:.3f} by a hash of the "
            f"ids, {expected:.3f} expected over all orders, {low:.3f} to {high:.3f}"
        )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number > 1 else ''}"


def _some(names: Mapping[str, object]) -> str:
    listed = list(names)
    more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
    return ", ".join(listed[:_LISTED]) + more

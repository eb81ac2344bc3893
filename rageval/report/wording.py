"""How retrieval and what fell short are put in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from rageval.evaluation.evaluation import Evaluation
from rageval.evaluation.noise import AskedTwice, Repeats
from rageval.retrieval.window import Window

_LISTED = 5  # questions named in a note
_ANY = "custom"  # conf/retriever/custom.yaml takes any class
_ENCODING = frozenset({"dense", "hybrid", "lancedb", "pgvector", "qdrant"})
_SHOWN = 3  # passages shown in a note


def retrieval(choices: Mapping[str, str], window: Window, retriever: object = None) -> str:
    """Return a variant in words: `hybrid (lsa), heading, k=6`.

    A `retriever` of the user's own is called what it is called (see `title`).

    Examples
    --------
    >>> retrieval({"retriever": "bm25", "chunking": "fixed"}, Window(k=6, min_score=0.1, depth=40))
    'bm25, fixed, k=6, floor 0.1'
    """
    named = title(choices["retriever"], retriever)
    words = [f"{named}{_parts(choices)}", choices["chunking"], f"k={window.k}"]
    if window.min_score is not None:
        words.append(f"floor {window.min_score:g}")
    if window.per_document is not None:
        words.append(f"≤ {window.per_document} a document")
    return ", ".join(words)


def _parts(choices: Mapping[str, str]) -> str:
    """Return what a retriever of ours is made of, in brackets.

    Examples
    --------
    >>> _parts({"retriever": "dense", "encoder": "lsa"}), _parts({"retriever": "bm25"})
    (' (lsa)', '')
    """
    if choices["retriever"] == "reranked":
        stages = ("retriever@retriever.first", "reranker@retriever.reranker")
        named = [choices[stage] for stage in stages if stage in choices]
        return f" ({' + '.join(named)})" if named else ""
    return f" ({choices['encoder']})" if choices["retriever"] in _ENCODING else ""


def title(choice: str, retriever: object) -> str:
    """Return what a retriever is called.

    Parameters
    ----------
    choice
        The file of conf/ that was chosen.
    retriever
        What was built from it. One of the user's own has a name of its own: `retriever.name`, or
        without a YAML of its own the name of its class.
    """
    named = getattr(retriever, "name", None)
    if isinstance(named, str):
        return named
    own = str(getattr(retriever, "title", choice))
    return own if choice == _ANY else choice


def notes(evaluation: Evaluation) -> Iterator[str]:
    """Yield what fell short, as sentences."""
    lost = dict.fromkeys(evaluation.questions[row].id for row, _ in evaluation.qrels.unsupported)
    if lost and evaluation.chunks.complete:
        questions = _counted(len(lost), "question")
        yield (
            f"{questions} whose evidence no chunk covers (below judging.min_overlap): {_some(lost)}"
        )
    yield from leaks(evaluation)
    if evaluation.retrieved.short:
        deepest = min(evaluation.benchmark.cutoffs.deepest, len(evaluation.chunks.corpus))
        rankings = _counted(evaluation.retrieved.short, "ranking")
        yield (
            f"{rankings} with fewer than the {deepest} documents that measures look at: the "
            "retriever or the floor gave no more"
        )
    yield from _unlocated(evaluation)
    yield from ties(evaluation)


def _unlocated(evaluation: Evaluation) -> Iterator[str]:
    """Yield what came back and could not be located in the corpus, or not at one place."""
    retrieved = evaluation.retrieved
    lost = unmatched(evaluation)
    if lost:
        questions = _counted(len({row for row, _, _ in lost}), "question")
        shown = dict.fromkeys(told for _, _, told in lost)
        more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
        yield (
            f"{_counted(len(lost), 'passage')} returned for {questions} could not be found in the "
            f"corpus and count as not relevant: {'; '.join(list(shown)[:_SHOWN])}{more}"
        )
    if retrieved.several:
        passages = _counted(len(retrieved.several), "passage")
        yield (
            f"the text of {passages} stands at several places of the corpus, of which the first "
            "counts; return the document or the characters, too"
        )


def unmatched(evaluation: Evaluation) -> list[tuple[int, int, str]]:
    """Return the candidates that the corpus lacks: question's row, rank, what it is and why."""
    lost, candidates = evaluation.retrieved.unlocated, evaluation.retrieved.candidates.chunk
    if not lost:
        return []
    rows, places = np.nonzero(np.isin(candidates, list(lost)))
    pairs = zip(rows.tolist(), places.tolist(), strict=True)
    return [(row, place + 1, lost[int(candidates[row, place])]) for row, place in pairs]


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


def noise_notes(
    evaluation: Evaluation, twice: AskedTwice | None, repeats: Repeats | None
) -> Iterator[str]:
    """Yield what asking again has shown, as sentences."""
    if twice is not None and twice.differing:
        names = {evaluation.questions[row].id: None for row in twice.differing}
        yield (
            f"asked twice, {len(names)} of {_counted(len(twice.asked), 'question')} got another "
            f"window: {_some(names)}; repeats=3 measures how far that moves the values"
        )
    if repeats is not None:
        headings = {m.name: m.heading for m in evaluation.measures}
        moved = [
            f"{headings[name]} {means.min():.3f} to {means.max():.3f} "
            f"(sd {repeats.deviation(name):.3f})"
            for name in repeats.values
            if np.ptp(means := repeats.means(name)) > 0
        ]
        told = "; ".join(moved) or "every mean is the same"
        yield (
            f"indexed and asked {repeats.number} times, of which the first is scored: values of "
            f"{_counted(len(repeats.moving), 'question')} move; {told}"
        )


def ties(evaluation: Evaluation) -> Iterator[str]:
    """Yield what ties decide, a sentence for each measure."""
    headings = {measure.name: measure.heading for measure in evaluation.measures}
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
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _some(names: Mapping[str, object]) -> str:
    listed = list(names)
    more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
    return ", ".join(listed[:_LISTED]) + more

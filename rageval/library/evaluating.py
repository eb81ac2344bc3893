"""Measuring a retriever on a dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from pydantic import ValidationError

from rageval.chunking.chunks import Chunker
from rageval.chunking.heading import Headings
from rageval.comparison import result as results
from rageval.comparison.result import Result
from rageval.errors import InputError
from rageval.evaluation.evaluation import Evaluation
from rageval.evaluation.evaluation import evaluate as evaluate_pipeline
from rageval.evaluation.judgements import Benchmark
from rageval.evaluation.provenance.benchmark import Judging, facts_of, fingerprint
from rageval.evaluation.subsets import Summary
from rageval.library.dataset import Dataset
from rageval.library.retrievers import as_retriever, name_of
from rageval.library.tables import Tabular
from rageval.measures.catalogue import Cutoffs, kind_and_cutoff, measure_named
from rageval.measures.measure import Measure, OwnMeasure
from rageval.measures.standard import parse
from rageval.report.tables import questions as question_table
from rageval.report.wording import notes
from rageval.retrieval.pipeline import Parts, Pipeline
from rageval.retrieval.rewriting import JoinTurns
from rageval.retrieval.window import Window, default_depth
from rageval.schema.fields import Record
from rageval.schema.fingerprint import digest
from rageval.schema.validation import sentences

if TYPE_CHECKING:
    from pandas import DataFrame

R = TypeVar("R", bound=Record)
MIN_OVERLAP = 0.5  # of a chunk and a span, for the one to support the other; the program's default


@dataclass(frozen=True, eq=False)
class EvaluationResult:
    """What a retriever is worth on a dataset.

    Parameters
    ----------
    name
        What the retriever is called.
    evaluation
        Every ranking and every value, as arrays.
    result
        The same as rows, one a question: what `compare` and `decide` read.
    asked
        The measures that the caller named, in that order; all of them if none were named.
    """

    name: str
    evaluation: Evaluation
    result: Result
    asked: tuple[str, ...]
    facts: Mapping[str, object]  # what the benchmark is named by

    def __getitem__(self, measure: str) -> float | None:
        """Return the mean of a measure over all questions; None if it applies to none.

        Any of its names will do: `hit_rate_at_3`, `hit@3`, `nDCG@10`.

        Raises
        ------
        KeyError
            If it was not taken.
        """
        return self.summary(measure).value

    def summary(self, measure: str, subset: str = "all") -> Summary:
        """Return a measure over a subset: n, value and 95 % interval.

        Raises
        ------
        KeyError
            If the measure was not taken, or there is no such subset.
        """
        key = key_of(measure)
        if key not in self.evaluation.values:
            taken = ", ".join(self.evaluation.values)
            raise KeyError(f"{measure!r} was not taken; choose from: {taken}")
        if subset not in self.evaluation.members:
            there = ", ".join(self.evaluation.members)
            raise KeyError(f"there is no subset {subset!r}; choose from: {there}")
        return self.evaluation.summary(subset, key)

    def values(self, measure: str) -> dict[str, float | None]:
        """Return a measure's value for each question; None where it does not apply."""
        key = key_of(measure)
        return {name: row.values[key] for name, row in self.result.rows.items()}

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Return the measures that were taken."""
        return self.evaluation.measures

    @property
    def errors(self) -> int:
        """Return the number of questions on which the retriever failed."""
        return self.evaluation.errors

    @property
    def leaks(self) -> int:
        """Return the number of candidates that their asker may not see."""
        return self.evaluation.leaks

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What fell short, as sentences."""
        return tuple(notes(self.evaluation))

    def by(self, kind: str) -> Tabular:
        """Return the measures over the subsets of a kind: form, class, tag, asker, answerable.

        Raises
        ------
        KeyError
            If no question has one.
        """
        names = [name for name in self.evaluation.members if name.startswith(f"{kind}.")]
        if not names:
            kinds = dict.fromkeys(name.partition(".")[0] for name in self.evaluation.members)
            there = ", ".join(name for name in kinds if name != "all")
            raise KeyError(f"no question has a {kind}; choose from: {there}")
        return self._table(["all", *names])

    def to_pandas(self) -> DataFrame:
        """Return one row a question, indexed by its id: ranks, measures, diagnosis, window."""
        import pandas as pd

        table = question_table(self.evaluation)
        return pd.DataFrame(list(table.data), columns=list(table.columns)).set_index("id")

    def _table(self, subsets: Sequence[str]) -> Tabular:
        shown = [m for m in self.measures if m.name in self.asked]
        sizes = self.evaluation.sizes
        rows = [
            [subset, sizes[subset], *(self.evaluation.summary(subset, m.name).value for m in shown)]
            for subset in subsets
        ]
        title = f"{self.result.dataset}: {self.name}"
        return Tabular(title, ("subset", "n", *(m.heading for m in shown)), tuple(map(tuple, rows)))

    def __str__(self) -> str:
        table = self._table(list(self.evaluation.members))
        last = f"errors {self.errors} · leaks {self.leaks}"
        told = [f"note: {note}" for note in self.notes]
        return "\n".join([str(table), "", *told, last])

    def __repr__(self) -> str:
        shown = [m for m in self.measures if m.name in self.asked][:4]
        values = ", ".join(f"{m.heading} {_short(self[m.name])}" for m in shown)
        return f"<EvaluationResult {self.name} on {self.result.dataset}: {values}>"

    def _repr_html_(self) -> str:
        return self._table(list(self.evaluation.members)).as_html()


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def evaluate(  # noqa: PLR0913  what a caller may want to choose, all by keyword
    retriever: object,
    dataset: Dataset,
    *,
    k: int = 6,
    measures: Sequence[str | OwnMeasure] | None = None,
    chunking: Chunker | None = None,
    min_score: float | None = None,
    per_document: int | None = None,
    depth: int | None = None,
    timeout: float | None = None,
    max_unmatched: int = 0,
    name: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> EvaluationResult:
    """Ask a retriever every question of a dataset and score what it returns.

    Parameters
    ----------
    retriever
        A function of a question (and of limit and groups, if it takes them), an object with
        `retrieve(question, limit, groups)`, or one of rageval's retrievers. It returns ids, (id,
        score) pairs, texts or spans, best first.
    dataset
        Documents and labelled questions; see `load_dataset`.
    k
        Chunks of the window: what would reach the model.
    measures
        What the summary shows: names of ours (`recall`, `hit@5`), names as ir_measures writes them
        (`nDCG@10`, `R@20`), or measures of your own. None shows ours.
    chunking
        How documents are cut; None cuts at headings.
    min_score, per_document
        Candidates below this score, and chunks of one document beyond this number, are dropped.
    depth
        Candidates asked for; None = 4 × the largest of `k` and the cutoffs.
    timeout
        Seconds that a question may take; None = any time.
    max_unmatched
        Passages of one answer that the documents may lack; more are an error of that question.
    name
        What the result is called; None takes the retriever's name.
    progress
        Is called with the number of questions that were asked since the last call.

    Returns
    -------
    EvaluationResult
        Prints a summary; `.to_pandas()` has one row a question, `.by("tag")` the subsets.

    Raises
    ------
    InputError
        If the retriever or a measure cannot be used.
    UnreachableError
        If the retriever's backend cannot be reached.

    Examples
    --------
    >>> from rageval import load_dataset
    >>> data = load_dataset(
    ...     {"leave": "Staff get 25 days.", "travel": "Book by rail."},
    ...     [{"id": "q1", "question": "How many days off?", "expected": ["leave"]}],
    ... )
    >>> result = evaluate(lambda question: ["travel", "leave"], data, measures=["hit@1", "RR"])
    >>> result["hit@1"], result["RR"]
    (0.0, 0.5)
    """
    cutoffs, own, asked = _measures(measures)
    asking = as_retriever(retriever, timeout, max_unmatched)
    chunker = Headings() if chunking is None else chunking
    labels = dataset.labels
    window = _checked(
        Window,
        k=k,
        min_score=min_score,
        per_document=per_document,
        depth=1 if depth is None else depth,
    )
    if depth is None:
        window = window.model_copy(update={"depth": default_depth(window.k, cutoffs.deepest)})
    if window.depth < window.k:
        raise InputError(f"depth ({window.depth}) must not be below k ({window.k})")
    parts = Parts(chunker, asking, window, JoinTurns(), labels.access)
    benchmark = Benchmark(
        labels.golden.questions,
        tuple(labels.evidence),
        cutoffs,
        min_overlap=MIN_OVERLAP,
        own=own,
    )
    pipeline = Pipeline.build(labels.corpus, parts, lambda _: None)
    evaluation = evaluate_pipeline(pipeline, benchmark, progress or (lambda _: None))
    called = name or name_of(asking)
    facts = facts_of(
        labels.corpus,
        labels.golden,
        labels.access,
        Judging(
            cutoffs, benchmark.min_overlap, own={key: name_of(one) for key, one in own.items()}
        ),
    )
    found = _result(evaluation, called, labels.golden.name, fingerprint(facts))
    shown = asked or tuple(m.name for m in evaluation.measures if m.in_table)
    return EvaluationResult(called, evaluation, found, shown, facts)


def _result(evaluation: Evaluation, name: str, dataset: str, benchmark: str) -> Result:
    """Return the rows of an evaluation in the form in which runs keep them."""
    tags = {
        "set": dataset,
        "split": "dev",
        "benchmark": benchmark,
        "variant": digest([name, evaluation.chunks.digest]),
        "chunking": evaluation.chunks.digest,
        "retrieval": name,
    }
    table = question_table(evaluation).as_json()
    return results.result(name, {f"rageval.{key}": value for key, value in tags.items()}, table)


def _measures(
    named: Sequence[str | OwnMeasure] | None,
) -> tuple[Cutoffs, dict[str, OwnMeasure], tuple[str, ...]]:
    """Return what is taken, the measures of the user's own, and the keys that were named."""
    if named is None:
        return Cutoffs(), {}, ()
    if isinstance(named, str):
        named = [named]
    own: dict[str, OwnMeasure] = {}
    keys: list[str] = []
    for one in named:
        if isinstance(one, str):
            keys.append(key_of(one))
            continue
        if not isinstance(one, OwnMeasure):
            raise InputError(f"measures: {one!r} is neither a name nor has it values(rankings)")
        own[name_of(one).lower()] = one
        keys.append(f"own_{name_of(one).lower()}")
    return _cutoffs(keys, own), own, tuple(dict.fromkeys(keys))


def _cutoffs(keys: Iterable[str], own: Mapping[str, OwnMeasure]) -> Cutoffs:
    cuts = [(key, kind_and_cutoff(key)) for key in keys]
    hits = {cut[1] for _, cut in cuts if cut and cut[0] in ("hit_rate", "judged")}
    standard = [
        measure.standard
        for key, cut in cuts
        if (cut is None or cut[0] == "ndcg")
        and (measure := measure_named(key)) is not None
        and measure.standard
    ]
    nodes = {key: {"_target_": type(one).__qualname__} for key, one in own.items()}
    return _checked(
        Cutoffs,
        hit_at=tuple(sorted(hits or {1, 3})),
        standard=tuple(dict.fromkeys(standard)),
        own=nodes,
    )


def _checked(record: type[R], **given: object) -> R:
    """Return a record of what a caller gave.

    Raises
    ------
    InputError
        If a value is of a wrong type or out of range.
    """
    try:
        return record(**given)
    except ValidationError as fault:
        raise InputError.of(sentences(fault, "", record)) from fault


def key_of(name: str) -> str:
    """Return the key of a measure from any of its names.

    Raises
    ------
    InputError
        If there is none of that name.

    Examples
    --------
    >>> key_of("hit@3"), key_of("recall"), key_of("nDCG@10"), key_of("R@20")
    ('hit_rate_at_3', 'recall', 'ndcg_at_10', 'r_at_20')
    """
    kind, at, cutoff = name.partition("@")
    if at and kind in _OURS and cutoff.isdigit():
        return f"{_OURS[kind]}_at_{int(cutoff)}"
    if measure_named(name) is not None:
        return name
    try:
        return parse(name).key
    except ValueError as fault:
        raise InputError(f"measures: {fault}; or ours: hit@k, recall, mrr, precision, …") from fault


_OURS = {"hit": "hit_rate", "judged": "judged"}

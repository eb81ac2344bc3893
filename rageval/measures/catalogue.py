"""Every measure: the one place that says what each is called, looks at and is used for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BeforeValidator, Field, field_validator

from rageval.errors import InputError
from rageval.measures import documents, window
from rageval.measures.distractors import distractor_above_answer
from rageval.measures.measure import Grain, Measure, OwnMeasure
from rageval.measures.rankings import JudgedRankings
from rageval.measures.standard import Standard, from_key, parse
from rageval.measures.values import Values
from rageval.schema.fields import Record

Cutoff = Annotated[int, Field(strict=True, ge=1, le=1000)]  # documents of a ranking
_OWN = "own_"  # what the names of users' measures begin with in tables
_OWN_NAME = re.compile(r"[a-z][a-z0-9_]*")


def _known(name: str) -> str:
    parse(name)
    return name


def _one_is_enough(names: object) -> object:
    return (names,) if isinstance(names, str) else names


def _each_once(names: tuple[str, ...]) -> tuple[str, ...]:
    keys = [parse(name).key for name in names]
    repeated = [name for name, key in zip(names, keys, strict=True) if keys.count(key) > 1]
    if repeated:
        raise ValueError(f"must name each measure once, got {', '.join(repeated)}")
    return names


# Measures as ir_measures writes them; one may be written without a list.
StandardNames = Annotated[
    tuple[Annotated[str, AfterValidator(_known)], ...],
    BeforeValidator(_one_is_enough),
    AfterValidator(_each_once),
]


class Cutoffs(Record):
    """Which measures are taken, and how deep they look."""

    hit_at: Annotated[tuple[Cutoff, ...], Field(min_length=1)] = (1, 3)
    ndcg_at: Cutoff = 10
    standard: StandardNames = ()  # measures under their standard names, such as P@5
    own: Mapping[str, Mapping[str, Any]] = {}  # a user's measures: name → the node that builds it

    @field_validator("hit_at")
    @classmethod
    def _ascending(cls, cutoffs: tuple[int, ...]) -> tuple[int, ...]:
        if list(cutoffs) != sorted(set(cutoffs)):
            raise ValueError(f"must ascend without repeats, got {list(cutoffs)}")
        return cutoffs

    @field_validator("own")
    @classmethod
    def _named(cls, own: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Mapping[str, Any]]:
        for name, node in own.items():
            if not _OWN_NAME.fullmatch(name):
                raise ValueError(f"a name is of a-z, 0-9 and _ and begins with a letter: {name!r}")
            if not isinstance(node.get("_target_"), str):
                raise ValueError(f"{name} must name a class by _target_")
        return own

    @property
    def by_name(self) -> tuple[Standard, ...]:
        """Return the measures that are named, but for those that are taken anyway."""
        taken = {f"ndcg_at_{self.ndcg_at}", *(f"judged_at_{k}" for k in self.hit_at)}
        return tuple(one for one in map(parse, self.standard) if one.key not in taken)

    @property
    def hits(self) -> tuple[str, ...]:
        """Return the names of the hit rates, the deepest last."""
        return tuple(_hit(k).name for k in self.hit_at)

    @property
    def facts(self) -> dict[str, Any]:
        """Return what a benchmark is named by; measures that nobody named are no part of it."""
        unused = {name for name in ("standard", "own") if not getattr(self, name)}
        return self.model_dump(mode="json", exclude=unused)

    @property
    def deepest(self) -> int:
        """Return how many distinct documents a ranking must hold for every measure."""
        return max(*self.hit_at, self.ndcg_at, *(measure.depth for measure in self.by_name))


def catalogue(cutoffs: Cutoffs, own: Mapping[str, OwnMeasure] | None = None) -> tuple[Measure, ...]:
    """Return every measure, in the order in which tables show them.

    `own` holds the user's measures as objects; without them they can be named and not computed.

    Examples
    --------
    >>> [measure.heading for measure in catalogue(Cutoffs(hit_at=(1, 5)))][:2]
    ['hit@1', 'hit@5']
    """
    built = own or {}
    return (
        *map(_hit, cutoffs.hit_at),
        *_WINDOW,
        _ndcg(cutoffs.ndcg_at),
        *map(_standard, cutoffs.by_name),
        *(_own(name, built.get(name)) for name in cutoffs.own),
        *map(_judged, cutoffs.hit_at),
        *_WARNINGS,
    )


def score(rankings: JudgedRankings, measures: Iterable[Measure]) -> dict[str, Values]:
    """Return the values of measures by their names.

    A question that failed is a miss in all of them. Unanswerable questions count in the hit rates
    alone, denied ones in `denied_pass` alone.

    Raises
    ------
    InputError
        If a user's measure fails, or returns anything but a number in 0..1 a question.
    """
    return {measure.name: measure.values(rankings) for measure in measures}


def _hit(k: int) -> Measure:
    def values(rankings: JudgedRankings) -> Values:
        labels = rankings.labels
        silent = documents.silence(rankings.length, rankings.failed)
        hits = np.where(labels.unanswerable, silent, documents.hit(rankings.ranks.target, k))
        return Values.of(hits, ~labels.denied)

    return Measure(
        f"hit_rate_at_{k}",
        f"hit@{k}",
        f"a target is among the {k} best documents",
        Grain.DOCUMENTS,
        values,
        standard=f"Success@{k}",
        headline=True,
        across_questions=True,
        across_chunkings=True,
        in_table=True,
        depth=k,
    )


def _judged(k: int) -> Measure:
    def values(rankings: JudgedRankings) -> Values:
        labels = rankings.labels
        return Values.of(
            documents.judged(rankings.documents, *labels.labelled, k), labels.answerable
        )

    return Measure(
        f"judged_at_{k}",
        f"judged@{k}",
        f"share of the {k} best documents with a label",
        Grain.DOCUMENTS,
        values,
        standard=f"Judged@{k}",
        depth=k,
    )


def _ndcg(k: int) -> Measure:
    def values(rankings: JudgedRankings) -> Values:
        labels = rankings.labels
        gains = documents.ndcg(rankings.documents, *labels.graded, labels.grade, k)
        return Values.of(gains, labels.answerable)

    return Measure(
        f"ndcg_at_{k}",
        f"nDCG@{k}",
        f"discounted gain of the {k} best documents",
        Grain.DOCUMENTS,
        values,
        standard=f"nDCG@{k}",
        depth=k,
    )


def _standard(named: Standard) -> Measure:
    if named.kind == "Judged":
        return _judged(named.depth)  # what is labelled wrong is judged, too
    return Measure(
        named.key,
        named.name,
        "as trec_eval has it",
        Grain.DOCUMENTS,
        lambda rankings: Values.of(named.values(rankings.graded), rankings.labels.answerable),
        standard=named.name,
        in_table=named.kind != "nDCG",
        depth=named.depth,
    )


def _own(name: str, measure: OwnMeasure | None) -> Measure:
    said = (type(measure).__doc__ or "").strip().partition("\n")[0]
    return Measure(
        f"{_OWN}{name}",
        name,
        said or "a measure of your own",
        Grain.QUESTIONS,
        lambda rankings: _values_of_own(name, measure, rankings),
        in_table=True,
    )


def _values_of_own(name: str, measure: OwnMeasure | None, rankings: JudgedRankings) -> Values:
    if measure is None:
        raise TypeError(f"the measure {name} is named and not built")
    kind = type(measure).__name__
    try:
        found = np.asarray(measure.values(rankings), dtype=np.float64)
    except Exception as fault:  # a user's code may raise anything
        told = " ".join(f"{type(fault).__name__}: {fault}".split())
        raise InputError(f"measures.own.{name}: {kind}.values failed: {told}") from fault
    if found.shape != (rankings.n,):
        raise InputError(
            f"measures.own.{name}: {kind}.values returned an array of shape {found.shape}; it "
            f"must be one value a question: ({rankings.n},)"
        )
    wrong = found[~((found >= 0) & (found <= 1))]  # NaN is neither
    if len(wrong):
        raise InputError(
            f"measures.own.{name}: {kind}.values returned {wrong[0]:g}; a value is in 0..1"
        )
    return Values.of(found, rankings.labels.answerable)


def _of_answerable(
    column: Callable[[JudgedRankings], NDArray[Any]],
) -> Callable[[JudgedRankings], Values]:
    return lambda rankings: Values.of(column(rankings), rankings.labels.answerable)


def _distractor_above(rankings: JudgedRankings) -> Values:
    ranks, labels = rankings.ranks, rankings.labels
    above = distractor_above_answer(ranks.distractor, ranks.answer)
    return Values.of(above, labels.answerable & labels.has_distractors)


def _chunk_completeness(rankings: JudgedRankings) -> Values:
    counts = rankings.labels.answerable
    if not rankings.complete:  # how many chunks there are is not known
        counts = np.zeros_like(counts)
    return Values.of(window.chunk_completeness(rankings.support), counts)


def _denied_pass(rankings: JudgedRankings) -> Values:
    question, document = rankings.labels.forbidden
    shown = documents.best_rank(rankings.returned, question, document) > 0
    return Values.of(~shown & ~rankings.failed, rankings.labels.denied)


_WINDOW = (
    Measure(
        "recall",
        "recall",
        "a supporting chunk reached the window",
        Grain.CHUNKS,
        _of_answerable(lambda found: window.recall(found.support)),
        headline=True,
        across_questions=True,
        across_chunkings=True,
        in_table=True,
    ),
    Measure(
        "mrr",
        "mrr",
        "1 / rank of the first supporting chunk in the window",
        Grain.CHUNKS,
        _of_answerable(lambda found: window.reciprocal_rank(found.support)),
        headline=True,
        across_questions=True,
        across_chunkings=True,
        in_table=True,
    ),
    Measure(
        "precision",
        "prec",
        "share of the window that supports",
        Grain.CHUNKS,
        _of_answerable(lambda found: window.precision(found.support, found.window_length)),
        headline=True,
        in_table=True,
    ),
    Measure(
        "completeness",
        "compl",
        "share of the required evidence in the window",
        Grain.CHUNKS,
        _of_answerable(lambda found: window.completeness(found.support)),
        headline=True,
        across_questions=True,
        in_table=True,
    ),
    Measure(
        "chunk_completeness",
        "chunk-compl",
        "share of the supporting chunks in the window",
        Grain.CHUNKS,
        _chunk_completeness,
    ),
    Measure(
        "evidence_coverage",
        "ev-cover",
        "share of the evidence's characters in the window",
        Grain.CHARACTERS,
        _of_answerable(lambda found: found.evidence_shares[0]),
        across_chunkings=True,
    ),
    Measure(
        "evidence_precision",
        "ev-prec",
        "share of the window's characters that are evidence",
        Grain.CHARACTERS,
        _of_answerable(lambda found: found.evidence_shares[1]),
        across_chunkings=True,
    ),
)
_WARNINGS = (
    Measure(
        "distractor_above_answer",
        "distractor↑",
        "a distractor ranks above the answer",
        Grain.QUESTIONS,
        _distractor_above,
        lower_is_better=True,
        in_table=True,
    ),
    Measure(
        "denied_pass",
        "denied",
        "what the asker may not see was not returned",
        Grain.QUESTIONS,
        _denied_pass,
        across_chunkings=True,
    ),
)
_FIXED = {measure.name: measure for measure in (*_WINDOW, *_WARNINGS)}
_CUT = {"hit_rate": _hit, "judged": _judged, "ndcg": _ndcg}
_CUT_NAME = re.compile(r"(hit_rate|judged|ndcg)_at_([1-9]\d*)")


@lru_cache(maxsize=4096)  # asked for every cell of a table
def measure_named(name: str) -> Measure | None:
    """Return the measure of a name, whatever cutoffs are taken; None if there is none.

    A user's own measure can be named here and not computed.

    Examples
    --------
    >>> measure_named("hit_rate_at_5").heading, measure_named("p_at_5").heading
    ('hit@5', 'P@5')
    >>> measure_named("latency") is None
    True
    """
    found = _CUT_NAME.fullmatch(name)
    if found is not None:
        return _CUT[found[1]](int(found[2]))
    if name in _FIXED:
        return _FIXED[name]
    if name.startswith(_OWN) and _OWN_NAME.fullmatch(name.removeprefix(_OWN)):
        return _own(name.removeprefix(_OWN), None)
    standard = from_key(name)
    return None if standard is None else _standard(standard)


def is_measure(name: str) -> bool:
    """Say whether a name is that of a measure, whatever cutoffs are taken.

    Examples
    --------
    >>> is_measure("hit_rate_at_5"), is_measure("recall"), is_measure("latency")
    (True, True, False)
    """
    return measure_named(name) is not None


def kind_and_cutoff(name: str) -> tuple[str, int] | None:
    """Return the kind and cutoff of a measure whose cutoff the configuration chooses.

    Examples
    --------
    >>> kind_and_cutoff("hit_rate_at_3"), kind_and_cutoff("recall")
    (('hit_rate', 3), None)
    """
    found = _CUT_NAME.fullmatch(name)
    return None if found is None else (found[1], int(found[2]))


def hit_rates(names: Iterable[str]) -> list[str]:
    """Return which of some measures are hit rates, the deepest last.

    Examples
    --------
    >>> hit_rates(["recall", "hit_rate_at_10", "hit_rate_at_3"])
    ['hit_rate_at_3', 'hit_rate_at_10']
    """
    found = [(name, kind_and_cutoff(name)) for name in names]
    hits = [(cut[1], name) for name, cut in found if cut is not None and cut[0] == "hit_rate"]
    return [name for _, name in sorted(hits)]


def headlines(names: Iterable[str]) -> list[str]:
    """Return which of some measures comparisons test and leaderboards show, hit rates first.

    Examples
    --------
    >>> headlines(["recall", "judged_at_1", "hit_rate_at_1"])
    ['hit_rate_at_1', 'recall']
    """
    wanted = [name for name in names if (one := measure_named(name)) is not None and one.headline]
    hits = hit_rates(wanted)
    return [*hits, *(name for name in wanted if name not in hits)]


def comparable_across_questions(name: str) -> bool:
    """Say whether a measure's means over different questions can be compared.

    Examples
    --------
    >>> comparable_across_questions("recall"), comparable_across_questions("precision")
    (True, False)
    """
    found = measure_named(name)
    return found is not None and found.across_questions


def comparable_across_chunkings(name: str) -> bool:
    """Say whether a measure's values under different chunkings can be compared.

    Examples
    --------
    >>> comparable_across_chunkings("recall"), comparable_across_chunkings("completeness")
    (True, False)
    """
    found = measure_named(name)
    return found is not None and found.across_chunkings

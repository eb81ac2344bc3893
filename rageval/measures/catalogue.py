"""Which measures are taken, and every measure by its name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, field_validator

from rageval.measures.definitions import (
    OWN,
    WARNINGS,
    WINDOW,
    hit_rate,
    judged,
    ndcg,
    own_measure,
    standard_measure,
)
from rageval.measures.measure import Measure, OwnMeasure
from rageval.measures.rankings import JudgedRankings
from rageval.measures.standard import Standard, from_key, parse
from rageval.measures.values import Values
from rageval.schema.fields import Record

Cutoff = Annotated[int, Field(strict=True, ge=1, le=1000)]  # documents of a ranking
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
        return tuple(hit_rate(k).name for k in self.hit_at)

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
        *map(hit_rate, cutoffs.hit_at),
        *WINDOW,
        ndcg(cutoffs.ndcg_at),
        *map(standard_measure, cutoffs.by_name),
        *(own_measure(name, built.get(name)) for name in cutoffs.own),
        *map(judged, cutoffs.hit_at),
        *WARNINGS,
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


_FIXED = {measure.name: measure for measure in (*WINDOW, *WARNINGS)}
_CUT = {"hit_rate": hit_rate, "judged": judged, "ndcg": ndcg}
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
    if name.startswith(OWN) and _OWN_NAME.fullmatch(name.removeprefix(OWN)):
        return own_measure(name.removeprefix(OWN), None)
    standard = from_key(name)
    return None if standard is None else standard_measure(standard)


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

"""What a gate holds a candidate against; committed, and changed deliberately."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field

from rageval.fields import Natural, Record, Share
from rageval.gate.evidence import Evidence, Standard

# Up to one half: with a higher chance of a false alarm a coin would judge as well.
Level = Annotated[float, Field(strict=True, gt=0, le=0.5, allow_inf_nan=False)]
Limits = Mapping[str, Mapping[str, Share]]  # subset → measure → limit


_CUT = re.compile(r"(hit_rate|judged|ndcg)_at_[1-9]\d*")  # measures that a cutoff is chosen for


class GateThresholds(Record):
    """The limits of one set. Errors and leaks are always held at zero."""

    floors: Limits = {}  # the least that a value may be; equal passes
    max_drop: Limits = {}  # the most that it may fall below the baseline; equal passes
    no_tolerance: tuple[str, ...] = ()  # subsets in which no question may be lost
    new_distractors: Natural | None = None  # questions that may newly have one above the answer
    evidence: Literal["counts", "significant", "non_inferior", "either"] = "counts"  # of a drop
    level: Level = 0.05  # the chance of a false alarm in the whole family of tests
    negligible: Share = 0.0  # with `either`: a drop up to this never fails, however significant

    @property
    def standard(self) -> Standard:
        """Return how much is asked of the evidence for a drop."""
        return Standard(Evidence(self.evidence), self.level, decimal(self.negligible))

    def require_known(self, measures: Collection[str]) -> None:
        """Make sure that every limit is of a measure; its cutoff may be one that is not taken.

        Raises
        ------
        ValueError
            If one is not; the measures are listed.
        """
        for kind, limits in (("floors", self.floors), ("max_drop", self.max_drop)):
            for subset, names in limits.items():
                unknown = [n for n in names if n not in measures and not _CUT.fullmatch(n)]
                if unknown:
                    raise ValueError(
                        f"threshold.{kind}.{subset}.{unknown[0]}: no such measure; known: "
                        f"{', '.join(measures)}"
                    )

    def across_chunkings(self) -> GateThresholds:
        """Return the limits without the measures that depend on how documents are cut."""
        return self.model_copy(
            update={
                "floors": _comparable(self.floors),
                "max_drop": _comparable(self.max_drop),
                "new_distractors": None,
            }
        )

    @property
    def named(self) -> tuple[str, ...]:
        """Return every limit by its path, `no_tolerance` apart.

        Examples
        --------
        >>> GateThresholds(floors={"all": {"recall": 0.8}}, new_distractors=0).named
        ('floors.all.recall', 'new_distractors')
        """
        paths = [
            f"{kind}.{subset}.{measure}"
            for kind, limits in (("floors", self.floors), ("max_drop", self.max_drop))
            for subset, measures in limits.items()
            for measure in measures
        ]
        return (*paths, *(["new_distractors"] if self.new_distractors is not None else []))


def decimal(limit: float) -> Fraction:
    """Read a limit as the decimal that was written, not as the float nearest to it.

    Examples
    --------
    >>> decimal(0.3), Fraction(0.3) == Fraction(3, 10)
    (Fraction(3, 10), False)
    """
    return Fraction(str(limit))


_COMPARABLE = {"recall", "mrr", "evidence_coverage", "evidence_precision", "denied_pass"}


def _comparable(limits: Limits) -> Limits:
    return {
        subset: {
            name: limit
            for name, limit in measures.items()
            if name in _COMPARABLE or name.startswith("hit_rate_at_")
        }
        for subset, measures in limits.items()
    }

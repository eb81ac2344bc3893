"""What a gate holds a candidate against; committed, and changed deliberately."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Literal

from rageval.fields import Natural, Record, Share

Limits = Mapping[str, Mapping[str, Share]]  # subset → measure → limit


_CUT = re.compile(r"(hit_rate|judged|ndcg)_at_[1-9]\d*")  # measures that a cutoff is chosen for


class GateThresholds(Record):
    """The limits of one set. Errors and leaks are always held at zero."""

    floors: Limits = {}  # the least that a value may be; equal passes
    max_drop: Limits = {}  # the most that it may fall below the baseline; equal passes
    no_tolerance: tuple[str, ...] = ()  # subsets in which no question may be lost
    new_distractors: Natural | None = None  # questions that may newly have one above the answer
    evidence: Literal["counts"] = "counts"  # what shows a drop

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

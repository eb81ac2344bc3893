"""What a candidate is held against: limits, registry and what may be rebuilt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from rageval.config.settings import EvaluationConfig
from rageval.experiment.rerun import (
    Trust,
)
from rageval.gate.decision import Terms
from rageval.gate.exceptions import NO_EXCEPTIONS, read_exceptions
from rageval.gate.settings import GateConfig
from rageval.gate.thresholds import GateThresholds
from rageval.tracking.reading import Kept
from rageval.tracking.settings import RegistryConfig


@dataclass(frozen=True)
class Rules:
    """What a candidate is held against."""

    gate: GateConfig
    registry: RegistryConfig
    thresholds: GateThresholds
    secrets: Mapping[str, Any] = field(default_factory=dict)
    today: date = field(default_factory=lambda: datetime.now(UTC).date())  # exceptions end on it

    @classmethod
    def of(cls, config: EvaluationConfig) -> Rules:
        """Return the rules of an evaluation's own configuration."""
        return cls(config.gate, config.registry, config.threshold, config.secrets)

    def terms(self, promoted: Kept | None, candidate: Kept) -> Terms:
        """Return what is asked of a verdict beside its limits.

        Raises
        ------
        InputError
            If the file of exceptions is wrong or not committed.
        """
        gate, path = self.gate, self.gate.exceptions
        return Terms(
            promoted=None if promoted is None else promoted.result,
            held_out_gone=0 if promoted is None else _held_out_gone(promoted, candidate),
            allow_removed=gate.allow_removed,
            exceptions=NO_EXCEPTIONS if path is None else read_exceptions(Path(path), self.today),
            must_see=gate.must_see,
            fail_blind=gate.on_inconclusive == "fail",
        )

    @property
    def trust(self) -> Trust:
        """Return what a configuration that comes back from the store may do."""
        return Trust(self.registry.allow, self.secrets)


def _held_out_gone(promoted: Kept, candidate: Kept) -> int:
    """Return how many held-out questions of the champion's set the candidate's lacks."""
    then, now = (set(kept.facts.get("held_out", ())) for kept in (promoted, candidate))
    return len(then - now)

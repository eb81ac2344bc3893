"""The held-out check: `all` alone, against the champion, aggregates only."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console

from rageval.comparison.result import Result, result
from rageval.gate.decision import decide
from rageval.gate.thresholds import GateThresholds
from rageval.gate.verdict import Verdict
from rageval.plan import Plan
from rageval.report import tables
from rageval.report.outcome import Outcome
from rageval.subsets import ALL
from rageval.tracking.record import aggregates, tags
from rageval.tracking.run import running, write
from rageval.tracking.store import Store
from rageval.workflow import measure


@dataclass(frozen=True)
class HeldOut:
    """What the held-out questions say of a candidate."""

    n: int  # questions; 0 = the set has no held-out side
    verdict: Verdict | None  # None if n = 0

    @property
    def passed(self) -> bool:
        """Say whether nothing speaks against the candidate."""
        return self.verdict is None or self.verdict.passed


def overall(thresholds: GateThresholds) -> GateThresholds:
    """Return the limits of `all` alone: single held-out questions are never named."""
    return GateThresholds(
        floors={ALL: dict(thresholds.floors.get(ALL, {}))},
        max_drop={ALL: dict(thresholds.max_drop.get(ALL, {}))},
    )


def check(
    plans: tuple[Plan, Plan | None], thresholds: GateThresholds, store: Store, target: Console
) -> HeldOut:
    """Score the candidate and the champion on the held-out side, and keep the overall values.

    `plans` are those of the candidate and of the champion, if there is one, for that side.
    """
    candidate, champion = plans
    n = len(candidate.side.golden)
    if n == 0:
        return HeldOut(0, None)
    found = _kept(candidate, store, target)
    before = None if champion is None else _result(measure(champion, target))
    return HeldOut(n, decide(found, before, overall(thresholds)))


def _kept(plan: Plan, store: Store, target: Console) -> Result:
    ledger = store.beside(f"{store.name}-holdout")
    with running(ledger, plan.retrieval) as run:
        outcome = measure(plan, target)
        write(ledger, run, aggregates(outcome, "A held-out check before a promotion."))
    return _result(outcome)


def _result(outcome: Outcome) -> Result:
    return result("held-out", tags(outcome), tables.questions(outcome.evaluation).as_json())

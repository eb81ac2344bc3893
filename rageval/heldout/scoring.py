"""The one way to score held-out questions: against the budget, and overall values alone.

Nothing else puts a plan on that side, so no other command can show or keep a held-out question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from rich.console import Console

from rageval.comparison.gap import Gap, gaps
from rageval.comparison.result import Result, result
from rageval.evaluation.subsets import ALL
from rageval.experiment.keeping import Keeping
from rageval.experiment.plan import Plan
from rageval.experiment.record import aggregates, tags
from rageval.experiment.workflow import measure
from rageval.gate.decision import decide
from rageval.gate.thresholds import GateThresholds
from rageval.gate.verdict import Verdict
from rageval.heldout.trend import verdict
from rageval.report import tables
from rageval.report.outcome import Outcome
from rageval.report.plots import timeline
from rageval.schema.fingerprint import text_digest
from rageval.schema.names import metric_key
from rageval.split.split import HOLDOUT
from rageval.tracking.faults import TrackingError
from rageval.tracking.ledger import Entry, Ledger, Purpose
from rageval.tracking.reading import Kept
from rageval.tracking.run import Record, add, milliseconds

FOLLOWED = ("recall", "hit_rate_at_1")  # the gap that is followed over time, the first there is


@dataclass(frozen=True)
class Scored:
    """What the held-out questions say of a retrieval: no question is named in it."""

    n: int
    found: Result
    gaps: Mapping[str, Gap]  # measure → dev less held-out
    told: str  # what the gap that is followed over time says, in words
    spent: int  # scorings of this quarter, this one among them
    entry: str  # run id of the ledger's entry


def held_out(plan: Plan) -> Plan:
    """Return how the same retrieval is run on the held-out side."""
    return replace(plan, split=HOLDOUT)


def size(plan: Plan) -> int:
    """Return the number of held-out questions of a plan's set."""
    return len(held_out(plan).side.golden)


def score(candidate: Kept, plan: Plan, purpose: Purpose, ledger: Ledger, target: Console) -> Scored:
    """Spend one scoring: run a kept run's retrieval on the held-out side, and enter it.

    Raises
    ------
    NoVerdictError
        If the budget is spent; nothing was scored then.
    UnreachableError
        If the ledger's store goes away; nothing is shown then.
    """
    now, held = datetime.now(UTC), held_out(plan)
    ledger = ledger.about(text_digest(question.text) for question in held.side.golden)
    with _spending(ledger, plan.retrieval, purpose, now) as spent:
        outcome = measure(held, target)
        known = gaps(candidate.result.summaries(ALL), outcome.evaluation.subsets[ALL])
        followed = next((name for name in FOLLOWED if name in known), "")
        spent.write(_entry(outcome, known))
        entries = ledger.entries()
        add(ledger.store, spent.run, {}, {"plots/gap.png": _over_time(entries, followed)})
    past = [found for entry in entries if (found := entry.gap(followed)) is not None]
    return Scored(
        n=len(held.side.golden),
        found=_result(outcome),
        gaps=known,
        told=verdict(followed, known[followed], past)
        if followed
        else "no measure has values on both sides",
        spent=len(ledger.spent(now)),
        entry=spent.run,
    )


@contextmanager
def _spending(ledger: Ledger, name: str, purpose: Purpose, now: datetime) -> Iterator[Keeping]:
    """Spend one scoring; the values that it gave are kept on disk if the ledger does not take them.

    They were paid for.
    """
    held: list[Keeping] = []
    try:
        with ledger.spending(name, purpose, now) as run:
            held.append(Keeping(ledger.store, run, name, started=milliseconds()))
            yield held[0]
    except TrackingError as fault:
        raise (held[0].undelivered(fault) if held else fault) from fault


def _over_time(entries: Sequence[Entry], measure: str) -> bytes:
    """Return a PNG of the gap of a measure, scoring by scoring."""
    known = [(entry, gap) for entry in entries if (gap := entry.gap(measure)) is not None]
    points = [(f"{entry.when:%Y-%m-%d} {entry.retrieval}", gap) for entry, gap in known]
    return timeline(points, f"dev − held-out {measure}")


def _entry(outcome: Outcome, known: Mapping[str, Gap]) -> Record:
    entry = aggregates(outcome, "A scoring of held-out questions: overall values, no question.")
    beside = {
        metric_key(side, name): value
        for name, gap in known.items()
        for side, value in (
            ("dev", gap.dev.value or 0.0),
            ("gap", gap.value),
            ("gap_low", gap.low),
            ("gap_high", gap.high),
        )
    }
    return replace(entry, metrics={**entry.metrics, **beside})


def judge_held_out(
    scored: Scored, champion: Plan | None, thresholds: GateThresholds, target: Console
) -> Verdict:
    """Hold the overall values against the champion's on the same questions, within one spending."""
    before = None if champion is None else _result(measure(held_out(champion), target))
    return decide(scored.found, before, overall(thresholds))


def overall(thresholds: GateThresholds) -> GateThresholds:
    """Return the limits of `all` alone: single held-out questions are never named."""
    return thresholds.model_copy(
        update={
            "floors": {ALL: dict(thresholds.floors.get(ALL, {}))},
            "max_drop": {ALL: dict(thresholds.max_drop.get(ALL, {}))},
            "no_tolerance": (),
            "new_distractors": None,
        }
    )


def _result(outcome: Outcome) -> Result:
    return result("held-out", tags(outcome), tables.questions(outcome.evaluation).as_json())

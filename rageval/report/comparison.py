"""A comparison and a verdict in words: the same sentences for terminal, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from rageval.comparison.changes import Change, Comparison, Turn
from rageval.comparison.result import Result, Row
from rageval.comparison.set_changes import SetChanges
from rageval.comparison.table import Table
from rageval.gate.verdict import Outcome, Shown, State, Verdict

_COUNTED = (Turn.IMPROVED, Turn.REGRESSED, Turn.MISSED)
_CHECKS = 12  # limits up to which those that were kept are told as well
_NAMED = 50  # ids on a line of a page before the rest is counted; a terminal names them all


@dataclass(frozen=True, slots=True)
class Told:
    """A question that changed, in three lines."""

    id: str
    question: str
    values: str  # recall and mrr, before and after
    ranks: str  # ranks before and after, what stands there now
    diagnosis: str


def overview(comparison: Comparison, most: int | None = _NAMED) -> Iterator[str]:
    """Yield the lines of the chapter's layout: improved, regressed, net, and what is not paired.

    Each line names up to `most` questions; None = all of them.
    """
    yield f"comparison: {comparison.before.name} → {comparison.after.name}"
    for turn in (Turn.IMPROVED, Turn.REGRESSED):
        ids = [change.after.id for change in comparison.of(turn)]
        yield f"{turn.value:<10} ({len(ids)}): {named(ids, most)}"
    yield f"net: {comparison.net:+d} of {len(comparison.changes)} paired questions"
    missed = [change.after.id for change in comparison.of(Turn.MISSED)]
    for what, ids in (
        ("still missed", missed),
        ("added", list(comparison.added)),
        ("removed", list(comparison.removed)),
        ("relabelled", list(comparison.relabelled)),
    ):
        if ids:
            yield f"{what} ({len(ids)}): {named(ids, most)}"


def named(ids: list[str], most: int | None = _NAMED) -> str:
    """Return the first ids, and how many more there are.

    Examples
    --------
    >>> named([]), named(["a", "b"])
    ('–', 'a b')
    """
    shown = ids[:most]
    more = f" and {len(ids) - len(shown)} more" if len(ids) > len(shown) else ""
    return " ".join(shown) + more if ids else "–"


def told(change: Change) -> Told:
    """Return what happened to one question."""
    before, after = change.before, change.after
    displaced = change.displaced_by
    return Told(
        id=after.id,
        question=after.text,
        values=", ".join(
            f"{name} {_value(before, name)} → {_value(after, name)}"
            for name in ("recall", "mrr")
            if after.values.get(name) is not None
        )
        or _hits(before, after),
        ranks=", ".join(
            f"{what} {_rank(before, name)} → {_rank(after, name)}"
            for name, what in (("evidence", "first evidence"), ("target", "best document"))
        )
        + (f"; {displaced} stands in its place" if displaced else ""),
        diagnosis=after.diagnosis,
    )


def _hits(before: Row, after: Row) -> str:
    return ", ".join(
        f"{name} {_value(before, name)} → {_value(after, name)}"
        for name, value in after.values.items()
        if value is not None
    )


def _value(row: Row, name: str) -> str:
    value = row.values.get(name)
    return "–" if value is None else f"{value:.2f}"


def _rank(row: Row, name: str) -> str:
    return str(row.ranks[name] or "absent")


def subsets(comparison: Comparison) -> Table:
    """Return one row a subset: how its questions fared, and recall and mrr before and after."""
    return Table(
        [
            "subset", "n", "improved", "regressed", "still missed", "recall before", "recall after",
            "mrr before", "mrr after",
        ],
        [
            [
                subset,
                len(comparison.after.inside(subset)),
                *(len(comparison.of(turn, subset)) for turn in _COUNTED),
                *(
                    _mean(result, subset, measure)
                    for measure in ("recall", "mrr")
                    for result in (comparison.before, comparison.after)
                ),
            ]
            for subset in comparison.subsets
        ],
    )  # fmt: skip


def _mean(result: Result, subset: str, measure: str) -> float | None:
    found = result.mean(subset, measure)
    return None if found is None else float(found[0] / found[1])


def questions(comparison: Comparison) -> Table:
    """Return one row a question: how it fared, its ranks before and after."""
    rows: list[list[Any]] = [
        [
            change.after.id,
            change.after.text,
            change.turn.value,
            change.before.ranks["evidence"],
            change.after.ranks["evidence"],
            change.before.ranks["target"],
            change.after.ranks["target"],
            change.displaced_by,
            change.after.diagnosis,
        ]
        for change in comparison.changes
    ]
    for what, ids in (
        ("added", comparison.added),
        ("removed", comparison.removed),
        ("relabelled", comparison.relabelled),
    ):
        both = {**comparison.before.rows, **comparison.after.rows}
        rows += [[name, both[name].text, what, None, None, None, None, "", ""] for name in ids]
    return Table(
        [
            "id", "question", "change", "evidence rank before", "evidence rank after",
            "target rank before", "target rank after", "displaced by", "diagnosis",
        ],
        rows,
    )  # fmt: skip


_AGAINST = {
    State.BASELINE: "no baseline yet: floors, errors and leaks alone are judged",
    State.COMPARABLE: "against the champion {name} (run {run})",
    State.UNKNOWN: "the champion cannot be read: floors, errors and leaks alone are looked at",
    State.RESCORED: "against the champion {name}, re-run on these questions (run {run})",
}


def verdict_lines(verdict: Verdict) -> Iterator[str]:
    """Yield the verdict, what it was held against, and every limit that was looked at."""
    candidate = verdict.candidate
    passed = sum(check.passed for check in verdict.checks)
    outcome = verdict.outcome.name
    yield f"gate {outcome}: {candidate.dataset}, {candidate.name} (run {candidate.run})"
    before = None if verdict.comparison is None else verdict.comparison.before
    yield _AGAINST[verdict.state].format(
        name=before.name if before else "", run=before.run if before else ""
    )
    yield from (f"note: {note}" for note in verdict.notes)
    told = verdict.checks if len(verdict.checks) <= _CHECKS else verdict.failures
    for check in told:
        mark = "✓" if check.passed else "✗"
        yield f"{mark} {check.subset} {check.measure or check.rule.value}: {check.sentence}"
        if check.shown is not None:
            yield f"    {check.shown.sentence}" + (f"; {check.sight}" if check.passed else "")
    yield from _set_lines(verdict.changes)
    yield f"{passed} of {len(verdict.checks)} limits kept"
    if verdict.outcome is Outcome.INCONCLUSIVE:
        yield (
            f"inconclusive: {len(verdict.blind)} of these could not have seen the drop that "
            "gate.must_see asks for; write more questions"
        )


def _set_lines(changes: SetChanges) -> Iterator[str]:
    """Yield what became of the set since the champion was promoted."""
    for what, ids in (
        ("added", changes.added),
        ("removed", changes.removed),
        ("relabelled", changes.relabelled),
        ("regrouped", changes.regrouped),
    ):
        if ids:
            yield f"{what} since the champion ({len(ids)}): {named(list(ids))}"


def as_json(verdict: Verdict) -> dict[str, Any]:
    """Return the verdict as data; see docs/reference/verdict.schema.json."""
    comparison = verdict.comparison
    return {
        "schema": 2,
        "passed": verdict.passed,
        "outcome": verdict.outcome.value,
        "state": verdict.state.value,
        "set": verdict.candidate.dataset,
        "candidate": _named(verdict.candidate),
        "baseline": None if comparison is None else _named(comparison.before),
        "checks": [
            {
                "rule": check.rule.value,
                "subset": check.subset,
                "measure": check.measure or None,
                "passed": check.passed,
                "sentence": check.sentence,
                "statistics": _sure(check.shown),
                "seen": None if check.seen is None else float(check.seen),
                "must_see": None if check.must_see is None else float(check.must_see),
            }
            for check in verdict.checks
        ],
        "improved": _ids(comparison, Turn.IMPROVED),
        "regressed": _ids(comparison, Turn.REGRESSED),
        "added": list(verdict.changes.added),
        "removed": list(verdict.changes.removed),
        "relabelled": list(verdict.changes.relabelled),
        "regrouped": list(verdict.changes.regrouped),
        "notes": list(verdict.notes),
    }


def _sure(shown: Shown | None) -> dict[str, Any] | None:
    if shown is None:
        return None
    return {
        "evidence": shown.used,
        "p": shown.p,
        **asdict(shown.paired),
        "sentence": shown.sentence,
    }


def _named(result: Result) -> dict[str, str]:
    return {
        "run": result.run,
        "name": result.name,
        "benchmark": result.benchmark,
        "variant": result.variant,
    }


def _ids(comparison: Comparison | None, turn: Turn) -> list[str]:
    return [change.after.id for change in comparison.of(turn)] if comparison else []

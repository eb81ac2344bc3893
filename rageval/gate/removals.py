"""What left the set since the champion was promoted: questions, labels, places in a subset."""

from __future__ import annotations

from collections.abc import Iterator

from rageval.comparison.changes import Comparison
from rageval.comparison.set_changes import SetChanges
from rageval.gate.exceptions import Exceptions
from rageval.gate.thresholds import GateThresholds
from rageval.gate.verdict import Check, Rule, listed


def removals(
    changes: SetChanges, thresholds: GateThresholds, exceptions: Exceptions, allowed: int
) -> Iterator[Check]:
    """Yield a check if anything left the set: more questions than are allowed fail it.

    A question counts if it was removed, its text or a label of it was changed or removed, or it
    left a subset that a limit names, since the limit no longer sees it. Exceptions do not count.
    """
    reasons = list(_reasons(changes, thresholds))
    if not reasons:
        return
    counted = {name for _, names in reasons for name in names}
    excused = counted & exceptions.questions
    sentence = "; ".join(f"{len(names)} {what}: {listed(list(names))}" for what, names in reasons)
    if excused:
        sentence += f"; {len(excused)} of them excused"
    sentence += f"; {allowed} {'is' if allowed == 1 else 'are'} allowed"
    passed = len(counted - excused) <= allowed
    yield Check(Rule.SET, "all", "", passed, sentence)


def held_out_removals(gone: int, allowed: int) -> Iterator[Check]:
    """Yield a check if held-out questions left the set; they are counted and never named."""
    if gone:
        noun = "question" if gone == 1 else "questions"
        sentence = f"{gone} held-out {noun} removed or relabelled; {allowed} allowed"
        yield Check(Rule.SET, "held out", "", gone <= allowed, sentence)


def _reasons(
    changes: SetChanges, thresholds: GateThresholds
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what counts, in words, each with the questions."""
    if changes.removed:
        yield "removed", changes.removed
    if changes.changed:
        yield "with changed or removed labels", changes.changed
    for subset, names in changes.left.items():
        if subset in thresholds.subsets:
            yield f"moved out of {subset}, which has a limit", names


def told(changes: SetChanges, comparison: Comparison) -> Iterator[str]:
    """Yield what became of the set beside that, as sentences."""
    if changes.extended:
        after = {change.after.id: change for change in comparison.changes}
        pairs = [after[name] for name in changes.extended if name in after]
        alone = sum(change.after.found and not change.before.found for change in pairs)
        yield (
            f"labels added to {len(changes.extended)} question"
            f"{'s' if len(changes.extended) > 1 else ''}: {listed(list(changes.extended))}; "
            f"{alone} found by the candidate alone"
        )


def quotes(
    changes: SetChanges, thresholds: GateThresholds, exceptions: Exceptions
) -> Iterator[str]:
    """Yield the exceptions that are about what left the set."""
    yield from exceptions.quoted(
        {name for _, names in _reasons(changes, thresholds) for name in names}
    )

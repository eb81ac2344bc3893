"""A gate's verdict: passed or failed, and every reason."""

from __future__ import annotations

import html
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import ceil

from rageval.comparison.changes import Comparison
from rageval.comparison.paired import Paired
from rageval.comparison.result import Result
from rageval.comparison.set_changes import SetChanges

_NAMED = 8  # ids in a sentence before the rest is counted


class State(Enum):
    """What the candidate was held against."""

    BASELINE = "baseline"  # nothing was ever promoted: floors, errors and leaks alone
    COMPARABLE = "comparable"  # the champion, on the same benchmark
    RESCORED = "rescored"  # the champion, run again on the candidate's benchmark
    UNKNOWN = "unknown"  # the champion cannot be read: floors alone, and never a pass


class Rule(Enum):
    """Which rule a reason is of."""

    ERRORS = "errors"
    LEAKS = "leaks"
    FLOOR = "floor"
    DROP = "drop"
    NO_TOLERANCE = "no_tolerance"
    DISTRACTORS = "new_distractors"
    SET = "allow_removed"  # questions and labels that left the set since the champion


class Outcome(Enum):
    """What a verdict comes to."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"  # nothing failed, and a pass could not have seen enough


@dataclass(frozen=True, slots=True)
class Shown:
    """How sure a drop is, and what was made of it."""

    paired: Paired
    used: str  # counts | significant | non_inferior | either
    p: float | None  # of the test that was used, corrected for the family; None for counts
    sentence: str


@dataclass(frozen=True, slots=True)
class Check:
    """One limit that was looked at."""

    rule: Rule
    subset: str
    measure: str  # empty where the rule is about questions
    passed: bool
    sentence: str  # what was found, what is allowed
    shown: Shown | None = None  # drops alone
    seen: Fraction | None = None  # of a drop: the smallest that would have failed; None: none would
    must_see: Fraction | None = None  # of a drop: what it must have been able to see; None: any

    @property
    def blind(self) -> bool:
        """Say whether a drop that had to be seen could not have been."""
        return self.must_see is not None and (self.seen is None or self.seen > self.must_see)

    def __str__(self) -> str:
        names = " ".join(filter(None, [self.rule.value, self.subset, self.measure]))
        return f"{names}: {self.sentence}"

    @property
    def sight(self) -> str:
        """Say the smallest drop that would have failed; empty where nothing was compared."""
        if self.shown is None:
            return ""
        words = "no drop would have failed"
        if self.seen is not None:
            n = self.shown.paired.n
            words = f"would have failed from a drop of {float(self.seen):.3f}"
            words += f" ({ceil(self.seen * n)} of {n} questions)"
        if self.blind:
            words += f"; gate.must_see asks for {float(self.must_see or 0):g}"
        return words


@dataclass(frozen=True)
class Verdict:
    """What the gate says of a candidate."""

    state: State
    candidate: Result
    comparison: Comparison | None  # None: there is no baseline
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()
    changes: SetChanges = SetChanges()  # of the set, since the champion was promoted
    fail_blind: bool = False  # an inconclusive verdict does not pass

    @property
    def outcome(self) -> Outcome:
        """Return what the verdict comes to; what cannot be read is never a pass."""
        if self.state is State.UNKNOWN or self.failures:
            return Outcome.FAILED
        return Outcome.INCONCLUSIVE if self.blind else Outcome.PASSED

    @property
    def passed(self) -> bool:
        """Say whether every limit was kept, and the gate saw as much as it had to."""
        if self.outcome is Outcome.INCONCLUSIVE:
            return not self.fail_blind
        return self.outcome is Outcome.PASSED

    @property
    def blind(self) -> list[Check]:
        """Return the limits that were kept and could not have seen what they must."""
        return [check for check in self.checks if check.passed and check.blind]

    @property
    def failures(self) -> list[Check]:
        """Return the limits that were not kept."""
        return [check for check in self.checks if not check.passed]

    def __str__(self) -> str:
        kept = len(self.checks) - len(self.failures)
        lines = [f"{self.outcome.value}: {kept} of {len(self.checks)} limits kept"]
        lines += [f"  {'kept  ' if check.passed else 'FAILED'} {check}" for check in self.checks]
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{'kept' if check.passed else '<b>failed</b>'}</td>"
            f"<td>{html.escape(str(check))}</td></tr>"
            for check in self.checks
        )
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        return f"<table><caption>{self.outcome.value}</caption>{rows}</table>{notes}"


def share(total: Fraction, n: int) -> str:
    """Return a mean in words: counts where the total is whole, and the value.

    Examples
    --------
    >>> share(Fraction(31), 34), share(Fraction(7, 2), 5)
    ('31/34 (0.912)', '0.700 (n 5)')
    """
    value = f"{float(total / n):.3f}"
    return f"{total}/{n} ({value})" if total.denominator == 1 else f"{value} (n {n})"


def listed(ids: list[str]) -> str:
    """Return the first ids, and how many more there are.

    Examples
    --------
    >>> listed(["a", "b"]), listed(list("abcdefghij"))
    ('a, b', 'a, b, c, d, e, f, g, h and 2 more')
    """
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return ", ".join(ids[:_NAMED]) + more

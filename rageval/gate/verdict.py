"""A gate's verdict: passed or failed, and every reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from rageval.comparison.changes import Comparison
from rageval.comparison.paired import Paired
from rageval.comparison.result import Result


class State(Enum):
    """What the candidate was held against."""

    BASELINE = "baseline"  # nothing was ever promoted: floors, errors and leaks alone
    COMPARABLE = "comparable"  # the champion, on the same benchmark
    RESCORED = "rescored"  # the champion, run anew on the candidate's benchmark
    UNKNOWN = "unknown"  # the champion cannot be read: floors alone, and never a pass


class Rule(Enum):
    """Which rule a reason is of."""

    ERRORS = "errors"
    LEAKS = "leaks"
    FLOOR = "floor"
    DROP = "drop"
    NO_TOLERANCE = "no_tolerance"
    DISTRACTORS = "new_distractors"


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


@dataclass(frozen=True)
class Verdict:
    """What the gate says of a candidate."""

    state: State
    candidate: Result
    comparison: Comparison | None  # None: there is no baseline
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Say whether every limit was kept, and there was nothing that could not be read."""
        return self.state is not State.UNKNOWN and all(check.passed for check in self.checks)

    @property
    def failures(self) -> list[Check]:
        """Return the limits that were not kept."""
        return [check for check in self.checks if not check.passed]


def share(total: Fraction, n: int) -> str:
    """Return a mean in words: counts where the total is whole, and the value.

    Examples
    --------
    >>> share(Fraction(31), 34), share(Fraction(7, 2), 5)
    ('31/34 (0.912)', '0.700 (n 5)')
    """
    value = f"{float(total / n):.3f}"
    return f"{total}/{n} ({value})" if total.denominator == 1 else f"{value} (n {n})"

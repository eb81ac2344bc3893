"""What shows a drop: counts, a test, or both; and where a set is too small for a test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from math import floor

from rageval.comparison.paired import Paired, signed
from rageval.statistics.detectable import least_lost, least_lost_beside
from rageval.statistics.differences import Differences
from rageval.statistics.joint import joint
from rageval.statistics.noninferiority import can_be_shown, not_worse


class Evidence(Enum):
    """What shows a drop."""

    COUNTS = "counts"  # it is larger than the tolerance
    SIGNIFICANT = "significant"  # it is larger than the tolerance, and more than chance
    NON_INFERIOR = "non_inferior"  # it is not shown to be smaller than the tolerance
    EITHER = "either"  # it is larger than the tolerance, or more than chance


@dataclass(frozen=True, slots=True)
class Standard:
    """How much is asked of the evidence."""

    evidence: Evidence
    level: float  # the chance of a false alarm in the whole family of tests, 0..1
    negligible: Fraction  # a drop up to this is no alarm, however sure; `either` alone


@dataclass(frozen=True, slots=True)
class Drop:
    """A measure over a subset that must not fall by more than a tolerance."""

    drop: Fraction  # before − after; negative where it rose
    tolerance: Fraction
    found: Differences | None  # None: no question is in both results
    worse: float = 1.0  # one-sided p of the randomisation test

    @property
    def beyond(self) -> bool:
        """Say whether more was lost than is tolerated."""
        return self.drop > self.tolerance

    @property
    def groups(self) -> int:
        """Return how many groups of questions a test could rest on."""
        return 0 if self.found is None else len(self.found.sizes)


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of one drop."""

    passed: bool
    used: Evidence  # counts where the set is too small for what was asked
    p: float | None  # of the test that was used, corrected for the family; None for counts
    family: int  # tests that it was corrected for
    why: str  # in words
    seen: Fraction | None = None  # the smallest drop that was sure to fail; None: no drop was


def judge(drops: Sequence[Drop], standard: Standard) -> list[Judged]:
    """Judge the drops of one gate together, as one family.

    `counts`: fails iff the drop is beyond the tolerance.
    `significant`: fails iff it is that, and the joint p of all tests is at most the level.
    `non_inferior`: passes iff Tango's p of losing the tolerance or more is at most the level; all
    of them must pass, so nothing is corrected.
    `either`: fails iff the drop is beyond the tolerance, or beyond `negligible` with a joint p (see
    `rageval.statistics.joint`) of at most the level.

    Where a subset is too small for a test (`testable`), counts decide.
    """
    able = [testable(drop, standard, len(drops)) for drop in drops]
    found = _judged(drops, able, standard)
    family = sum(able)
    return [
        replace(one, seen=smallest_seen(drop, standard, family if ok else 0))
        for one, drop, ok in zip(found, drops, able, strict=True)
    ]


def _judged(drops: Sequence[Drop], able: Sequence[bool], standard: Standard) -> list[Judged]:
    if standard.evidence is Evidence.NON_INFERIOR:
        return [
            _shown(drop, standard) if ok else _counted(drop, standard)
            for drop, ok in zip(drops, able, strict=True)
        ]
    tested = [drop for drop, ok in zip(drops, able, strict=True) if ok]
    p = iter(joint([drop.found for drop in tested]))
    return [
        _tested(drop, standard, next(p), len(tested)) if ok else _counted(drop, standard)
        for drop, ok in zip(drops, able, strict=True)
    ]


def testable(drop: Drop, standard: Standard, family: int) -> bool:
    """Say whether a subset is large enough for a test to have a say.

    It depends on sizes alone, never on what was found. `either`: so many groups as the exact test
    needs to notice a loss of all of them. `significant` forgives what the test does not notice, so
    it must also be able to notice a loss of twice what the counts allow. `non_inferior`: unchanged
    results must be able to pass.
    """
    if drop.found is None or standard.evidence is Evidence.COUNTS:
        return False
    if standard.evidence is Evidence.NON_INFERIOR:
        n = drop.found.n / drop.found.design_effect
        return can_be_shown(n, float(drop.tolerance), standard.level)
    least = least_lost(standard.level, family)
    if standard.evidence is Evidence.EITHER:
        return drop.groups >= least
    return drop.groups >= least and least <= 2 * failing(drop.tolerance, drop.found.n)


def smallest_seen(drop: Drop, standard: Standard, family: int) -> Fraction | None:
    """Return the smallest drop, in whole lost questions, that this gate was sure to fail.

    Counts fail a drop beyond the tolerance. The test, one of a `family` (0: none was made), fails
    so many lost questions as it notices beside those that were gained. `either` needs one of the
    two, `significant` both; `non_inferior` has excluded a drop of the tolerance or more.

    Examples
    --------
    >>> from rageval.statistics.differences import differences
    >>> unchanged = differences([Fraction(0)] * 34)
    >>> drop = Drop(Fraction(0), Fraction(1, 10), unchanged)
    >>> either = Standard(Evidence.EITHER, 0.05, Fraction(1, 100))
    >>> smallest_seen(drop, either, 1)  # 4 of 34 lost questions are more than 0.1
    Fraction(2, 17)
    >>> smallest_seen(replace(drop, tolerance=Fraction(1)), either, 1)  # the test notices 5
    Fraction(5, 34)
    """
    if drop.found is None:
        return None
    n = drop.found.n
    lost = failing(drop.tolerance, n)
    counted = Fraction(lost, n) if lost <= n else None
    if not family:
        return counted
    if standard.evidence is Evidence.NON_INFERIOR:
        return drop.tolerance
    noticed = _noticed(drop, standard, family)
    both = [one for one in (counted, noticed) if one is not None]
    if standard.evidence is Evidence.SIGNIFICANT:
        return max(both) if len(both) == 2 else None
    return min(both, default=None)


def _noticed(drop: Drop, standard: Standard, family: int) -> Fraction | None:
    """Return the smallest drop that the test notices, beside the groups that were gained."""
    gained = int((drop.found.totals > 0).sum()) if drop.found else 0
    lost = least_lost_beside(gained, standard.level, family)
    if lost > drop.groups - gained:
        return None
    net = Fraction(lost - gained, drop.groups)
    if standard.evidence is Evidence.EITHER and net <= standard.negligible:
        return Fraction(failing(standard.negligible, drop.groups), drop.groups)
    return net


def failing(tolerance: Fraction, n: int) -> int:
    """Return how many lost questions of n are more than a tolerance.

    Examples
    --------
    >>> failing(Fraction(1, 10), 34), failing(Fraction(0), 34)
    (4, 1)
    """
    return floor(tolerance * n) + 1


def _counted(drop: Drop, standard: Standard) -> Judged:
    why = "counts decide"
    if standard.evidence is not Evidence.COUNTS:
        why = f"too few questions for a test at {standard.level:g}: counts decide"
    return Judged(not drop.beyond, Evidence.COUNTS, None, 0, why)


def _tested(drop: Drop, standard: Standard, p: float, family: int) -> Judged:
    significant = p <= standard.level
    if standard.evidence is Evidence.SIGNIFICANT:
        failed = drop.beyond and significant
        why = (
            "significant"
            if failed
            else "beyond the tolerance, but not significant"
            if drop.beyond
            else "within the tolerance"
        )
        return Judged(not failed, Evidence.SIGNIFICANT, p, family, why)
    noticed = significant and drop.drop > standard.negligible
    why = " and ".join(
        words
        for words, said in (("beyond the tolerance", drop.beyond), ("a significant drop", noticed))
        if said
    )
    return Judged(
        not (drop.beyond or noticed), Evidence.EITHER, p, family, why or "no significant drop"
    )


def _shown(drop: Drop, standard: Standard) -> Judged:
    p = 1.0 if drop.found is None else not_worse(drop.found, float(drop.tolerance))
    passed = p <= standard.level
    why = f"non-inferiority {'' if passed else 'not '}shown"
    return Judged(passed, Evidence.NON_INFERIOR, p, 1, why)


def in_words(paired: Paired, judged: Judged) -> str:
    """Return the difference, how sure it is and what was made of it, in a line.

    Examples
    --------
    >>> found = Paired(34, 34, -4 / 34, -0.235, -0.029, 0.0625, 0.125, True)
    >>> in_words(found, Judged(False, Evidence.EITHER, 0.125, 2, "beyond the tolerance"))
    '−0.118 [−0.235, −0.029], p 0.062, 0.125 among 2 tests: beyond the tolerance'
    """
    told = f"{signed(paired)}, p {paired.worse:.3f}"
    if judged.used is Evidence.NON_INFERIOR and judged.p is not None:
        told = f"{signed(paired)}, p {judged.p:.3f} of losing that much or more"
    elif judged.p is not None and judged.family > 1:
        told += f", {judged.p:.3f} among {judged.family} tests"
    groups = f" ({paired.groups} groups)" if paired.groups < paired.n else ""
    return f"{told}{groups}: {judged.why}"

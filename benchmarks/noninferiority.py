"""How often four methods call a retriever not worse that truly lost the whole tolerance.

python -m benchmarks.noninferiority [--draws 2000]

The true loss is the tolerance, beside churn of 3.2 % each way, so at a level of 5 % no method
should say "shown to lose less" in more than 5 % of the draws. What a method says where nothing
changed at all, and only churn did, shows what it costs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from benchmarks.gate_worlds import CHURN
from rageval.statistics.bootstrap import bca
from rageval.statistics.differences import Differences, differences
from rageval.statistics.noninferiority import not_worse
from rageval.statistics.randomisation import randomisation

LEVEL = 0.05


def tango(found: Differences, tolerance: float) -> bool:
    """Ask Tango's score test, which is shipped."""
    return not_worse(found, tolerance) <= LEVEL


def wald(found: Differences, tolerance: float) -> bool:
    """Ask the textbook's normal interval."""
    spread = found.each.std() / np.sqrt(found.n)
    if spread == 0:
        return bool(found.mean > -tolerance)
    return bool(ndtr((-tolerance - found.mean) / spread) <= LEVEL)


def bootstrap(found: Differences, tolerance: float) -> bool:
    """Ask whether the BCa interval lies above."""
    return bca(found, level=1 - 2 * LEVEL).low > -tolerance


def flipped(found: Differences, tolerance: float) -> bool:
    """Ask the sign-flip test of the differences less the tolerance."""
    moved = [Fraction(int(d)) + Fraction(str(tolerance)) for d in found.each]
    return 1 - randomisation(differences(moved)).worse <= LEVEL and found.mean > -tolerance


METHODS: dict[str, Callable[[Differences, float], bool]] = {
    "Tango (shipped)": tango,
    "Wald": wald,
    "BCa": bootstrap,
    "shifted sign flips": flipped,
}


def cells(
    random: np.random.Generator, draws: int, n: int, tolerance: float, loss: float
) -> list[str]:
    """Return how often each method says "shown to lose less", in %."""
    chances = [CHURN + loss, CHURN, 1 - 2 * CHURN - loss]
    said = np.array([_said(counts, tolerance) for counts in random.multinomial(n, chances, draws)])
    return [f"{100 * share:.1f}" for share in said.mean(axis=0)]


def _said(counts: NDArray[np.int64], tolerance: float) -> list[bool]:
    lost, gained, same = counts.tolist()
    values = [Fraction(-1)] * lost + [Fraction(1)] * gained + [Fraction(0)] * same
    found = differences(values)
    return [method(found, tolerance) for method in METHODS.values()]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    asked = parser.parse_args()
    random = np.random.default_rng(98)
    print(f"called not worse, % of {asked.draws:,} draws, level {LEVEL:g}\n")
    print(f"| tolerance | n | true loss | {' | '.join(METHODS)} |")
    print("|---" * (3 + len(METHODS)) + "|")
    for tolerance in (0.1, 0.05):
        for n in (34, 48, 100, 400):
            for loss in (tolerance, 0.0):
                chances = [CHURN + loss, CHURN, 1 - 2 * CHURN - loss]
                found = " | ".join(cells(random.multinomial(n, chances, asked.draws), tolerance))
                print(f"| {tolerance} | {n} | {loss:g} | {found} |", flush=True)


if __name__ == "__main__":
    main()

"""The paired tests beside scipy: sign flips and the BCa interval.

python -m benchmarks.paired [--sizes 50 1000] [--resamples 100000]

Both sides get the same differences of reciprocal ranks. `sampled` draws as many flips as scipy, `as
shipped` works the whole distribution out while that is cheaper. The p must agree within the error
of the draws. scipy's bootstrap leaves one question out at a time, so its memory is quadratic in n.
"""

from __future__ import annotations

import argparse
from fractions import Fraction

import numpy as np
from scipy import stats

from benchmarks.timing import machine, seconds
from rageval.statistics.bootstrap import RESAMPLES, bca
from rageval.statistics.differences import Differences, differences
from rageval.statistics.randomisation import flips, randomisation


def made(n: int) -> Differences:
    """Draw n differences of reciprocal ranks."""
    before, after = np.random.default_rng(n).integers(1, 7, (2, n)).tolist()
    pairs = zip(before, after, strict=True)
    return differences([Fraction(1, late) - Fraction(1, early) for early, late in pairs])


def scipys(found: Differences, resamples: int) -> float:
    """Return scipy's p of as low a mean, vectorised in batches as its manual advises."""
    values = found.each / found.scale
    return float(
        stats.permutation_test(
            (values,),
            lambda x, axis: x.mean(axis=axis),
            permutation_type="samples",
            alternative="less",
            n_resamples=resamples,
            vectorized=True,
            batch=max(1, 10**6 // found.n),
            rng=np.random.default_rng(0),
        ).pvalue
    )


def rows(n: int, resamples: int) -> list[tuple[str, float, float]]:
    """Return each way's name, seconds and p or lower end."""
    found = made(n)
    sizes, observed = np.abs(found.each), int(found.each.sum())

    def sampled() -> float:
        low = int((flips(sizes, resamples, 7) <= observed).sum())
        return (1 + low) / (1 + resamples)

    def theirs() -> float:
        interval = stats.bootstrap(
            (found.each / found.scale,), np.mean, n_resamples=RESAMPLES, method="BCa",
            batch=max(1, 10**6 // n), rng=np.random.default_rng(0),
        ).confidence_interval  # fmt: skip
        return float(interval.low)

    works = {
        "sign flips, sampled": (sampled, 5),
        "sign flips, as shipped": (lambda: randomisation(found).worse, 5),
        "sign flips, scipy": (lambda: scipys(found, resamples), 1),
        "BCa": (lambda: bca(found).low, 5),
        "BCa, scipy": (theirs, 1),
    }
    return [(name, seconds(work, repeats), work()) for name, (work, repeats) in works.items()]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", type=int, default=[50, 1000])
    parser.add_argument("--resamples", type=int, default=100_000)
    asked = parser.parse_args()
    print(f"{asked.resamples:,} flips, {RESAMPLES:,} bootstrap resamples; {machine()}\n")
    print("| n | what | seconds | scipy takes | p, or lower end |")
    print("|---|---|---|---|---|")
    for n in asked.sizes:
        found = rows(n, asked.resamples)
        for number, (name, taken, value) in enumerate(found):
            scipy = found[2 if number < 3 else 4][1]
            print(f"| {n:,} | {name} | {taken:.4f} | {scipy / taken:,.0f} × | {value:.4f} |")


if __name__ == "__main__":
    main()

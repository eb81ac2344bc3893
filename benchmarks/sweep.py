"""What a sweep costs with its stages kept, and without; and what one more cell costs.

python -m benchmarks.sweep --data DIR [--set cranfield] [--sample 12] [--noop 20]

DIR holds the collection's folder in BEIR's form. The grid is 3 retrievers × 4 chunkings × 10 floors
× 5 weights = 600 combinations. Weights are the hybrid's alone, so 280 of them are cells: 80 of bm25
and dense, 200 hybrids. Both ways run in this process, one after the other, without tracking;
`cache=off` on a sample of the cells, evenly spaced over the grid, and extrapolated. Seconds are
those of the processor, so that a busy machine says the same.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import time
from collections.abc import Sequence
from itertools import product

from benchmarks.timing import machine
from rageval.door import enter

CHUNKINGS = ("whole", "sentence", "fixed", "recursive")
FLOORS = tuple(f"{n / 20}" for n in range(10))
WEIGHTS = ("0.2", "0.4", "0.6", "0.8", "1.0")


def main() -> None:
    """Run both and print the ratios."""
    wanted = _arguments()
    base = [
        "dataset=beir", f"dataset.path={wanted.data}/{wanted.set}", "tracking=off",
        f"latency.sample={wanted.latency}", "output.questions=none",
    ]  # fmt: skip
    print(f"{wanted.set}, {machine()}, latency.sample={wanted.latency}")
    _run(["+retriever=bm25", "chunking=whole", *base])  # imports are nobody's cells
    kept = sum(_run(["-m", *part, *base]) for part in _grids())
    cells = list(_cells())
    print(
        f"{len(cells)} cells, cache=memory: {kept:.1f} s, {kept / len(cells) * 1000:.0f} ms a cell"
    )
    sample = cells[:: max(1, len(cells) // wanted.sample)]
    anew = sum(_run([*cell, *base, "cache=off"]) for cell in sample) / len(sample)
    print(f"{len(sample)} of them, cache=off: {anew * 1000:.0f} ms a cell")
    print(
        f"extrapolated to all: {anew * len(cells):.0f} s, {anew * len(cells) / kept:.1f} × as long"
    )
    _noop(wanted.noop)


def _grids() -> list[list[str]]:
    grid = [f"chunking={','.join(CHUNKINGS)}", f"window.min_score={','.join(FLOORS)}"]
    weights = f"retriever.weights.lexical={','.join(WEIGHTS)}"
    return [["+retriever=bm25,dense", *grid], ["+retriever=hybrid", *grid, weights]]


def _cells() -> Sequence[list[str]]:
    plain = product(("bm25", "dense"), CHUNKINGS, FLOORS, ("",))
    mixed = product(("hybrid",), CHUNKINGS, FLOORS, WEIGHTS)
    return [
        [f"+retriever={name}", f"chunking={cut}", f"window.min_score={floor}"]
        + ([f"retriever.weights.lexical={weight}"] if weight else [])
        for name, cut, floor, weight in [*plain, *mixed]
    ]


def _noop(cells: int) -> None:
    """Time cells that are planned and not run, by our launcher and by Hydra's."""
    words = ["-m", "+retriever=bm25", f"window.k=range(1,{cells + 1})", "tracking=off"]
    little = ["latency.sample=0", "output.questions=none"]
    ours = _run([*words, *little, "sweep.dry_run=true"]) / cells
    print(f"{cells} planned cells of the sample: {ours * 1000:.0f} ms a cell, set and launcher")
    for launcher in ("rageval", "basic"):
        taken = _run([*words, *little, f"hydra/launcher={launcher}"]) / cells
        print(
            f"{cells} cells of the sample, bm25, hydra/launcher={launcher}: {taken * 1000:.0f} ms"
        )


def _run(words: list[str]) -> float:
    begun = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        code = enter(words)
    if code:
        raise SystemExit(f"exit {code}: {' '.join(words)}")
    return time.process_time() - begun


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--set", default="cranfield")
    parser.add_argument("--sample", type=int, default=12)
    parser.add_argument("--latency", type=int, default=0)
    parser.add_argument("--noop", type=int, default=20)
    return parser.parse_args()


if __name__ == "__main__":
    main()

"""What a sweep costs with its stages kept, and without; recorded, again, and in memory.

python -m benchmarks.sweep --data DIR [--set cranfield] [--sample 12] [--tracking] [--noop 20]

DIR holds the collection's folder in BEIR's form. Two grids of 600 combinations:

- `plain`: 3 retrievers (bm25, dense, hybrid) × 4 chunkings × 10 floors × 5 weights. Weights are the
  hybrid's alone, so 280 of them are cells.
- `mixed`: 3 hybrids (fusion zscore, minmax, rrf) × 4 chunkings × 10 floors × 5 weights: 600 cells.

`cache=off` is timed on a sample of the cells, evenly spaced over the grid, and extrapolated. All
ways run in this process, one after the other. Seconds without tracking are those of the processor,
so that a busy machine says the same; with tracking they are those of the clock, since the database
is waited for.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

from benchmarks.bare import bare_write
from benchmarks.timing import machine
from rageval.cli.main import run_command

CHUNKINGS = ("whole", "sentence", "fixed", "recursive")
FLOORS = tuple(f"{n / 20}" for n in range(10))
WEIGHTS = ("0.2", "0.4", "0.6", "0.8", "1.0")
FUSIONS = ("zscore", "minmax", "rrf")
Words = list[str]


def main() -> None:
    """Run everything and print the ratios."""
    wanted = _arguments()
    base = _base(wanted.data, wanted.set)
    if wanted.peak:
        _run([*_mixed(FLOORS[: wanted.peak // 60]), *base, "tracking=off"])
        print(_peak())
        return
    print(f"{wanted.set}, {machine()}", flush=True)
    _run(["+retriever=hybrid", "chunking=whole", *base, "tracking=off"])  # imports
    for name, sweeps, cells in (
        ("plain", _plain(), list(_plain_cells())),
        ("mixed", [_mixed(FLOORS)], list(_mixed_cells())),
    ):
        _untracked(name, sweeps, cells, (base, wanted.sample))
    if wanted.tracking:
        _tracked(base)
    _memory(wanted)
    _noop(wanted.noop)


def _untracked(
    name: str, sweeps: Sequence[Words], cells: Sequence[Words], how: tuple[Words, int]
) -> None:
    base, number = how[0], len(cells)
    kept = sum(_run([*sweep, *base, "tracking=off"]) for sweep in sweeps)
    print(f"{name}: {number} cells, kept: {kept:.1f} s, {kept / number * 1000:.0f} ms a cell")
    sample = cells[:: max(1, number // how[1])]
    anew = sum(_run([*cell, *base, "tracking=off", "cache=off"]) for cell in sample) / len(sample)
    print(f"{name}: {len(sample)} of them, cache=off: {anew * 1000:.0f} ms a cell")
    ratio = anew * number / kept
    print(f"{name}: cache=off for all of them {anew * number:.0f} s, {ratio:.0f} ×", flush=True)


def _tracked(base: Words) -> None:
    """Time 600 recorded cells, the same again, and MLflow's own calls with the same content."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        words = [*_mixed(FLOORS), *base]
        _run(["-m", "+retriever=bm25", "window.k=1,2", *base])  # the database is made
        alone = _run([*words, "tracking=off"], time.perf_counter)
        first = _run(words, time.perf_counter)
        again = _run(words, time.perf_counter)
        bare = bare_write(Path.cwd(), 30)
    print(f"mixed, recorded: {first:.1f} s; without tracking {alone:.1f} s (clock)")
    print(f"MLflow's own calls with the content of a cell: {bare * 1000:.0f} ms")
    print(
        f"recorded / (stages and scores once + 600 bare writes): {first / (alone + 600 * bare):.2f}"
    )
    print(f"the same again: {again:.1f} s, 1/{first / again:.0f} of the first", flush=True)


def _memory(wanted: argparse.Namespace) -> None:
    """Compare the peak of a process with 60 cells with that of one with 600."""
    peaks = [_peak_of(wanted, cells) for cells in (60, 600)]
    print(f"peak memory: {peaks[0]} MB with 60 cells, {peaks[1]} MB with 600", flush=True)


def _peak_of(wanted: argparse.Namespace, cells: int) -> int:
    words = ["-m", "benchmarks.sweep", "--data", wanted.data, "--set", wanted.set]
    done = subprocess.run(
        [sys.executable, *words, "--peak", str(cells)], capture_output=True, text=True, check=True
    )
    return int(done.stdout.split()[-1])


def _peak() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _base(data: str, name: str) -> Words:
    path = os.fspath(Path(data).resolve() / name)
    return ["dataset=beir", f"dataset.path={path}", "latency.sample=0", "output.questions=none"]


def _grid(floors: Sequence[str]) -> Words:
    return [f"chunking={','.join(CHUNKINGS)}", f"window.min_score={','.join(floors)}"]


def _plain() -> list[Words]:
    weights = f"retriever.weights.lexical={','.join(WEIGHTS)}"
    return [
        ["-m", "+retriever=bm25,dense", *_grid(FLOORS)],
        ["-m", "+retriever=hybrid", *_grid(FLOORS), weights],
    ]


def _mixed(floors: Sequence[str]) -> Words:
    swept = [f"retriever.fusion={','.join(FUSIONS)}"]
    weights = [f"retriever.weights.lexical={','.join(WEIGHTS)}"]
    return ["-m", "+retriever=hybrid", *swept, *_grid(floors), *weights]


def _plain_cells() -> list[Words]:
    plain = product(("bm25", "dense"), CHUNKINGS, FLOORS, ("",))
    mixed = product(("hybrid",), CHUNKINGS, FLOORS, WEIGHTS)
    return [
        [f"+retriever={name}", f"chunking={cut}", f"window.min_score={floor}"]
        + ([f"retriever.weights.lexical={weight}"] if weight else [])
        for name, cut, floor, weight in [*plain, *mixed]
    ]


def _mixed_cells() -> list[Words]:
    return [
        [
            "+retriever=hybrid", f"retriever.fusion={fusion}", f"chunking={cut}",
            f"window.min_score={floor}", f"retriever.weights.lexical={weight}",
        ]
        for fusion, floor, weight, cut in product(FUSIONS, FLOORS, WEIGHTS, CHUNKINGS)
    ]  # fmt: skip


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


def _run(words: Words, clock: Callable[[], float] = time.process_time) -> float:
    begun = clock()
    with contextlib.redirect_stdout(io.StringIO()) as said:
        code = run_command(words)
    if code:
        raise SystemExit(f"exit {code}: {' '.join(words)}\n{said.getvalue()}")
    return clock() - begun


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--set", default="cranfield")
    parser.add_argument("--sample", type=int, default=12)
    parser.add_argument("--noop", type=int, default=20)
    parser.add_argument("--tracking", action="store_true")
    parser.add_argument("--peak", type=int, help="cells, 60 or 600: print the peak memory in MB")
    return parser.parse_args()


if __name__ == "__main__":
    main()

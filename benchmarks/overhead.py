"""What the tool costs beside its libraries: help, one evaluation of the sample, dense search.

python -m benchmarks.overhead [--repeats 5]

Processes are measured by the processor time that they use, with one BLAS thread: on an idle machine
that is what one waits for, and on a busy one it still means something.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.timing import interleaved, machine
from rageval.chunking.chunks import Chunks
from rageval.corpus.document import Corpus, Document
from rageval.retrieval.encoders.encoder import Vectors, unit_rows
from rageval.retrieval.retrievers.dense import Dense
from rageval.retrieval.retrievers.retriever import Query, Scope

ROOT = Path(__file__).resolve().parent.parent
LIBRARIES = """
import sys
import hydra, mlflow, sklearn.feature_extraction.text
from mlflow import MlflowClient
MlflowClient(tracking_uri="sqlite:///mlruns/mlflow.db").get_experiment_by_name("handbook")
"""
# The steps of one evaluation, by the functions that take them: (module, name, what it is).
STEPS = (
    ("rageval.cli.commands.evaluate", "_plan", "read corpus and golden set, check, build"),
    ("rageval.cli.commands.evaluate", "_outcome", "cut, index, ask, score"),
    ("rageval.cli.commands.evaluate", "record", "tables, plots and page"),
    ("rageval.cli.commands.evaluate", "write", "write the run"),
    ("rageval.cli.commands.evaluate", "_show", "print"),
)
WATCHED = """
import importlib, json, sys, time
from rageval.cli.main import run_command
taken = {{}}
def watch(module, name):
    owner = importlib.import_module(module)
    plain = getattr(owner, name)
    def timed(*args, **kwargs):
        begun = time.process_time()
        try:
            return plain(*args, **kwargs)
        finally:
            taken[name] = time.process_time() - begun
    setattr(owner, name, timed)
begun = time.process_time()
{preload}
loaded = time.process_time()
for module, name in {steps!r}:
    watch(module, name)
watched = time.process_time()
run_command(["+retriever=hybrid"])
taken["all"] = time.process_time() - watched
taken["modules"] = watched - loaded
print(json.dumps(taken), file=sys.stderr)
"""


def process(code: Sequence[str], folder: str) -> float:
    """Return the processor seconds that a Python process uses from start to end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *code], cwd=folder, env=_environment(), check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _environment() -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MLFLOW_")}
    return {**kept, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def in_turns(asked: dict[str, list[str]], folder: str, repeats: int) -> dict[str, float]:
    """Return the median of each process, run in turns after a first round that is not counted."""
    rounds = [
        {name: process(code, folder) for name, code in asked.items()} for _ in range(repeats + 1)
    ]
    return {name: statistics.median(taken[name] for taken in rounds[1:]) for name in asked}


def help_ratio(repeats: int) -> tuple[float, float]:
    """Return the seconds of `rageval --help` and of importing hydra alone."""
    asked = {"help": ["-m", "rageval", "--help"], "hydra": ["-c", "import hydra"]}
    taken = in_turns(asked, str(ROOT), repeats)
    return taken["help"], taken["hydra"]


@dataclass(frozen=True)
class Overhead:
    """One evaluation of the sample, in processor seconds."""

    whole: float  # the process
    libraries: float  # a process that imports mlflow, hydra, scikit-learn and opens the store
    steps: dict[str, float]  # in a process that had them imported


def evaluation(repeats: int) -> Overhead:
    """Evaluate the sample in processes of its own, with a store that exists."""
    with tempfile.TemporaryDirectory() as folder:
        asked = {
            "whole": ["-m", "rageval", "+retriever=hybrid"],
            "libraries": ["-c", LIBRARIES],
        }
        taken = in_turns(asked, folder, repeats)
        return Overhead(taken["whole"], taken["libraries"], _steps(folder, repeats))


def _steps(folder: str, repeats: int) -> dict[str, float]:
    code = WATCHED.format(preload=LIBRARIES, steps=[step[:2] for step in STEPS])
    rows = []
    for _ in range(repeats):
        ended = subprocess.run(
            [sys.executable, "-c", code],
            cwd=folder,
            env=_environment(),
            check=True,
            capture_output=True,
            text=True,
        )
        rows.append(json.loads(ended.stderr.splitlines()[-1]))
    return {name: statistics.median(row[name] for row in rows) for name in rows[0]}


class Given:
    """An encoder of given vectors: those of the chunks, then those of the questions."""

    def __init__(self, chunks: Vectors, questions: Vectors) -> None:
        self.chunks, self.questions = chunks, questions

    def fit(self, texts: Sequence[str]) -> Given:
        """Return itself."""
        return self

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of all chunks."""
        return self.chunks

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of the questions that the texts number."""
        return self.questions[[int(text) for text in texts]]


def dense(size: int, dimensions: int, questions: int, repeats: int) -> dict[str, float]:
    """Return the seconds of searching, and of the matrix product inside it."""
    random = np.random.default_rng(0)
    rows = unit_rows(random.standard_normal((size, dimensions)).astype(np.float32))
    asked = unit_rows(random.standard_normal((questions, dimensions)).astype(np.float32))
    corpus = Corpus(tuple(Document(str(n), "x") for n in range(size)), "made")
    ends = np.ones(size, np.int64)
    chunks = Chunks(corpus, np.arange(size, dtype=np.int32), ends * 0, ends)
    index = Dense(encoder=Given(rows, asked)).index(chunks)
    scope = Scope.of(frozenset(), chunks)
    queries = [Query(str(n), scope) for n in range(questions)]
    return interleaved(
        {
            "search": lambda: index.search(queries, 50),
            "product": lambda: [asked[at : at + 200] @ rows.T for at in range(0, questions, 200)],
        },
        repeats,
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    print(f"median of {repeats}; {machine()}\n")
    shown, imported = help_ratio(repeats)
    print("| help | seconds | ratio |\n|---|---|---|")
    print(f"| `python -c 'import hydra'` | {imported:.2f} | 1 |")
    print(f"| `python -m rageval --help` | {shown:.2f} | {shown / imported:.2f} |\n")
    found = evaluation(repeats)
    print("| one evaluation of the sample | seconds |\n|---|---|")
    print(f"| the whole process | {found.whole:.2f} |")
    print(f"| importing mlflow, hydra, scikit-learn, opening the store | {found.libraries:.2f} |")
    print(f"| **what rageval adds** | **{found.whole - found.libraries:.2f}** |")
    print(f"| … its modules, with rich, pydantic and the rest | {found.steps['modules']:.2f} |")
    for _, name, meaning in STEPS:
        print(f"| … {meaning} | {found.steps[name]:.2f} |")
    rest = found.steps["all"] - sum(found.steps[name] for _, name, _ in STEPS)
    print(f"| … Hydra composing, opening the store once more | {rest:.2f} |\n")
    taken = dense(20_000, 256, 512, repeats)
    print("| dense, 512 questions over 20,000 × 256, depth 50 | seconds | ratio |\n|---|---|---|")
    print(f"| the bare matrix product | {taken['product']:.3f} | 1 |")
    print(f"| search | {taken['search']:.3f} | {taken['search'] / taken['product']:.2f} |")


if __name__ == "__main__":
    main()

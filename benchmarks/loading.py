"""Loading and checking 100,000 questions over 1,000,000 documents.

    python -m benchmarks.loading [--documents N] [--questions N]

Files in BEIR's layout are generated in a temporary folder: documents of 60 words with a title,
two judgements a question. Each job runs in a process of its own; printed are its seconds of
processor, imports included, its peak of memory, and the ratio to reading the same files with `json`
alone. The targets are 3 × and 4 GiB.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

TARGET_RATIO, TARGET_GIB = 3.0, 4.0
_WORDS = 60  # of a document


def generate(folder: Path, documents: int, questions: int) -> None:
    """Write corpus.jsonl, queries.jsonl and qrels/test.tsv."""
    draw = random.Random(1)
    words = [f"word{n}" for n in range(20_000)]
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as file:
        for n in range(documents):
            text = " ".join(draw.choices(words, k=_WORDS))
            row = {"_id": f"doc-{n}", "title": f"Title {n}", "text": text, "metadata": {}}
            file.write(json.dumps(row) + "\n")
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as file:
        for n in range(questions):
            text = " ".join(draw.choices(words, k=9)) + "?"
            file.write(json.dumps({"_id": f"q-{n}", "text": text, "metadata": {}}) + "\n")
    (folder / "qrels").mkdir()
    with (folder / "qrels" / "test.tsv").open("w", encoding="utf-8") as file:
        file.write("query-id\tcorpus-id\tscore\n")
        for n in range(questions):
            for document in draw.sample(range(documents), 2):
                file.write(f"q-{n}\tdoc-{document}\t1\n")


def read_json(folder: Path) -> None:
    """Read the files with the standard library alone, keeping everything."""
    kept: list[object] = []
    for name in ("corpus.jsonl", "queries.jsonl"):
        with (folder / name).open(encoding="utf-8") as file:
            kept.append([json.loads(line) for line in file])
    with (folder / "qrels" / "test.tsv").open(encoding="utf-8") as file:
        kept.append([line.rstrip("\n").split("\t") for line in file])


def load(folder: Path) -> None:
    """Load corpus and golden set, and hold the labels against the documents."""
    from rageval.formats.beir.corpus import BeirCorpus
    from rageval.formats.beir.golden import BeirGolden
    from rageval.golden.access import PublicOnly
    from rageval.judging.check import check

    corpus = BeirCorpus(str(folder)).load()
    golden = BeirGolden(str(folder)).load(corpus)
    check(golden, corpus, PublicOnly())


def warn(folder: Path) -> None:
    """Do as `load`, and look for everything that `check` warns of."""
    from rageval.formats.beir.corpus import BeirCorpus
    from rageval.formats.beir.golden import BeirGolden
    from rageval.golden.access import PublicOnly
    from rageval.judging.check import check
    from rageval.judging.labelled import Labelled
    from rageval.judging.warnings import doubts

    corpus = BeirCorpus(str(folder)).load()
    golden = BeirGolden(str(folder)).load(corpus)
    evidence = check(golden, corpus, PublicOnly())
    doubts(Labelled(golden, evidence, corpus, PublicOnly()), 0.8)


JOBS: dict[str, Callable[[Path], None]] = {"json": read_json, "load": load, "warn": warn}


def timed(job: str, folder: Path) -> tuple[float, float]:
    """Return the seconds and the peak in GiB of a job in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.loading", "--job", job, "--folder", str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, peak = done.stdout.split()
    return float(seconds), float(peak)


def main() -> None:
    """Generate, measure, print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--questions", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--job", choices=JOBS)
    parser.add_argument("--folder", type=Path)
    told = parser.parse_args()
    if told.job:
        begun = time.process_time()
        JOBS[told.job](told.folder)
        seconds = time.process_time() - begun
        print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
        return
    with tempfile.TemporaryDirectory() as name:
        generate(Path(name), told.documents, told.questions)
        rounds = [{job: timed(job, Path(name)) for job in JOBS} for _ in range(told.repeats)]
    print(f"{told.questions:,} questions over {told.documents:,} documents, best of {told.repeats}")
    print(f"{'':6}{'seconds':>9}{'× json':>9}{'GiB':>7}")
    base = min(found["json"][0] for found in rounds)
    for job in JOBS:
        seconds, peak = (min(found[job][n] for found in rounds) for n in (0, 1))
        print(f"{job:6}{seconds:9.1f}{seconds / base:9.2f}{peak:7.2f}")
    ratio = min(found["load"][0] for found in rounds) / base
    print(f"target: load ≤ {TARGET_RATIO} × json and ≤ {TARGET_GIB} GiB: {ratio:.2f} ×")


if __name__ == "__main__":
    main()

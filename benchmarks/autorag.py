"""48 configurations of BM25: a sweep of ours against AutoRAG's own trial, in one run.

python -m benchmarks.autorag --data DIR --python PYTHON [--set scifact]

PYTHON is the interpreter of an environment that holds AutoRAG (`pip install AutoRAG==0.3.27`).
1,000 documents and up to 200 questions of a collection in BEIR's form, the same for both. The
configurations are 48 sizes of the window (`top_k` there, `window.k` here); AutoRAG's BM25 has no
other setting that works without a download. Both are timed as whole processes by the clock, and
without what they import; AutoRAG writes its results to files, so ours is timed recorded too.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.timing import machine

SIZES = 48
DOCUMENTS, QUESTIONS = 1000, 200
THEIRS = """
import datetime, json, sys, time
begun = time.perf_counter()
import pandas as pd
import yaml
from autorag.evaluator import Evaluator
imported = time.perf_counter()
here = sys.argv[1]
content = json.load(open(f"{here}/content.json"))
when = {"last_modified_datetime": datetime.datetime(2024, 1, 1)}
pd.DataFrame(
    [{"doc_id": key, "contents": text, "metadata": when} for key, text in content["corpus"]]
).to_parquet(f"{here}/corpus.parquet")
pd.DataFrame(
    [
        {"qid": key, "query": text, "retrieval_gt": [found], "generation_gt": ["-"]}
        for key, text, found in content["questions"]
    ]
).to_parquet(f"{here}/qa.parquet")
module = {"module_type": "bm25", "bm25_tokenizer": "porter_stemmer"}
metrics = ["retrieval_recall", "retrieval_precision", "retrieval_ndcg", "retrieval_mrr"]
node = {
    "node_type": "lexical_retrieval", "strategy": {"metrics": metrics},
    "top_k": list(range(1, content["sizes"] + 1)), "modules": [module],
}
line = {"node_line_name": "line", "nodes": [node]}
yaml.safe_dump({"node_lines": [line]}, open(f"{here}/trial.yaml", "w"))
trial = Evaluator(f"{here}/qa.parquet", f"{here}/corpus.parquet", project_dir=f"{here}/project")
begin = time.perf_counter()
trial.start_trial(f"{here}/trial.yaml", skip_validation=True)
summary = pd.read_csv(f"{here}/project/0/line/lexical_retrieval/summary.csv")
print("RESULT", len(summary), imported - begun, time.perf_counter() - begin)
"""
OURS = """
import sys, time
begun = time.perf_counter()
from rageval.cli.main import run_command
words = sys.argv[1:]
import rageval.sweep.running, sklearn, bm25s, scipy.sparse
if "tracking=off" not in words:
    import mlflow
imported = time.perf_counter()
code = run_command(words)
print("RESULT", code, imported - begun, time.perf_counter() - imported)
"""


def main() -> None:
    """Run both and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--set", default="scifact")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        documents, questions = _subset(Path(wanted.data) / wanted.set, here)
        print(f"{wanted.set}: {documents} documents × {questions} questions, {machine()}")
        theirs = _timed([wanted.python, "-c", THEIRS, folder], here)
        _told(f"AutoRAG, {theirs[0]:.0f} configurations", theirs)
        if theirs[0] != SIZES:
            raise SystemExit("AutoRAG evaluated another number of configurations")
        words = [
            "-m", "+retriever=bm25", "chunking=whole", "dataset=beir", f"dataset.path={here}/set",
            f"window.k=range(1,{SIZES + 1})", "latency.sample=0", "output.questions=none",
        ]  # fmt: skip
        for name, more in (("not recorded", ["tracking=off"]), ("recorded", [])):
            ours = _timed([sys.executable, "-c", OURS, *words, *more], here)
            _told(f"rageval, {SIZES} cells, {name}", ours)
            print(
                f"  {theirs[1] / ours[1]:.1f} × whole, {theirs[3] / ours[3]:.1f} × without imports"
            )


def _told(name: str, found: tuple[float, ...]) -> None:
    print(f"{name}: {found[1]:.1f} s whole; imports {found[2]:.1f} s, work {found[3]:.1f} s")


def _timed(words: list[str], here: Path) -> tuple[float, float, float, float]:
    """Return what a process says first, its whole time, its imports and its work."""
    environment = {**os.environ, "PYTHONPATH": os.fspath(Path.cwd())}
    begun = time.perf_counter()
    done = subprocess.run(
        words, cwd=here, capture_output=True, text=True, check=False, env=environment
    )
    whole = time.perf_counter() - begun
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT")]
    if not lines:
        raise SystemExit(f"failed: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    first, imports, work = map(float, lines[-1].split()[1:])
    return first, whole, imports, work


def _subset(source: Path, here: Path) -> tuple[int, int]:
    """Write a part of a collection in BEIR's form and as one file for AutoRAG."""
    judged = _qrels(source)
    questions = {
        row["_id"]: row["text"] for row in _rows(source / "queries.jsonl") if row["_id"] in judged
    }
    chosen = list(questions)[:QUESTIONS]
    needed = {name for key in chosen for name in judged[key]}
    rows = _rows(source / "corpus.jsonl")
    first = [row for row in rows if row["_id"] in needed]
    corpus = (first + [row for row in rows if row["_id"] not in needed])[:DOCUMENTS]
    there = {row["_id"] for row in corpus}
    found = {key: [name for name in judged[key] if name in there] for key in chosen}
    _write(here / "set", corpus, {key: questions[key] for key in chosen if found[key]}, found)
    content = {
        "sizes": SIZES,
        "corpus": [[row["_id"], f"{row.get('title', '')} {row['text']}".strip()] for row in corpus],
        "questions": [[key, questions[key], found[key]] for key in chosen if found[key]],
    }
    (here / "content.json").write_text(json.dumps(content))
    return len(corpus), len(content["questions"])


def _write(
    folder: Path, corpus: list[dict], questions: dict[str, str], found: dict[str, list[str]]
) -> None:
    (folder / "qrels").mkdir(parents=True)
    _lines(folder / "corpus.jsonl", [json.dumps(row) for row in corpus])
    asked = [json.dumps({"_id": key, "text": text}) for key, text in questions.items()]
    _lines(folder / "queries.jsonl", asked)
    pairs = [f"{key}\t{name}\t1" for key in questions for name in found[key]]
    _lines(folder / "qrels" / "test.tsv", ["query-id\tcorpus-id\tscore", *pairs])


def _lines(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _qrels(source: Path) -> dict[str, list[str]]:
    lines = (source / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()[1:]
    found: dict[str, list[str]] = {}
    for line in lines:
        key, name, grade = line.split("\t")
        if int(grade) > 0:
            found.setdefault(key, []).append(name)
    return found


if __name__ == "__main__":
    main()

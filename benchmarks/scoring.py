"""Scoring rankings that are given: our measures beside pytrec_eval, ranx and bare numpy.

python -m benchmarks.scoring [--sizes 1000 100000]

Seven measures, one value a question: hit@1, hit@3, recall@6 (any), mrr, P@6, nDCG@10 and success at
full depth. All begin from what they like best: we and numpy from integer arrays, pytrec_eval and
ranx from their own evaluator and objects; making those is not counted. They must agree first.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import interleaved, machine
from rageval.measures import documents, window
from rageval.measures.ranks import first_rank, ranks_of

DEPTH, K, CUT = 100, 6, 10  # of rankings, of the window, of nDCG
Columns = dict[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Task:
    """Rankings with their relevant documents, all of grade 1."""

    ranked: NDArray[np.int32]  # [n, DEPTH] documents by rank
    relevant: NDArray[np.int32]  # [n, r]

    @classmethod
    def made(cls, n: int, seed: int = 0) -> Task:
        """Draw rankings of which every fourth relevant document is absent."""
        random = np.random.default_rng(seed)
        ranked = np.argsort(random.random((n, 2 * DEPTH), np.float32), axis=1)[:, :DEPTH]
        places = np.argsort(random.random((n, DEPTH + DEPTH // 3), np.float32), axis=1)[:, :2]
        extended = np.pad(ranked, ((0, 0), (0, DEPTH // 3)), constant_values=-1)
        found = np.take_along_axis(extended, places, axis=1)
        missing = np.arange(2) + 2 * DEPTH  # ids that no ranking holds
        relevant = np.where(found < 0, missing, found)
        return cls(ranked.astype(np.int32), relevant.astype(np.int32))


def ours(task: Task) -> Callable[[], Columns]:
    """Return the scoring by our measures."""
    n, r = task.relevant.shape
    question = np.repeat(np.arange(n, dtype=np.int32), r)
    item = task.relevant.reshape(-1)
    zeros, grade = np.zeros(len(item), np.int32), np.ones(len(item), np.int32)
    alternative = np.tile(np.arange(r, dtype=np.int32), n)
    required = np.ones(n, np.int32)
    length = np.full(n, K)

    def score() -> Columns:
        rank = ranks_of(task.ranked, question, item)
        first = first_rank(n, question, rank)
        inside = np.where(rank <= K, rank, 0)
        support = window.Support(n, question, zeros, alternative, item, inside, required)
        return {
            "hit@1": documents.hit(first, 1),
            "hit@3": documents.hit(first, 3),
            "recall@6": window.recall(support),
            "mrr": window.reciprocal_rank(support),
            "P@6": window.precision(support, length),
            "nDCG@10": documents.ndcg_of_ranks(n, question, rank, grade, CUT),
            "success": documents.hit(first, DEPTH),
        }

    return score


def floor(task: Task) -> Callable[[], Columns]:
    """Return the scoring by numpy alone: the rank of each relevant document, and all from that."""
    discount = np.concatenate([[0.0], 1 / np.log2(np.arange(2, DEPTH + 2))])
    ideal = discount[1 : task.relevant.shape[1] + 1].sum()

    def score() -> Columns:
        n, r = task.relevant.shape
        rank = np.zeros((n, r), np.int64)
        for column in range(r):
            same = task.ranked == task.relevant[:, column, None]
            place = same.argmax(axis=1)
            rank[:, column] = np.where(same[np.arange(n), place], place + 1, 0)
        first = np.where(rank > 0, rank, DEPTH + 1).min(axis=1)
        inside = first <= K
        return {
            "hit@1": first <= 1,
            "hit@3": first <= 3,
            "recall@6": inside,
            "mrr": np.where(inside, 1 / first, 0),
            "P@6": ((rank > 0) & (rank <= K)).sum(axis=1) / K,
            "nDCG@10": np.where(rank <= CUT, discount[rank], 0).sum(axis=1) / ideal,
            "success": first <= DEPTH,
        }

    return score


def trec(task: Task) -> Callable[[], Columns]:
    """Return the scoring by pytrec_eval; its mrr is not cut at 6, so 1/rank is cut afterwards."""
    import pytrec_eval

    qrels, run = _dictionaries(task)
    names = {
        "hit@1": "success_1",
        "hit@3": "success_3",
        "recall@6": "success_6",
        "mrr": "recip_rank",
        "P@6": "P_6",
        "nDCG@10": "ndcg_cut_10",
        "success": f"success_{DEPTH}",
    }
    asked = {"success.1,3,6,100", "recip_rank", "P.6", "ndcg_cut.10"}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, asked)

    def score() -> Columns:
        rows = evaluator.evaluate(run)
        columns = {
            ours: np.array([rows[name][theirs] for name in qrels]) for ours, theirs in names.items()
        }
        columns["mrr"] = np.where(columns["mrr"] < 1 / K - 1e-9, 0, columns["mrr"])
        return columns

    return score


def ranx(task: Task) -> Callable[[], Columns]:
    """Return the scoring by ranx, its objects made and its functions compiled before."""
    from ranx import Qrels, Run, evaluate

    qrels, run = (
        kind(table) for kind, table in zip((Qrels, Run), _dictionaries(task), strict=True)
    )
    names = {
        "hit@1": "hit_rate@1",
        "hit@3": "hit_rate@3",
        "recall@6": "hit_rate@6",
        "mrr": "mrr@6",
        "P@6": "precision@6",
        "nDCG@10": "ndcg@10",
        "success": f"hit_rate@{DEPTH}",
    }

    def score() -> Columns:
        rows = evaluate(qrels, run, list(names.values()), return_mean=False)
        return {ours: rows[theirs] for ours, theirs in names.items()}

    return score


def _dictionaries(task: Task) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Return qrels and run as both tools want them; ids of equal length keep their order."""
    names = [f"q{n:07}" for n in range(len(task.ranked))]
    items = [f"d{n:07}" for n in range(2 * DEPTH + task.relevant.shape[1])]
    qrels = {
        name: {items[n]: 1 for n in row}
        for name, row in zip(names, task.relevant.tolist(), strict=True)
    }
    run = {
        name: {items[n]: float(DEPTH - place) for place, n in enumerate(row)}
        for name, row in zip(names, task.ranked.tolist(), strict=True)
    }
    return qrels, run


TOOLS = {"rageval": ours, "numpy floor": floor, "pytrec_eval": trec, "ranx": ranx}


def disagreement(task: Task) -> float:
    """Return the largest difference between any tool's value and ours, for any question."""
    scored = [tool(task)() for tool in TOOLS.values()]
    return max(
        float(np.abs(np.asarray(other[name], float) - column).max())
        for other in scored[1:]
        for name, column in scored[0].items()
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", type=int, default=[1000, 100_000])
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args()
    print(f"seven measures, questions × {DEPTH}, warm, median of {asked.repeats}; {machine()}")
    print(f"largest difference of any value to ours: {disagreement(Task.made(1000)):.1e}\n")
    print("| questions | tool | seconds | × ours |")
    print("|---|---|---|---|")
    for n in asked.sizes:
        task = Task.made(n)
        taken = interleaved({name: tool(task) for name, tool in TOOLS.items()}, asked.repeats)
        for name, time in taken.items():
            print(f"| {n:,} | {name} | {time:.4f} | {time / taken['rageval']:.2f} |")


if __name__ == "__main__":
    main()

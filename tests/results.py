"""Results that are written down, for tests that work verdicts and comparisons out by hand."""

from rageval.comparison.result import Result, Row


def row(name, rank=None, **facts):
    """A question whose evidence, and best target, stand at a rank (None = absent), k = 6.

    `facts`: subsets, hit (None = the measures of silence: see `silent`), labels, failed, leaks, and
    any measure by its name.
    """
    subsets = ("all", *facts.pop("subsets", ()))
    window = rank if rank and rank <= 6 else None
    values = {
        "hit_rate_at_1": float(rank == 1),
        "hit_rate_at_3": float(bool(rank) and rank <= 3),
        "recall": float(window is not None),
        "mrr": 1 / window if window else 0.0,
        "denied_pass": None,
        "distractor_above_answer": None,
    }
    ranks = {"target": rank, "evidence": window, "answer": rank, "distractor": None}
    return _row(name, subsets, values, ranks, facts)


def silent(name, passed, measure="hit", **facts):
    """A question that nothing answers (`hit`) or whose answer is denied (`denied_pass`)."""
    subsets = ("all", *facts.pop("subsets", ()))
    value = float(passed)
    values = dict.fromkeys(("hit_rate_at_1", "hit_rate_at_3", "recall", "mrr", "denied_pass"))
    if measure == "hit":
        values |= {"hit_rate_at_1": value, "hit_rate_at_3": value}
    else:
        values |= {measure: value}
    nowhere = dict.fromkeys(("target", "evidence", "answer", "distractor"))
    return _row(name, subsets, values, nowhere, facts)


def _row(name, subsets, values, ranks, facts):
    fixed = {
        "labels": facts.pop("labels", f"labels of {name}"),
        "documents": tuple(facts.pop("documents", ())),
        "diagnosis": facts.pop("diagnosis", "found"),
        "failed": facts.pop("failed", False),
        "leaks": facts.pop("leaks", 0),
    }
    return Row(
        name, f"question {name}?", subsets=subsets, values=values | facts, ranks=ranks, **fixed
    )


def result_of(*rows, run="candidate", chunking="heading", **facts):
    """A result of such questions."""
    return Result(
        run=run,
        name=facts.get("name", run),
        dataset="tiny",
        split="dev",
        benchmark=facts.get("benchmark", "b"),
        variant=facts.get("variant", run),
        chunking=chunking,
        rows={r.id: r for r in rows},
    )


def hits(count, n, **facts):
    """A result of n questions of which `count` are found at rank 1 and the rest nowhere."""
    rows = [row(f"q{i}", 1 if i < count else None) for i in range(n)]
    return result_of(*rows, **facts)

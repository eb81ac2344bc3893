"""What moved since a champion was promoted: the labels and the corpus, or retrieval."""

from __future__ import annotations

from collections.abc import Iterator

from rageval.comparison.changes import compare
from rageval.comparison.result import Result
from rageval.evaluation.subsets import ALL

_MEASURE = "recall"


def drift(then: Result, rerun: Result | None, now: Result) -> Iterator[str]:
    """Yield what became of recall since the champion was promoted.

    `then` is the champion's result as promoted, `rerun` that of the same retrieval on today's
    benchmark if it was run there, `now` that of the newest run. From `then` to `rerun` the labels
    and the corpus moved, from `rerun` to `now` retrieval did.
    """
    first, last = _recall(then), _recall(now)
    if first is None or last is None:
        return
    if then.benchmark == now.benchmark:
        yield (
            "nothing moved since the champion was promoted: corpus and labels are the same; "
            f"recall {first:.2f} → {last:.2f} is retrieval"
        )
        return
    yield from _labels(then, now)
    between = None if rerun is None else _recall(rerun)
    if between is None:
        yield (
            f"recall {first:.2f} → {last:.2f}: `gate` runs the champion on today's questions, "
            "which tells moved labels from worse retrieval"
        )
        return
    yield (
        f"recall {first:.2f} → {between:.2f} because labels or corpus moved (the champion again), "
        f"{between:.2f} → {last:.2f} because of retrieval"
    )


def _labels(then: Result, now: Result) -> Iterator[str]:
    found = compare(then, now)
    counts = {
        "added": len(found.added),
        "removed": len(found.removed),
        "relabelled": len(found.relabelled),
    }
    told = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    yield f"dev questions since the champion was promoted: {told or 'none changed'}"


def _recall(result: Result) -> float | None:
    found = result.mean(ALL, _MEASURE)
    return None if found is None else float(found[0] / found[1])

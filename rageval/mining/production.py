"""How retrieval fares in production, as far as a log and judged samples of it can tell."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from rageval.comparison.gap import Gap, gap
from rageval.comparison.result import Result
from rageval.evaluation.subsets import ALL, Summary
from rageval.mining.questionlog.asked import Asked

SAMPLE = "sample"  # `source` of cases that were drawn by chance, so that they stand for the log


@dataclass(frozen=True)
class Production:
    """What is known of production; each estimate is None where nothing is."""

    answered: Summary | None  # of the questions whose answering is logged
    helpful: Summary | None  # of those whose asker said what he thought of it
    judged: Summary | None  # recall of the run on judged questions drawn from the log by chance
    gap: Gap | None  # recall on the other dev questions less that on the judged ones


def production(log: Sequence[Asked], result: Result | None, sampled: Collection[str]) -> Production:
    """Return what a log says, and what a run found on `sampled`, ids of judged random questions.

    A question is answered if the log says so, or else if anything came back. Both shares are of
    those that the log tells of, with a score interval (Wilson 1927).
    """
    answers = [found for one in log if (found := _answered(one)) is not None]
    opinions = [one.helpful for one in log if one.helpful is not None]
    judged = None if result is None else _recall(result, sampled, inside=True)
    rest = None if result is None else _recall(result, sampled, inside=False)
    return Production(
        answered=_share(answers),
        helpful=_share(opinions),
        judged=judged,
        gap=gap(rest, judged) if rest is not None and judged is not None else None,
    )


def _answered(asked: Asked) -> bool | None:
    if asked.answered is not None:
        return asked.answered
    return None if asked.results is None else asked.results > 0


def _share(truths: Sequence[bool]) -> Summary | None:
    if not truths:
        return None
    return Summary.of(sum(truths) / len(truths), len(truths))


def _recall(result: Result, sampled: Collection[str], *, inside: bool) -> Summary | None:
    rows = [row for row in result.inside(ALL) if (row.id in sampled) is inside]
    found = [value for row in rows if (value := row.values.get("recall")) is not None]
    return _share([value == 1 for value in found])


def metrics(found: Production) -> dict[str, float]:
    """Return what is logged to the run: metric key → value."""
    values = {
        "production/answered": found.answered,
        "production/helpful": found.helpful,
        "production/recall": found.judged,
    }
    kept = {key: one.value for key, one in values.items() if one and one.value is not None}
    if found.gap is not None:
        kept["production/gap"] = found.gap.value
    return kept


def sentences(found: Production) -> Iterator[str]:
    """Yield what is known of production, in words."""
    for name, one in (("answered", found.answered), ("helpful", found.helpful)):
        if one is not None:
            yield f"{name}: {_told(one)} of those whose log tells"
    if found.judged is None:
        yield "no judged sample: `mine sample=20` draws questions that stand for the log"
        return
    yield f"recall on judged questions drawn by chance: {_told(found.judged)}"
    if found.gap is not None:
        wide = "beyond chance" if found.gap.beyond_chance else "which can be chance"
        yield (
            f"dev − production gap of recall: {found.gap.value:+.2f} [{found.gap.low:+.2f}, "
            f"{found.gap.high:+.2f}], {wide}"
        )


def _told(one: Summary) -> str:
    return f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}] (n {one.n})"

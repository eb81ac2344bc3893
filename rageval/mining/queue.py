"""Which logged questions retrieved badly: the queue of candidates for the golden set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Literal

from pydantic import Field

from rageval.mining.clusters import Cluster
from rageval.mining.questionlog.asked import Asked
from rageval.schema.fields import Days, Natural, Number, Record, Share


class QueueConfig(Record):
    """Which questions are candidates; the defaults are the method's."""

    days: Days  # only questions asked so lately, counted back from `until`
    until: datetime | None  # with a zone or in UTC; null = now
    min_score: Number | None  # a top score below it is bad; null = scores are not looked at
    limit: Natural  # candidates at most
    near: Annotated[Share, Field(gt=0)]  # share of words of near-identical questions
    order: Literal["newest", "traffic", "novelty"]


@dataclass(frozen=True)
class Candidate:
    """A question that retrieved badly, with all that asked nearly the same."""

    asked: Asked  # the newest of them that did
    cluster: Cluster
    reasons: Mapping[str, int]  # no result | low score | unhelpful → how many of the cluster
    novelty: float  # 0..1: 1 less the share of words with the likest question of the set


def recent(log: Sequence[Asked], config: QueueConfig, now: datetime) -> list[Asked]:
    """Return the questions of the window: after `days` before its end, and not after its end.

    A question without a time cannot be placed and is left out, unless the log has no times at all.
    """
    if not any(one.when for one in log):
        return list(log)
    width, none = timedelta(days=config.days), timedelta(0)
    return [one for one in log if one.when is not None and none <= now - one.when < width]


def reasons(asked: Asked, min_score: float | None) -> list[str]:
    """Return why a question is a candidate; none if nothing speaks for it.

    Examples
    --------
    >>> reasons(Asked("?", 1, top_score=0.44, results=3), 0.45)
    ['low score']
    >>> reasons(Asked("?", 1, top_score=0.45, results=3, helpful=True), 0.45)
    []
    """
    low = min_score is not None and asked.top_score is not None and asked.top_score < min_score
    found = {
        "no result": asked.results == 0,
        "low score": low and asked.results != 0,
        "unhelpful": asked.helpful is False,
    }
    return [name for name, holds in found.items() if holds]


def queue(
    found: Sequence[Cluster], novelty: Mapping[str, float], config: QueueConfig
) -> list[Candidate]:
    """Return the candidates, the most urgent first; `novelty` is that of each question's text.

    Newest first as the method has it, or by traffic or novelty; the newest first among equals.
    """
    candidates = [
        one for cluster in found if (one := _candidate(cluster, novelty, config)) is not None
    ]
    candidates.sort(key=_newest, reverse=True)
    if config.order != "newest":
        candidates.sort(key=lambda one: _rank(one, config.order), reverse=True)
    return candidates[: config.limit]


def _candidate(
    cluster: Cluster, novelty: Mapping[str, float], config: QueueConfig
) -> Candidate | None:
    why = [(one, reasons(one, config.min_score)) for one in cluster.asked]
    bad = [one for one, told in why if told]
    if not bad:
        return None
    counted: dict[str, int] = {}
    for _, told in why:
        for name in told:
            counted[name] = counted.get(name, 0) + 1
    newest = max(bad, key=_moment)
    return Candidate(newest, cluster, counted, novelty[newest.text])


def _moment(asked: Asked) -> tuple[float, int]:
    return (asked.when.timestamp() if asked.when else 0.0, asked.row)


def _newest(candidate: Candidate) -> tuple[float, int]:
    return _moment(candidate.asked)


def _rank(candidate: Candidate, order: str) -> float:
    return candidate.cluster.traffic if order == "traffic" else candidate.novelty

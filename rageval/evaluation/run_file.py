"""Scoring a run against judgements, by id, in a program of one's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rageval.formats.trec.ids import alone, require_common
from rageval.formats.trec.qrels import read_qrels
from rageval.formats.trec.run import read_run
from rageval.measures.standard import parse
from rageval.measures.trec_eval import judged_ranks

MEASURES = (
    "AP", "Rprec", "Bpref", "RR", "P@5", "P@10", "R@10", "R@100", "Success@1", "Success@5",
    "nDCG@5", "nDCG@10", "nDCG",
)  # fmt: skip


@dataclass(frozen=True)
class Scored:
    """What a run is worth, measure by measure."""

    queries: tuple[str, ...]  # those that are judged, in the order of the judgements
    values: Mapping[str, Mapping[str, float]]  # measure → query → value
    notes: tuple[str, ...]  # queries that only one of the files has

    @property
    def means(self) -> dict[str, float]:
        """Return the mean of each measure over every judged query."""
        return {name: _mean(found) for name, found in self.values.items()}


def score(run: str | Path, qrels: str | Path, measures: Sequence[str] = MEASURES) -> Scored:
    """Score a TREC run against TREC judgements by trec_eval's rules, with its option -c.

    Parameters
    ----------
    run, qrels
        Paths of the files; `.gz` is unpacked.
    measures
        Standard names, such as `nDCG@10`, `AP`, `P(rel=2)@5`.

    Raises
    ------
    InputError
        If a file is wrong, or the two have no query in common.
    ValueError
        If there is no measure of a name.
    """
    wanted = [parse(name) for name in measures]
    found, judged = read_run(Path(run)), read_qrels(Path(qrels))
    require_common(found, judged, str(run), str(qrels))
    ranks = judged_ranks(judged, found)
    values = {
        name: dict(zip(judged.queries, measure.values(ranks).tolist(), strict=True))
        for name, measure in zip(measures, wanted, strict=True)
    }
    return Scored(judged.queries, values, tuple(alone(found, judged, str(run), str(qrels))))


def _mean(values: Mapping[str, float]) -> float:
    """Return a mean that adds in the order in which trec_eval does: by the names of queries."""
    return sum(values[name] for name in sorted(values, key=str.encode)) / len(values)

"""Which subsets are weak: below their floor, or significantly below `all`."""

from __future__ import annotations

from collections.abc import Mapping

from rageval.evaluation.subsets import ALL, Summary
from rageval.measures.catalogue import comparable_across_questions

Table = Mapping[str, Mapping[str, Summary]]  # subset → measure → summary
Floors = Mapping[str, Mapping[str, float]]  # subset → measure → the least it may be


def weak(table: Table, floors: Floors) -> dict[tuple[str, str], str]:
    """Return the weak cells, (subset, measure), each with the reason.

    Significantly below: the upper end of the subset's 95 % interval lies below the value of `all`.

    Examples
    --------
    >>> cells = {"all": {"recall": Summary(100, 0.9, 0.82, 0.95)},
    ...          "tag.negation": {"recall": Summary(12, 0.5, 0.25, 0.75)}}
    >>> weak(cells, {"all": {"recall": 0.95}})
    {('all', 'recall'): 'below its floor of 0.95', ('tag.negation', 'recall'): 'below all (0.90)'}
    """
    reasons = {
        (subset, name): f"below all ({table[ALL][name].value:.2f})"
        for subset, row in table.items()
        for name, summary in row.items()
        if comparable_across_questions(name) and _below(summary, table[ALL][name])
    }
    for subset, measures in floors.items():
        for name, floor in measures.items():
            found = table.get(subset, {}).get(name)
            if found is not None and found.value is not None and found.value < floor:
                reasons[subset, name] = f"below its floor of {floor:g}"
    order = list(table)
    return dict(sorted(reasons.items(), key=lambda cell: order.index(cell[0][0])))


def _below(part: Summary, whole: Summary) -> bool:
    return part.high is not None and whole.value is not None and part.high < whole.value

"""The gate: a candidate against its baseline and the limits."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from rageval.errors import InputError
from rageval.files.text import read_text
from rageval.gate import decision
from rageval.gate.thresholds import GateThresholds
from rageval.gate.verdict import Verdict
from rageval.library.comparing import require_comparable
from rageval.library.evaluating import EvaluationResult
from rageval.schema.validation import sentences


def decide(
    candidate: EvaluationResult,
    baseline: EvaluationResult | None,
    limits: GateThresholds | Mapping[str, Any] | str | Path,
) -> Verdict:
    """Hold a candidate against its baseline and the limits, on exact fractions.

    Parameters
    ----------
    candidate
        The result that is judged.
    baseline
        The result that it is compared with; None judges floors, errors and leaks alone.
    limits
        A threshold file, its content as a mapping, or the record that holds it: `floors`,
        `max_drop` (subset → measure → limit), `no_tolerance`, `new_distractors`, `evidence`,
        `level`. Errors and leaks are always held at zero.

    Returns
    -------
    Verdict
        `.passed`, `.failures` and `.notes`; it prints every limit.

    Raises
    ------
    InputError
        If a limit is wrong or names a subset or measure that neither result has, or the results
        cannot be compared.

    Examples
    --------
    >>> from rageval import evaluate, load_dataset
    >>> data = load_dataset(
    ...     {"leave": "Staff get 25 days.", "travel": "Book by rail."},
    ...     [{"id": "q1", "question": "How many days off?", "expected": ["leave"]}],
    ... )
    >>> good = evaluate(lambda question: ["leave"], data, name="good")
    >>> bad = evaluate(lambda question: ["travel"], data, name="bad")
    >>> decide(bad, good, {"max_drop": {"all": {"recall": 0.1}}}).passed
    False
    """
    thresholds = read_limits(limits)
    if baseline is not None:
        require_comparable(candidate, baseline)
    _require_questions(thresholds, candidate, baseline)
    return decision.decide(
        candidate.result, None if baseline is None else baseline.result, thresholds
    )


def read_limits(limits: GateThresholds | Mapping[str, Any] | str | Path) -> GateThresholds:
    """Return limits as a record.

    Raises
    ------
    InputError
        If a key is unknown or a value is out of range.
    """
    if isinstance(limits, GateThresholds):
        return limits
    where = "limits"
    if isinstance(limits, str | Path):
        where, text = str(limits), read_text(Path(limits))
        try:
            limits = yaml.safe_load(text) or {}
        except yaml.YAMLError as fault:
            raise InputError(f"{where}: not YAML: {' '.join(str(fault).split())}") from fault
    if not isinstance(limits, Mapping):
        raise InputError(f"{where}: limits are a mapping, got {limits!r}")
    try:
        return GateThresholds(**limits)
    except ValidationError as fault:
        raise InputError.of(sentences(fault, where, GateThresholds)) from fault


def _require_questions(
    thresholds: GateThresholds, candidate: EvaluationResult, baseline: EvaluationResult | None
) -> None:
    known = [candidate.result] if baseline is None else [candidate.result, baseline.result]
    subsets = list(dict.fromkeys(name for one in known for name in one.subsets))
    absent = thresholds.not_in(subsets, candidate.result.measures)
    if absent:
        raise InputError.of(f"{limit.path}: {limit.why}" for limit in absent)

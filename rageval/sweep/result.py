"""What one cell of a sweep came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rageval.evaluation.subsets import Summary

DONE, RESUMED, FAILED, SKIPPED, PLANNED = "done", "resumed", "failed", "skipped", "planned"
STOPPED = "not run"
BUSY = "busy"  # another program is evaluating it; it is looked at again


@dataclass(frozen=True)
class CellResult:
    """What one cell came to."""

    number: int
    overrides: tuple[str, ...]
    state: str  # done | resumed | failed | skipped | planned | not run | busy
    run: str = ""  # id, of a cell that is recorded; of a planned one, that it was before
    name: str = ""  # the retrieval in words
    whole: Mapping[str, Summary] = field(default_factory=dict)  # measure → value over `all`
    subsets: Mapping[str, float | None] = field(default_factory=dict)  # subset → objective
    # subset → measure → n, value: of a cell that is recorded, for the sweep's page
    table: Mapping[str, Mapping[str, tuple[int, float | None]]] = field(default_factory=dict)
    objective: str = ""  # measure that cells are ranked by
    values: NDArray[np.float64] | Sequence[float] = ()  # its of each question that it applies to
    benchmark: str = ""  # fingerprint; only values of one benchmark are paired
    variant: str = ""  # fingerprint of the retrieval
    stages: tuple[str, ...] = ()  # digests of its chunking and its retriever
    p95: float | None = None  # milliseconds
    recorded: bool = False  # the latency is an earlier cell's or run's
    seconds: float = 0.0  # that it took, stages included
    window: float | None = None  # mean characters
    fault: str = ""  # the cause of a failure; of an evaluated cell, its errors and leaks
    uncovered: tuple[str, ...] = ()  # of a resumed cell: what may have changed unseen
    code: int = 0  # exit code of the evaluation
    unrecorded: bool = False  # the store took nothing; it will take no other cell either
    groups: Sequence[str | None] = ()  # of each of `values`; None = a group of its own
    verdict: str = ""  # of the gate, in words; empty where none was asked for
    verdict_code: int = 0  # exit code of the gate

    @property
    def exit_code(self) -> int:
        """Return the exit code of the evaluation or of the gate, whichever is worse."""
        return max(self.code, self.verdict_code)

"""An evaluation with everything that reports and tracking say about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rageval.evaluation.evaluation import Evaluation
from rageval.evaluation.latency import Latency
from rageval.evaluation.noise import Repeats
from rageval.report.header import Header
from rageval.report.summary import Sheet


@dataclass(frozen=True)
class Outcome:
    """What came of one run of `evaluate`."""

    header: Header
    evaluation: Evaluation
    latency: Latency | None
    sheet: Sheet
    params: Mapping[str, str]  # every composed value
    config: str  # the same as YAML
    sources: Mapping[str, str]  # corpus, questions → where it was read from
    digests: Mapping[str, str]  # corpus, questions → sha256
    notes: str | None  # the user's own words about the run
    kind: str  # single | cell | rescore
    passages: bool = True  # the run's page shows the text of what came back
    repeats: Repeats | None = None  # all repetitions, where there is more than one
    usage: Mapping[str, float] = field(default_factory=dict)  # tokens, cost: of services
    command: str = ""  # the command line that does the same alone; empty if it is not known

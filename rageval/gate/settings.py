"""How a gate is run."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator

from rageval.gate.thresholds import Limits, flattened
from rageval.schema.fields import Flag, Name, Natural, Record, Reference, SetIdentifier, Share

# One number for every limit of `max_drop`, or subset → measure → number.
MustSee = Annotated[Share | Limits, BeforeValidator(flattened)]


class GateConfig(Record):
    """Which runs are judged, and what happens where no verdict is possible at once."""

    enabled: Flag  # `evaluate` alone: judge the run as soon as it is finished
    run: (
        Reference | tuple[Reference, ...] | None
    )  # candidates; None = the newest finished single dev run
    # Sets whose newest runs are judged together; None = that of `dataset.name`.
    sets: tuple[SetIdentifier, ...] | None
    baseline: Name | None  # a portable baseline file in place of the registry
    output: Name | None  # folder that verdict.json, verdict.md and junit.xml are written to, too
    require_baseline: Flag  # without a baseline there is no verdict (exit 3)
    on_mismatch: Literal[
        "rescore", "refuse"
    ]  # champion of another benchmark: run it again, or exit 3
    # Defaults: the configuration of a run that an older version kept lacks these.
    on_environment: Literal["check", "accept"] = (
        "check"  # champion of other library versions: run it again, or compare all the same
    )
    accept_alias: Name | None = None  # why an alias that was moved by hand is accepted
    report_only: Flag = (
        False  # print and keep the verdict; a failed limit does not change the exit code
    )
    must_see: MustSee | None = None  # the drop that a pass must have been able to see; None = any
    on_inconclusive: Literal["warn", "fail"] = (
        "warn"  # a pass that could not see that: 0, or exit 3
    )
    allow_removed: Natural = 0  # questions that may be removed or lose a label since the champion
    exceptions: Name | None = None  # committed file: questions that may, each with its reason

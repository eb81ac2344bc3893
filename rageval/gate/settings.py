"""How a gate is run."""

from __future__ import annotations

from typing import Literal

from rageval.fields import Flag, Name, Record, Reference, SetIdentifier


class GateConfig(Record):
    """Which runs are judged, and what happens where no verdict is possible at once."""

    enabled: Flag  # `evaluate` alone: judge the run as soon as it is finished
    run: (
        Reference | tuple[Reference, ...] | None
    )  # candidates; None = the newest finished single dev run
    sets: tuple[SetIdentifier, ...]  # whose newest runs are judged together; () = `dataset.name`
    baseline: Name | None  # a portable baseline file in place of the registry
    output: Name | None  # folder that verdict.json, verdict.md and junit.xml are written to, too
    require_baseline: Flag  # without a baseline there is no verdict (exit 3)
    on_mismatch: Literal[
        "rescore", "refuse"
    ]  # champion of another benchmark: run it anew, or exit 3
    on_environment: Literal[
        "check", "accept"
    ]  # champion of other library versions: run it again and see, or compare all the same
    accept_alias: Name | None  # why an alias that was moved by hand is compared with all the same

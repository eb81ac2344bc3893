"""Writing suggested floors into a thresholds file of the user's own."""

from __future__ import annotations

from pathlib import Path

import yaml
from rich.console import Console

from rageval.config.verbs import GateVerbConfig
from rageval.errors import InputError
from rageval.gate.suggestion import changed, suggest
from rageval.gatekeeping import Judgement


def write_suggestion(config: GateVerbConfig, found: list[Judgement], target: Console) -> None:
    """Write floors just below the candidate's values to `gate.suggest_to`, beside the other limits.

    Raises
    ------
    InputError
        If several sets were judged at once, or the file cannot be written.
    """
    if len(found) != 1:
        raise InputError("suggest=true: name one run, the floors are those of one set")
    before = config.threshold.floors
    after = suggest(found[0].candidate.result, before, config.allow_lower)
    path = Path(config.suggest_to)
    limits = config.threshold.model_dump(mode="json") | {"floors": after}
    name = f"python -m rageval gate threshold={path.stem} --config-dir {path.parent.parent}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n{yaml.safe_dump(limits, sort_keys=False)}", encoding="utf-8")
    except OSError as fault:
        raise InputError(f"suggest_to: {path} cannot be written: {fault}") from fault
    for line in changed(before, after):
        target.print(f"floor {line}")
    target.print(f"written to {path}; use it: {name}")

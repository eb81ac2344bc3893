"""`report`: the pages and files of a run, written where you are."""

from __future__ import annotations

import webbrowser
from pathlib import Path

from omegaconf import DictConfig
from rich.text import Text

from rageval.config.commands import ReportConfig
from rageval.config.next_command import next_command
from rageval.config.reading import read_part
from rageval.errors import InputError, NoVerdictError
from rageval.experiment.workflow import require_tracking
from rageval.registry.portable import portable
from rageval.registry.references import LATEST, run_of
from rageval.report import console
from rageval.tracking.reading import Kept, artifact, fetch
from rageval.tracking.store import Store
from rageval.tracking.sweeps import is_sweep, newest_of_all
from rageval.tracking.verdict import GATE

_PAGE = "report.html"
_GATED = {"markdown": "verdict.md", "junit": "junit.xml", "json": "verdict.json"}
_NAMES = {"html": _PAGE, "baseline": "baseline.json", **_GATED}


def run(composed: DictConfig) -> int:
    """Write one report of a run and return the exit code."""
    config = read_part(composed, ReportConfig)
    target = console.console()
    store = require_tracking(config.tracking, target)
    run_id = _meant(store, config)
    sweep = is_sweep(store, run_id)
    if sweep and config.format != "html":
        raise InputError(f"format={config.format} is of one run; run {run_id} is a sweep")
    kept = None if sweep else fetch(store, run_id)
    path = Path(config.output or _NAMES[config.format])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(
            artifact(store, run_id, _PAGE) if kept is None else _content(store, kept, config)
        )
    except OSError as fault:
        raise InputError(f"output: {path} cannot be written: {fault}") from fault
    what = f"sweep {run_id}" if kept is None else f"run {kept.run} ({kept.result.name})"
    target.print(f"{config.format} of {what}: {path}")
    if config.format == "html" and config.open and target.is_terminal:
        webbrowser.open(path.resolve().as_uri())
    target.print(Text(f"next: {_next(run_id, kept, config.dataset.name)}"))
    return 0


def _next(run: str, kept: Kept | None, dataset: str) -> str:
    if kept is None:
        return f"{next_command('promote', 'run=best', dataset=dataset)}   to gate its best cell"
    gate = next_command("gate", f"gate.run={run}", dataset=kept.result.dataset)
    return f"{gate}   to compare it with the champion"


def _meant(store: Store, config: ReportConfig) -> str:
    """Return the run that is meant; the last one may be a sweep, for a page is all that it has."""
    if config.run == LATEST and config.format == "html":
        return newest_of_all(store, config.dataset.name)
    return run_of(store, config.registry, config.dataset.name, config.run)


def _content(store: Store, kept: Kept, config: ReportConfig) -> bytes:
    if config.format == "html":
        return artifact(store, kept.run, _PAGE)
    if config.format == "baseline":
        return portable(kept, version=config.run).encode()
    if "rageval.gate" not in kept.tags:
        raise NoVerdictError(
            f"run {kept.run} was not gated, so it has no {config.format} report; gate it first: "
            f"python -m rageval gate gate.run={kept.run}"
        )
    return artifact(store, kept.run, f"{GATE}/{_GATED[config.format]}")

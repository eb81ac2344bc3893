"""`report`: the pages and files of a run, written where you are."""

from __future__ import annotations

import webbrowser
from pathlib import Path

from omegaconf import DictConfig

from rageval.config.reading import read_part
from rageval.config.settings import ReportConfig
from rageval.errors import InputError, NoVerdictError
from rageval.registry.portable import portable
from rageval.registry.references import run_of
from rageval.report import console
from rageval.report.wording import about
from rageval.tracking.reading import Kept, artifact, fetch
from rageval.tracking.store import Store
from rageval.tracking.verdict import GATE
from rageval.workflow import require_tracking

_PAGE = "report.html"
_GATED = {"markdown": "verdict.md", "junit": "junit.xml", "json": "verdict.json"}
_NAMES = {"html": _PAGE, "baseline": "baseline.json", **_GATED}


def run(composed: DictConfig) -> int:
    """Write one report of a run and return the exit code."""
    config = read_part(composed, ReportConfig)
    target = console.console()
    store = require_tracking(config.tracking, target)
    kept = fetch(store, run_of(store, config.registry, config.dataset.name, config.run))
    path = Path(config.output or _NAMES[config.format])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_content(store, kept, config))
    except OSError as fault:
        raise InputError(f"output: {path} cannot be written: {fault}") from fault
    target.print(f"{config.format} of run {kept.run} ({kept.result.name}): {path}")
    if config.format == "html" and config.open and target.is_terminal:
        webbrowser.open(path.resolve().as_uri())
    words = f"run=champion with=latest{about(config.dataset.name)}"
    target.print(f"next: python -m rageval compare {words}")
    return 0


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

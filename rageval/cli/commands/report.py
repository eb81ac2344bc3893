"""`report`: the pages and files of a run, a comparison or a sweep, written where you are."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path

from omegaconf import DictConfig
from rich.console import Console

from rageval.comparison.changes import compare
from rageval.comparison.paired import headlines
from rageval.config.commands import ReportConfig
from rageval.config.next_command import next_command
from rageval.config.reading import read_part
from rageval.errors import InputError
from rageval.escaping.redaction import redacted_bytes
from rageval.experiment.verdicts import GATE
from rageval.experiment.workflow import require_tracking
from rageval.registry.portable import portable
from rageval.registry.references import LATEST, run_of
from rageval.report import console
from rageval.report.comparison_page import comparison_page
from rageval.report.files import comparison_file, run_file, sweep_file
from rageval.tracking.reading import Kept, artifact, fetch, page_of
from rageval.tracking.store import Store
from rageval.tracking.sweeps import board_of, is_sweep, newest_of_all

_GATED = {"markdown": "verdict.md", "junit": "junit.xml", "json": "verdict.json"}
_NAMES = {
    "html": "report.html",
    "markdown": "report.md",
    "junit": "junit.xml",
    "json": "report.json",
    "baseline": "baseline.json",
}
_STANDARD_OUTPUT = "-"
Files = dict[str, bytes]  # path beside the report → content; "" is the report itself


def run(composed: DictConfig) -> int:
    """Write one report and return the exit code."""
    config = read_part(composed, ReportConfig)
    piped = config.output == _STANDARD_OUTPUT
    target = console.console(sys.stderr if piped else None)
    store = require_tracking(config.tracking, target)
    run_id = _meant(store, config, config.run)
    if config.with_run is not None:
        what, content, after = _of_comparison(store, config, run_id)
    elif is_sweep(store, run_id):
        what, content, after = _of_sweep(store, config, run_id)
    else:
        what, content, after = _of_run(store, config, run_id)
    if piped:
        sys.stdout.write(redacted_bytes(content[""]).decode())
        return 0
    path = Path(config.output or _NAMES[config.format])
    for name, part in content.items():
        _write(path.parent / name if name else path, part)
    console.say(target, f"{config.format} of {what}: {path}")
    _open(path, config, target)
    console.say(target, f"next: {after}")
    return 0


def _meant(store: Store, config: ReportConfig, reference: str) -> str:
    """Return the run that is meant; the last one may be a sweep, whatever the format."""
    if reference == LATEST and config.with_run is None:
        return newest_of_all(store, config.dataset.name)
    return run_of(store, config.registry, config.dataset.name, reference)


def _of_run(store: Store, config: ReportConfig, run: str) -> tuple[str, Files, str]:
    """Return what the report is of, its content, and the command that comes next."""
    kept = fetch(store, run)
    gate = next_command("gate", f"gate.run={run}", dataset=kept.result.dataset)
    return (
        f"run {run} ({kept.result.name})",
        _content(store, kept, config),
        f"{gate}   to compare it with the champion",
    )


def _content(store: Store, kept: Kept, config: ReportConfig) -> Files:
    if config.format == "html":
        return page_of(store, kept.run)
    if config.format == "baseline":
        return {"": portable(kept, version=config.run).encode()}
    if "rageval.gate" in kept.tags:
        return {"": artifact(store, kept.run, f"{GATE}/{_GATED[config.format]}")}
    return {"": run_file(kept.result, config.format).encode()}


def _of_comparison(store: Store, config: ReportConfig, run: str) -> tuple[str, Files, str]:
    if config.format == "baseline":
        raise InputError("format=baseline is of one run; leave out with=")
    other = _meant(store, config, config.with_run or "")
    before, after = fetch(store, run).result, fetch(store, other).result
    found = compare(before, after)
    sure = headlines(found)
    gate = next_command("gate", f"gate.run={other}", dataset=after.dataset)
    content = (
        comparison_page([(found, sure)])
        if config.format == "html"
        else {"": comparison_file(found, sure, config.format).encode()}
    )
    return f"run {run} with run {other}", content, f"{gate}   for a verdict"


def _of_sweep(store: Store, config: ReportConfig, run: str) -> tuple[str, Files, str]:
    if config.format == "baseline":
        raise InputError(f"format=baseline is of one run; run {run} is a sweep")
    promote = next_command("promote", "run=best", dataset=config.dataset.name)
    after = f"{promote}   to gate its best cell"
    if config.format == "html":
        return f"sweep {run}", page_of(store, run), after
    return f"sweep {run}", {"": sweep_file(board_of(store, run), config.format).encode()}, after


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(redacted_bytes(content))
    except OSError as fault:
        raise InputError(f"output: {path} cannot be written: {fault}") from fault


def _open(path: Path, config: ReportConfig, target: Console) -> None:
    if config.format == "html" and config.open and target.is_terminal:
        webbrowser.open(path.resolve().as_uri())

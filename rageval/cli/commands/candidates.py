"""Which run a command judges: it must be what the command line says, or nothing is judged."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from rageval.config.commands import JudgingCommandConfig
from rageval.errors import InputError, NoVerdictError
from rageval.experiment.rerun import candidate_plan
from rageval.experiment.rules import Rules
from rageval.experiment.workflow import measure_and_keep
from rageval.registry.references import run_of
from rageval.split.split import DEV
from rageval.tracking.reading import CELL, SINGLE, Kept, fetch, found_run, sealed_file
from rageval.tracking.search import runs
from rageval.tracking.store import Store

_GOOD = ("passed", "inconclusive")  # verdicts of cells that may be promoted
BEST = "best"  # what a user calls the best cell of the last sweep


def named(store: Store, config: JudgingCommandConfig, reference: str, key: str) -> str:
    """Return the run that a reference means, if this command may judge it.

    `key` is where the reference was given, for messages.

    Raises
    ------
    InputError
        If it means no run, or one of another set, of the held-out split or of a sweep; the command
        to use is given.
    """
    try:
        run = run_of(store, config.registry, config.dataset.name, reference)
        tags = found_run(store, run).data.tags
    except NoVerdictError as fault:
        raise InputError(f"{key}: {fault}") from fault
    dataset = tags.get("rageval.set", "")
    if dataset not in {config.dataset.name, *(config.gate.sets or ())}:
        raise InputError(_of_another_set(key, run, dataset, config.dataset.name))
    if tags.get("rageval.split") != DEV or tags.get("rageval.kind") != SINGLE:
        raise InputError(f"{key}: {_refusal(run, tags.get('rageval.kind', ''), dict(tags))}")
    return run


def _of_another_set(key: str, run: str, dataset: str, wanted: str) -> str:
    if not dataset:
        return f"{key}: run {run} was not written by an evaluation"
    return (
        f"{key}: run {run} is of the set {dataset!r}, and this command is about {wanted!r}: use "
        f"dataset.name={dataset}"
    )


def _refusal(run: str, kind: str, tags: dict[str, str]) -> str:
    if kind == CELL:
        alone = tags.get("rageval.command", "")
        measured = f"{alone} gate.enabled=true" if alone else f"python -m rageval promote run={run}"
        return f"run {run} is a cell of a sweep; measure it in a run of its own: {measured}"
    return f"run {run} is of kind {kind or 'unknown'}, only a single run of the dev split is judged"


def as_cell(store: Store, reference: str) -> Kept | None:
    """Return the cell of a sweep that a run id names; None if it names anything else."""
    if not re.fullmatch(r"[0-9a-f]{32}", reference):
        return None
    try:
        kind = found_run(store, reference).data.tags.get("rageval.kind")
    except NoVerdictError:
        return None
    return fetch(store, reference) if kind == CELL else None


def best_cell(store: Store, dataset: str) -> Kept:
    """Return the best cell of the last finished sweep of a set.

    Raises
    ------
    NoVerdictError
        If there is no such sweep, or its leaderboard is lost.
    InputError
        If the sweep was of another set.
    """
    done = "attributes.status = 'FINISHED' and tags.`rageval.kind` = 'sweep'"
    sweeps = runs(store, done, most=1)
    if not sweeps:
        raise NoVerdictError(
            f"run=best: experiment {store.name} has no finished sweep; make one: "
            "python -m rageval -m +retriever=bm25,dense,hybrid"
        )
    sweep = str(sweeps[0].info.run_id)
    cell = fetch(store, _best(sweep, sealed_file(store, sweep, "leaderboard.json")))
    if cell.result.dataset != dataset:
        raise InputError(
            f"run=best: the last sweep was of the set {cell.result.dataset!r}: use "
            f"dataset.name={cell.result.dataset}"
        )
    return cell


def _best(sweep: str, content: bytes) -> str:
    """Return the run of the best cell that did not fail the gate of its sweep."""
    try:
        table = json.loads(content)
        rows = [dict(zip(table["columns"], cells, strict=True)) for cells in table["data"]]
        good = [row for row in rows if str(row.get("verdict") or "passed").startswith(_GOOD)]
        if rows and not good:
            raise NoVerdictError(
                f"run=best: no cell of sweep {sweep} passed the gate; its leaderboard has the "
                "reasons"
            )
        return str(good[0]["run"])
    except (ValueError, KeyError, IndexError, TypeError) as fault:
        raise NoVerdictError(f"run=best: sweep {sweep} has no leaderboard to read") from fault


def measured_alone(store: Store, cell: Kept, rules: Rules, target: Console) -> str:
    """Measure the retrieval of a cell again, in a run of its own, and return that run's id.

    Raises
    ------
    NoVerdictError
        If it can no longer be run as it was.
    """
    plan = candidate_plan(cell, rules.trust)
    target.print(Text(f"measuring {plan.retrieval} in a run of its own (cell {cell.run})"))
    return measure_and_keep(plan, store.at(cell.experiment), target)[1]


def all_named(
    store: Store, config: JudgingCommandConfig, references: str | Sequence[str]
) -> list[str]:
    """Return the runs that `gate.run` names, in that order.

    Raises
    ------
    InputError
        If it names none or one of them twice, or as `named`.
    """
    wanted = [references] if isinstance(references, str) else list(references)
    if not wanted:
        raise InputError("gate.run: [] names no run; give run ids, or null for the newest run")
    runs = [named(store, config, reference, "gate.run") for reference in wanted]
    twice = [run for run in dict.fromkeys(runs) if runs.count(run) > 1]
    if twice:
        raise InputError(f"gate.run: run {twice[0]} is named twice")
    return runs

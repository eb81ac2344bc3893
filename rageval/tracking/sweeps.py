"""The parent run of a sweep and the children that are already there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from filelock import FileLock, Timeout

from rageval.comparison.result import SCHEMA_COLUMN
from rageval.comparison.table import Table
from rageval.errors import NoVerdictError, UnreachableError
from rageval.escaping.redaction import redacted_bytes
from rageval.schema.process import Process
from rageval.tracking.abandoned import abandoned
from rageval.tracking.reading import (
    CELL,
    QUESTIONS,
    SINGLE,
    TRIAL,
    found_run,
    newest,
    sealed_file,
    unreachable,
)
from rageval.tracking.run import PROCESS, Record, end, origin, write
from rageval.tracking.seals import SEALS, seal
from rageval.tracking.search import runs
from rageval.tracking.store import Store

BOARD = ("leaderboard", "best_by_subset", "main_effects", "failures")  # tables of every sweep
_SWEEPS = 20  # earlier sweeps whose cells are looked at without reading their runs


@dataclass(frozen=True)
class Parent:
    """The run that holds a sweep together."""

    store: Store
    run: str  # id
    lock: FileLock | None = None  # held while the sweep runs, where the store is a file of ours
    tags: Mapping[str, str] = field(default_factory=dict)  # that its cells bear besides
    _finished: dict[str, dict[str, Any]] = field(default_factory=dict)  # benchmark → variant → run
    _lost: dict[str, frozenset[str]] = field(default_factory=dict)  # benchmark → ids of runs

    def finished(self, benchmark: str, variant: str) -> Any | None:  # noqa: ANN401  an mlflow Run
        """Return a cell of any sweep that was finished before this one began, the newest first.

        Raises
        ------
        UnreachableError
            If the store does not answer.
        """
        if benchmark not in self._finished:
            self._finished[benchmark] = _cells(self.store, benchmark)
        return self._finished[benchmark].get(variant)

    def finished_since(self, benchmark: str, variant: str) -> Any | None:  # noqa: ANN401
        """Return a cell that was finished since `finished` looked for it, the newest first.

        Raises
        ------
        UnreachableError
            If the store does not answer.
        """
        condition = f"{_finished_cell(benchmark)} and tags.`rageval.variant` = '{variant}'"
        before = self.finished(benchmark, variant)
        found = runs(self.store, condition, most=1)
        same = before is not None and found and found[0].info.run_id == before.info.run_id
        return found[0] if found and not same else None

    def earlier(self, name: str) -> Iterator[bytes]:
        """Yield a file of this run as it was before, and then of other sweeps', the newest first.

        One that was altered since it was written is left out.

        Raises
        ------
        UnreachableError
            If the store does not answer.
        """
        others = runs(self.store, "tags.`rageval.kind` = 'sweep'", most=_SWEEPS)
        ids = dict.fromkeys([self.run, *(str(run.info.run_id) for run in others)])
        for run in ids:
            with suppress(NoVerdictError):
                yield sealed_file(self.store, run, name)

    def stands(self, run: str, benchmark: str) -> bool:
        """Say whether a cell that a file tells of was neither deleted nor lost its table.

        One search serves all of them.
        """
        if benchmark not in self._lost:
            condition = (
                f"tags.`rageval.kind` = '{CELL}' and tags.`rageval.benchmark` = '{benchmark}'"
            )
            gone = runs(self.store, condition, "deleted")
            self._lost[benchmark] = frozenset(str(found.info.run_id) for found in gone)
        folder = self._artifacts
        there = folder is None or (folder / run / "artifacts" / QUESTIONS).exists()
        return there and run not in self._lost[benchmark]

    def bearing(self, tag: str, value: str) -> list[Any]:
        """Return the finished cells below this run that bear a tag.

        Raises
        ------
        UnreachableError
            If the store does not answer.
        """
        return runs(self.store, f"{self._finished_below} and tags.`{tag}` = '{value}'")

    def end_children(self, tag: str, value: str) -> None:
        """Mark what bears a tag and is still running below this run as killed.

        Nobody may be at it any more.

        Raises
        ------
        UnreachableError
            If the store does not answer.
        """
        for child in runs(self.store, f"{_running_below(self.run)} and tags.`{tag}` = '{value}'"):
            self.store.client.set_terminated(str(child.info.run_id), "KILLED")

    @property
    def _finished_below(self) -> str:
        return f"tags.`mlflow.parentRunId` = '{self.run}' and attributes.status = 'FINISHED'"

    @cached_property
    def _artifacts(self) -> Path | None:
        """The folder of the experiment's artifacts, None if they are not at hand."""
        found = self.store.client.get_experiment(self.store.experiment)
        place = urlsplit(str(found.artifact_location))
        return Path(url2pathname(place.path)) if place.scheme == "file" else None


def newest_metrics(store: Store) -> dict[str, float]:
    """Return the metrics of the newest finished sweep that was recorded with its times."""
    finished = "tags.`rageval.kind` = 'sweep' and attributes.status = 'FINISHED'"
    found = runs(store, f"{finished} and metrics.`seconds/cells` >= 0", most=1)
    return dict(found[0].data.metrics) if found else {}


def newest_of_all(store: Store, dataset: str) -> str:
    """Return the id of the run of a set, or the sweep of the experiment, that ended last.

    A trial of drafts counts as a run.

    Raises
    ------
    NoVerdictError
        If there is neither.
    """
    done = "attributes.status = 'FINISHED'"
    sweeps = runs(store, f"{done} and tags.`rageval.kind` = 'sweep'", most=_SWEEPS)
    about = f"{done} and tags.`rageval.split` = 'dev' and tags.`rageval.set` = '{dataset}'"
    alone = [
        run
        for kind in (SINGLE, TRIAL)
        for run in runs(store, f"{about} and tags.`rageval.kind` = '{kind}'", most=1)
    ]
    if not sweeps and not alone:
        return newest(store, dataset)
    last = max([*sweeps, *alone], key=lambda run: run.info.end_time or 0)
    return str(last.info.run_id)


def is_sweep(store: Store, run: str) -> bool:
    """Say whether a run is the parent of a sweep.

    Raises
    ------
    NoVerdictError
        If there is no such run.
    """
    kind: str = found_run(store, run).data.tags.get("rageval.kind", "")
    return kind == "sweep"


def open_parent(store: Store, sweep: str, cells: int, grid: Mapping[str, str]) -> Parent:
    """Return the parent of a sweep: that of the same sweep before, or a new one.

    `grid` maps each swept key to its values. Children that an interrupted process left running are
    closed.

    Raises
    ------
    UnreachableError
        If another process is at this very sweep, or the store does not answer.
    """
    from mlflow.exceptions import MlflowException

    lock = _alone(store, sweep)
    try:
        known = runs(store, f"tags.`rageval.sweep` = '{sweep}'")
        run = str(known[0].info.run_id) if known else _create(store, sweep, cells, grid)
        store.client.set_tag(run, PROCESS, Process.this().text)
        store.client.update_run(run, status="RUNNING")
        there = known[0].data.params if known else {}
        params = {f"sweep.{key}": values for key, values in grid.items()}
        missing = {key: value for key, value in params.items() if key not in there}
        write(store, run, Record(missing, {}, {}, (), {}))
        _end_children(store, run)
    except MlflowException as fault:
        raise unreachable(store, fault) from fault
    return Parent(store, run, lock)


def _running_below(run: str) -> str:
    return f"tags.`mlflow.parentRunId` = '{run}' and attributes.status = 'RUNNING'"


def _end_children(store: Store, run: str) -> None:
    """Mark the cells that nobody is at any more as killed; orphans may still be at theirs.

    Runs of version 0.1.0 do not say who writes them.
    """
    for child in runs(store, _running_below(run)):
        if PROCESS not in child.data.tags or abandoned(child):
            store.client.set_terminated(str(child.info.run_id), "KILLED")


def _create(store: Store, sweep: str, cells: int, grid: Mapping[str, str]) -> str:
    name = f"sweep of {cells} cells: {' × '.join(grid)}"
    tags = {**origin(), "rageval.kind": "sweep", "rageval.sweep": sweep}
    return str(store.client.create_run(store.experiment, run_name=name, tags=tags).info.run_id)


def _alone(store: Store, sweep: str) -> FileLock | None:
    """Hold the lock of a sweep; it is free again when its process ends, however it ends."""
    if store.location.artifacts is None:
        return None
    lock = FileLock(store.location.artifacts.parent / f".sweep-{sweep}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as fault:
        raise UnreachableError(
            "another process is running this very sweep; let it end first"
        ) from fault
    return lock


def _cells(store: Store, benchmark: str) -> dict[str, Any]:
    """Return the finished cells of a benchmark by their variant."""
    found = runs(store, _finished_cell(benchmark))
    return {cell.data.tags.get("rageval.variant", ""): cell for cell in reversed(found)}


def _finished_cell(benchmark: str) -> str:
    return (
        f"attributes.status = 'FINISHED' and tags.`rageval.kind` = '{CELL}' and "
        f"tags.`rageval.benchmark` = '{benchmark}'"
    )


@dataclass(frozen=True)
class Board:
    """What a sweep leaves on its parent run."""

    metrics: Mapping[str, float]
    tables: Mapping[str, Table]
    files: Mapping[str, bytes]  # what else is kept: pictures, pages, what the next sweep reads
    words: str


def board_of(store: Store, run: str) -> dict[str, Table]:
    """Return the tables that a sweep left on its parent run, by their names.

    Raises
    ------
    NoVerdictError
        If one is not there, or was altered.
    """
    return {name: _table_of(store, run, name) for name in BOARD}


def _table_of(store: Store, run: str, name: str) -> Table:
    found = json.loads(sealed_file(store, run, f"{name}.json"))
    kept = [place for place, column in enumerate(found["columns"]) if column != SCHEMA_COLUMN]
    return Table(
        [found["columns"][place] for place in kept],
        [[row[place] for place in kept] for row in found["data"]],
    )


def close_parent(parent: Parent, board: Board, status: str) -> None:
    """Write the board to the parent run and end it as FINISHED, FAILED or KILLED.

    Raises
    ------
    UnreachableError
        If the store does not answer.
    """
    written = {
        name: json.dumps(table.as_json(), ensure_ascii=False).encode()
        for name, table in board.tables.items()
    }
    files = {name: redacted_bytes(content) for name, content in {**written, **board.files}.items()}
    found = Record(
        params={},
        metrics=board.metrics,
        tags={"mlflow.note.content": board.words, SEALS: seal(files, board.metrics)},
        datasets=(),
        files=files,
        tables=list(board.tables),
    )
    try:
        write(parent.store, parent.run, found)
        end(parent.store, parent.run, status)
    finally:
        if parent.lock is not None:
            # While it is held: once it is free the file may be another process's.
            with suppress(OSError):  # Windows removes no file that is open
                Path(parent.lock.lock_file).unlink(missing_ok=True)
            parent.lock.release()

"""What a worker in another process, on this machine or another, is given, and what it returns."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from rich.console import Console

from rageval.cache.store import Cache, CacheConfig
from rageval.config.launch import UNFINISHED
from rageval.errors import InputError
from rageval.schema.process import Process
from rageval.sweep.cell import evaluate_cell
from rageval.sweep.composing import Cell
from rageval.sweep.result import FAILED, CellResult
from rageval.tracking import store as stores
from rageval.tracking.settings import TrackingConfig
from rageval.tracking.store import Location
from rageval.tracking.sweeps import Parent

_LOOK = 0.5  # seconds between two looks at the program that a worker works for
_ORPHANED = 143  # exit code of a worker whose program is gone
WORKER_TASK = "rageval.worker_task"  # the tag by which the runs of one launch are known


@dataclass(frozen=True)
class WorkerTask:
    """What every worker of a launch is given besides its cells."""

    name: str  # of this launch, unlike any other
    folder: str  # where the command was typed: relative paths and a user's classes are from there
    location: Location | None  # of the store; None: nothing is recorded
    experiment: str = ""
    parent: str = ""  # id of the run of the sweep
    owner: Process | None = None  # the program that hands out cells


@dataclass(frozen=True)
class Tally:
    """What the stages of one cell were: there already, computed, and how long that took."""

    hits: Mapping[str, int] = field(default_factory=dict)
    misses: Mapping[str, int] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Returned:
    """What a worker says of one cell."""

    ended: CellResult
    tally: Tally


@dataclass(frozen=True)
class Lost:
    """A cell whose worker did not come back."""

    number: int
    why: str


class Away:
    """The context of a worker: stages of its own, kept from cell to cell, and the parent run."""

    def __init__(self, worker_task: WorkerTask) -> None:
        self.target = Console(quiet=True)
        self._errand = worker_task
        self._caches: dict[CacheConfig, Cache] = {}
        self._parent: Parent | None = None

    def cache_for(self, config: CacheConfig) -> Cache:
        """Return the cache of this worker."""
        if config not in self._caches:
            self._caches[config] = Cache(config)
        return self._caches[config]

    def recording(self, config: TrackingConfig) -> Parent | None:
        """Return the run that cells are recorded below, opened for the first of them."""
        worker_task = self._errand
        if self._parent is None and worker_task.location is not None:
            store = stores.open_store(worker_task.location, worker_task.experiment)
            self._parent = Parent(store, worker_task.parent, tags={WORKER_TASK: worker_task.name})
        return self._parent

    def plan(self, config: TrackingConfig) -> Parent | None:
        """Return nothing: cells that are only planned are sent to nobody."""

    def before(self, benchmark: str, variant: str, objective: str) -> CellResult | None:
        """Return nothing: what was finished before was settled before it was sent."""

    def tally(self) -> Tally:
        """Return what the stages were since the last time."""
        kept = list(self._caches.values())
        found = Tally(
            {name: n for cache in kept for name, n in cache.hits.items()},
            {name: n for cache in kept for name, n in cache.misses.items()},
            {name: taken for cache in kept for name, taken in cache.seconds.items()},
        )
        for cache in kept:
            for counted in (cache.hits, cache.misses, cache.seconds):
                counted.clear()
        return found


@lru_cache(maxsize=1)
def _desk(worker_task: WorkerTask) -> Away:
    return Away(worker_task)


@lru_cache(maxsize=1)
def _end_with(owner: Process) -> None:
    """End this worker when the program that it works for is gone, killed for instance.

    Nobody would take what it returns, and the next command would evaluate the same cells.
    """

    def watch() -> None:
        while not owner.gone:
            time.sleep(_LOOK)
        os._exit(_ORPHANED)

    threading.Thread(target=watch, daemon=True).start()


def work(worker_task: WorkerTask, cell: Cell) -> Returned:
    """Evaluate one cell here; nothing that breaks it goes beyond what is returned."""
    if worker_task.owner is not None and worker_task.owner.pid != os.getpid():
        _end_with(worker_task.owner)
    try:
        go_to(worker_task.folder)
    except InputError as fault:
        ended = CellResult(cell.number, cell.overrides, FAILED, fault=str(fault), code=UNFINISHED)
        return Returned(ended, Tally())
    context = _desk(worker_task)
    ended = evaluate_cell(cell, context)
    return Returned(ended, context.tally())


def go_to(folder: str) -> None:
    """Work where the command was typed, whatever folder the worker was started in.

    Raises
    ------
    InputError
        If it is not there.
    """
    if not Path(folder).is_dir():
        raise InputError(
            f"{folder} is not there on {os.uname().nodename}: workers need the folder that the "
            "command is typed in, or the one that hydra.launcher.folder names"
        )
    os.chdir(folder)
    if folder not in sys.path:
        sys.path.insert(0, folder)

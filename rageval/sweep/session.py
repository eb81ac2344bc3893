"""What the cells of one sweep share: stages, the parent run, and what each came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from rich.console import Console

from rageval.cache.store import Cache, CacheConfig
from rageval.config.launch import UNFINISHED
from rageval.errors import RagevalError
from rageval.experiment.workflow import open_tracking, require_tracking
from rageval.schema.fingerprint import digest
from rageval.sweep.composing import Cell
from rageval.sweep.persisted import Earlier
from rageval.sweep.result import DONE, FAILED, CellResult
from rageval.sweep.task import Tally
from rageval.sweep.verdicts import judged
from rageval.tracking.settings import TrackingConfig
from rageval.tracking.sweeps import Parent, newest_metrics, open_parent

# Keys that say how a cell is run and shown, and not what it measures.
_MANNER = (
    "sweep", "cache", "output", "run", "tracking", "latency", "secrets", "hydra", "gate",
    "registry",
)  # fmt: skip


@dataclass(frozen=True)
class Searched:
    """A search, whose cells are not known before it begins."""

    name: str  # what names it: the same space and objectives, the same search
    space: Mapping[str, str]  # key → what may be drawn, as it was typed
    trials: int  # that it is to have
    goals: Mapping[str, str]  # objective → maximize | minimize


@dataclass
class Session:
    """One sweep under way: what its cells share, the run that holds them, what each came to."""

    grid: list[tuple[str, ...]]  # the overrides of each cell; those of a search so far
    target: Console
    searched: Searched | None = None
    ended: list[CellResult] = field(default_factory=list)
    halted: str = ""  # why the cells that are left are not run; empty: they are
    code: int = UNFINISHED  # exit code of the cells that are left
    tracking: TrackingConfig | None = None  # as planned cells have it
    _tallies: list[Tally] = field(default_factory=list)  # of workers elsewhere
    _caches: dict[CacheConfig, Cache] = field(default_factory=dict)
    _parent: Parent | None = None
    _there: Parent | None = None  # reads a store for cells that are only planned
    _earlier: Earlier | None = None

    @property
    def cells(self) -> int:
        """Return how many cells the sweep has."""
        return max(self.searched.trials if self.searched else 0, len(self.grid))

    @property
    def id(self) -> str:
        """Return what names this sweep: the same cells, the same sweep, however they are run."""
        if self.searched is not None:
            return self.searched.name
        return digest(sorted(sorted(filter(measures, cell)) for cell in self.grid))[:16]

    @property
    def objective(self) -> str:
        """Return the measure that cells are ranked by; empty before one is done."""
        return next((ended.objective for ended in self.ended if ended.objective), "")

    def cache_for(self, config: CacheConfig) -> Cache:
        """Return the cache that all cells with these settings share."""
        if config not in self._caches:
            self._caches[config] = Cache(config)
        return self._caches[config]

    def recording(self, config: TrackingConfig) -> Parent | None:
        """Return the run that cells are recorded below, opened for the first of them.

        None if nothing is to be recorded. Without its store no cell is run.

        Raises
        ------
        UnreachableError
            If the store cannot be used.
        """
        if self._parent is None:
            try:
                store = open_tracking(config, self.target)
                if store is not None:
                    self._parent = open_parent(store, self.id, self.cells, self._space)
            except RagevalError as fault:
                self.halt(f"the store cannot be used: {fault}", fault.exit_code)
                raise
        return self._parent

    @property
    def _space(self) -> Mapping[str, str]:
        """Return what is swept or searched, in words."""
        if self.searched is not None:
            return {key.lstrip("+"): words for key, words in self.searched.space.items()}
        return {key: ", ".join(values) for key, values in swept(self.grid).items()}

    def plan(self, config: TrackingConfig) -> Parent | None:
        """Return what knows the finished cells of the store that cells would be recorded in.

        A store is read if it is there; none is made.
        """
        if self.tracking is None and config.enabled:
            # Otherwise nothing was recorded, or the store is away: nothing is known.
            with suppress(RagevalError):
                self._there = Parent(require_tracking(config, self.target), "")
        self.tracking = config
        return self._there

    def before(self, benchmark: str, variant: str, objective: str) -> CellResult | None:
        """Return an equal cell of an earlier sweep, from what its parent run keeps."""
        if self._earlier is None:
            self._earlier = Earlier(self._parent)
        return self._earlier.find((benchmark, variant, objective))

    def measured_before(self) -> Mapping[str, float]:
        """Return the metrics of the newest sweep of the experiment; empty if there is none."""
        return newest_metrics(self._there.store) if self._there is not None else {}

    @property
    def opened(self) -> Parent | None:
        """Return the parent run if there is one."""
        return self._parent

    @property
    def _all(self) -> list[Cache | Tally]:
        return [*self._caches.values(), *self._tallies]

    @property
    def cache(self) -> Mapping[str, tuple[int, int]]:
        """Return stage → results that were there, results that were computed."""
        hits: Counter[str] = Counter()
        made: Counter[str] = Counter()
        for cache in self._all:
            hits.update(cache.hits)
            made.update(cache.misses)
        return {name: (hits[name], made[name]) for name in sorted({*hits, *made})}

    @property
    def seconds(self) -> Mapping[str, float]:
        """Return stage → what computing it took in all, and `cells`: what the cells took besides.

        Empty if no cell was run.
        """
        spent: dict[str, float] = {}
        for kept in self._all:
            for stage, taken in kept.seconds.items():
                spent[stage] = spent.get(stage, 0.0) + taken
        done = [ended.seconds for ended in self.ended if ended.state == DONE]
        if not done:
            return {}
        return {**spent, "cells": max(0.0, sum(done) - sum(spent.values()))}

    def end(self, ended: CellResult, cell: Cell | None = None) -> CellResult:
        """Note and return what a cell came to, with the gate's verdict if it asks for one.

        One that failed halts the sweep if its own settings say so.
        """
        if cell is not None and self._parent is not None:
            ended = judged(ended, cell, self._parent.store, self.target)
        self.ended.append(ended)
        if ended.unrecorded:
            self.halt("the store took no more results; type the command again to go on")
        if cell and ended.state == FAILED and cell.tree.whole["sweep"]["on_error"] == "stop":
            self.halt("a cell failed before, and sweep.on_error=stop")
        return ended

    def count(self, tally: Tally) -> None:
        """Note what the stages of a cell were that ran elsewhere."""
        self._tallies.append(tally)

    def halt(self, why: str, code: int = UNFINISHED) -> None:
        """Leave the cells that are not yet run; each of them has the exit code."""
        if not self.halted:
            self.halted, self.code = why, code


def assignments(cell: Sequence[str]) -> dict[str, str]:
    """Return a cell's overrides as key → value.

    Examples
    --------
    >>> assignments(("retriever=bm25", "+window.k=3"))
    {'retriever': 'bm25', 'window.k': '3'}
    """
    pairs = (word.partition("=") for word in cell)
    return {key.lstrip("+"): value for key, _, value in pairs}


def swept(grid: Iterable[Sequence[str]]) -> dict[str, list[str]]:
    """Return the keys that take more than one value, with their values in order of appearance.

    Examples
    --------
    >>> swept([("retriever=bm25", "window.k=1"), ("retriever=dense", "window.k=1")])
    {'retriever': ['bm25', 'dense']}
    """
    found: dict[str, dict[str, None]] = {}
    for cell in grid:
        for key, value in assignments(cell).items():
            found.setdefault(key, {})[value] = None
    return {key: list(values) for key, values in found.items() if len(values) > 1}


def in_words(cell: Sequence[str]) -> str:
    """Return what a cell measures, as it is typed; how it is run and shown is left out.

    Examples
    --------
    >>> in_words(("retriever=bm25", "output.format=json"))
    'retriever=bm25'
    """
    return " ".join(filter(measures, cell))


def measures(word: str) -> bool:
    """Say whether a word is about what a cell measures, and not about how it is run or shown."""
    key = word.partition("=")[0].lstrip("+~")
    return not key.startswith(tuple(f"{name}{end}" for name in _MANNER for end in "./")) and (
        key not in _MANNER
    )

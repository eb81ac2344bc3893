"""What the cells of one sweep share: stages, the parent run, and what each came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from rageval.fingerprint import digest
from rageval.stages.store import CacheConfig, Stages
from rageval.subsets import Summary
from rageval.tracking.store import Store
from rageval.tracking.sweeps import Parent, open_parent

DONE, RESUMED, FAILED, SKIPPED, PLANNED = "done", "resumed", "failed", "skipped", "planned"
STOPPED = "not run"
# What a cell is told about how it is run and shown, and not about what it measures.
_MANNER = ("sweep", "cache", "output", "run", "tracking", "latency", "secrets", "hydra")


@dataclass(frozen=True)
class Ended:
    """What one cell came to."""

    number: int
    overrides: tuple[str, ...]
    state: str  # done | resumed | failed | skipped | planned | not run
    run: str = ""  # id, of a cell that is recorded
    name: str = ""  # the retrieval in words
    whole: Mapping[str, Summary] = field(default_factory=dict)  # measure → value over `all`
    subsets: Mapping[str, float | None] = field(default_factory=dict)  # subset → objective
    values: tuple[float, ...] = ()  # objective of each question that it applies to
    benchmark: str = ""  # fingerprint; only values of one benchmark are paired
    stages: tuple[str, ...] = ()  # digests of its chunking and its retriever
    p95: float | None = None  # milliseconds
    window: float | None = None  # mean characters
    fault: str = ""  # the cause of a failure


@dataclass
class Session:
    """One sweep under way."""

    grid: tuple[tuple[str, ...], ...]  # the overrides of each cell
    ended: list[Ended] = field(default_factory=list)
    number: int = 0  # of the cell that runs now
    overrides: tuple[str, ...] = ()  # its own
    objective: str = ""  # measure that cells are ranked by
    halted: str = ""  # why the cells that are left are not run; empty: they are
    _stages: dict[CacheConfig, Stages] = field(default_factory=dict)
    _parent: Parent | None = None

    @property
    def cells(self) -> int:
        """Return how many cells the sweep has."""
        return len(self.grid)

    @property
    def id(self) -> str:
        """Return what names this sweep: the same cells, the same sweep, however they are run."""
        return digest(sorted(sorted(filter(_measures, cell)) for cell in self.grid))[:16]

    def stages(self, config: CacheConfig) -> Stages:
        """Return the stages that all cells with these settings share."""
        return self._stages.setdefault(config, Stages(config))

    def parent(self, store: Store) -> Parent:
        """Return the parent run, opened at the first cell that is recorded."""
        if self._parent is None:
            grid = {key: ", ".join(values) for key, values in swept(self.grid).items()}
            self._parent = open_parent(store, self.id, self.cells, grid)
        return self._parent

    @property
    def opened(self) -> Parent | None:
        """Return the parent run if there is one."""
        return self._parent

    @property
    def cache(self) -> Mapping[str, tuple[int, int]]:
        """Return stage → results that were there, results that were computed."""
        hits: Counter[str] = sum((kept.hits for kept in self._stages.values()), Counter())
        made: Counter[str] = sum((kept.misses for kept in self._stages.values()), Counter())
        return {name: (hits[name], made[name]) for name in sorted({*hits, *made})}

    def end(self, ended: Ended) -> None:
        """Note what a cell came to."""
        self.ended.append(ended)

    def fail(self, fault: str, stop: bool) -> None:
        """Note that the cell that runs now failed, and whether the others are still to be run."""
        self.end(Ended(self.number, self.overrides, FAILED, fault=fault))
        if stop:
            self.halted = "a cell failed before, and sweep.on_error=stop"


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


def _measures(word: str) -> bool:
    key = word.partition("=")[0].lstrip("+~")
    return not key.startswith(tuple(f"{name}{end}" for name in _MANNER for end in "./")) and (
        key not in _MANNER
    )


_current: ContextVar[Session | None] = ContextVar("rageval_sweep", default=None)


def current() -> Session | None:
    """Return the sweep that this cell belongs to, None outside of one."""
    return _current.get()


@contextmanager
def session(grid: Sequence[tuple[str, ...]]) -> Iterator[Session]:
    """Hold a sweep of these cells open."""
    begun = Session(tuple(grid))
    token = _current.set(begun)
    try:
        yield begun
    finally:
        _current.reset(token)

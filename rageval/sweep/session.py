"""What the cells of one sweep share: stages, the parent run, and what each came to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from rageval.fingerprint import digest
from rageval.stages.store import CacheConfig, Stages
from rageval.subsets import Summary
from rageval.tracking.store import Store
from rageval.tracking.sweeps import Parent, open_parent

DONE, RESUMED, FAILED, SKIPPED, PLANNED = "done", "resumed", "failed", "skipped", "planned"


@dataclass(frozen=True)
class Ended:
    """What one cell came to."""

    number: int
    overrides: tuple[str, ...]
    state: str  # done | resumed | failed | skipped | planned
    run: str = ""  # id, of a cell that is recorded
    name: str = ""  # the retrieval in words
    whole: Mapping[str, Summary] = field(default_factory=dict)  # measure → value over `all`
    subsets: Mapping[str, float | None] = field(default_factory=dict)  # subset → objective
    values: tuple[float, ...] = ()  # objective of each question that it applies to
    stages: tuple[str, ...] = ()  # digests of its chunking and its retriever
    p95: float | None = None  # milliseconds
    window: float | None = None  # mean characters
    fault: str = ""  # the cause of a failure


@dataclass
class Session:
    """One sweep under way."""

    command: tuple[str, ...]  # the overrides as typed
    cells: int
    ended: list[Ended] = field(default_factory=list)
    number: int = 0  # of the cell that runs now
    overrides: tuple[str, ...] = ()  # its own
    objective: str = ""  # measure that cells are ranked by
    interrupted: bool = False
    _stages: Stages | None = None
    _parent: Parent | None = None

    @property
    def id(self) -> str:
        """Return what names this sweep: the same overrides, the same sweep."""
        return digest(list(self.command))[:16]

    def stages(self, config: CacheConfig) -> Stages:
        """Return the stages that all cells share."""
        if self._stages is None:
            self._stages = Stages(config)
        return self._stages

    def parent(self, store: Store) -> Parent:
        """Return the parent run, opened at the first cell that is recorded."""
        if self._parent is None:
            self._parent = open_parent(store, self.id, self.command, self.cells)
        return self._parent

    @property
    def opened(self) -> Parent | None:
        """Return the parent run if there is one."""
        return self._parent

    @property
    def cache(self) -> Mapping[str, tuple[int, int]]:
        """Return stage → results that were there, results that were computed."""
        if self._stages is None:
            return {}
        names = sorted(set(self._stages.hits) | set(self._stages.misses))
        return {name: (self._stages.hits[name], self._stages.misses[name]) for name in names}

    def end(self, ended: Ended) -> None:
        """Note what a cell came to."""
        self.ended.append(ended)


_current: ContextVar[Session | None] = ContextVar("rageval_sweep", default=None)


def current() -> Session | None:
    """Return the sweep that this cell belongs to, None outside of one."""
    return _current.get()


@contextmanager
def session(command: Sequence[str], cells: int) -> Iterator[Session]:
    """Hold a sweep open."""
    begun = Session(tuple(command), cells)
    token = _current.set(begun)
    try:
        yield begun
    finally:
        _current.reset(token)

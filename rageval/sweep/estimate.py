"""How long a sweep may take, by what an earlier one of the same experiment took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rageval.sweep.result import DONE, CellResult
from rageval.sweep.session import Session

_BY_CHUNKING = ("chunks", "qrels")  # stages that each chunking needs; the others, each retriever
_ONCE = ("dataset",)
_SECONDS, _CHUNKINGS, _RETRIEVERS, _CELLS = (
    "seconds/", "computed/chunkings", "computed/retrievers", "computed/cells",
)  # fmt: skip


@dataclass(frozen=True)
class Needed:
    """How much of everything a sweep needs."""

    cells: int
    chunkings: int
    retrievers: int  # each with each chunking that it is used on

    @classmethod
    def of(cls, cells: Sequence[CellResult]) -> Needed:
        """Count what some cells are made from."""
        stages = [cell.stages for cell in cells if cell.stages]
        return cls(len(cells), len({s[0] for s in stages}), len({s[1] for s in stages}))


def measured(sweep: Session) -> dict[str, float]:
    """Return what a sweep took, as metrics of its parent run; nothing if no cell was run."""
    if not sweep.seconds:
        return {}
    needed = Needed.of([ended for ended in sweep.ended if ended.state == DONE])
    return {
        **{f"{_SECONDS}{stage}": spent for stage, spent in sweep.seconds.items()},
        _CELLS: needed.cells,
        _CHUNKINGS: needed.chunkings,
        _RETRIEVERS: needed.retrievers,
    }


def estimate(needed: Needed, before: Mapping[str, float]) -> list[str]:
    """Return what a sweep may take and what that rests on, as sentences.

    `before` are the metrics of an earlier sweep of the same experiment; empty if there is none.

    Examples
    --------
    >>> before = {"seconds/dataset": 1.0, "seconds/chunks": 2.0, "seconds/index": 6.0,
    ...           "seconds/cells": 0.5, "computed/chunkings": 1, "computed/retrievers": 2,
    ...           "computed/cells": 10}
    >>> for line in estimate(Needed(cells=20, chunkings=2, retrievers=4), before):
    ...     print(line)
    about 18 s: 2 chunkings × 2.00 s, 4 retrievers × 3.00 s, 20 cells × 0.05 s, 1.0 s once
    that rests on an earlier sweep of this experiment (10 cells); another corpus, encoder or
    machine takes another time, and what is kept already takes none
    >>> estimate(Needed(1, 1, 1), {})[0]
    'how long that takes is not known: no sweep of this experiment was recorded with its times'
    """
    done, chunkings = before.get(_CELLS, 0), before.get(_CHUNKINGS, 0)
    retrievers = before.get(_RETRIEVERS, 0)
    if not done or not chunkings or not retrievers:
        return [
            "how long that takes is not known: no sweep of this experiment was recorded with its "
            "times"
        ]
    spent = {key.removeprefix(_SECONDS): v for key, v in before.items() if key.startswith(_SECONDS)}
    cell = spent.pop("cells", 0.0) / done
    once = sum(spent.pop(stage, 0.0) for stage in _ONCE)
    chunking = sum(spent.pop(stage, 0.0) for stage in _BY_CHUNKING) / chunkings
    retriever = sum(spent.values()) / retrievers
    whole = needed.cells * cell + needed.chunkings * chunking + needed.retrievers * retriever + once
    return [
        f"about {whole:.0f} s: {needed.chunkings} chunkings × {chunking:.2f} s, "
        f"{needed.retrievers} retrievers × {retriever:.2f} s, {needed.cells} cells × "
        f"{cell:.2f} s, {once:.1f} s once",
        f"that rests on an earlier sweep of this experiment ({done:.0f} cells); another corpus, "
        "encoder or",
        "machine takes another time, and what is kept already takes none",
    ]

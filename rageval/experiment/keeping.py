"""Keeping a result: in the store, or on disk until the store takes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rageval.config.next_command import PROGRAM
from rageval.report.outcome import Outcome
from rageval.tracking.faults import TrackingError
from rageval.tracking.outbox import Entry, address_of, new_key, put
from rageval.tracking.run import Record, milliseconds, running, write
from rageval.tracking.store import Store


class UndeliveredError(TrackingError):
    """The store did not take a result, which was kept on disk if that could be."""

    outcome: Outcome | None = None  # what was measured, where somebody is to see it


@dataclass
class Keeping:
    """A run that is being written, and what it is to hold once that is known."""

    store: Store
    run: str  # id
    name: str
    parent: str = ""  # id of the run of the sweep that it is a cell of
    started: int = 0  # milliseconds
    ended: int = 0
    record: Record | None = None

    def write(self, record: Record) -> None:
        """Write everything that the run keeps.

        Raises
        ------
        TrackingError
            If the store refuses it or goes away meanwhile.
        """
        self.record, self.ended = record, milliseconds()
        write(self.store, self.run, record, self.ended)

    def undelivered(self, fault: TrackingError) -> TrackingError:
        """Keep the result on disk and return the error that says so; before there is one, `fault`.

        Where even that is not possible the error says that as well.
        """
        outbox = self.store.location.outbox
        if self.record is None or outbox is None:
            return fault
        try:
            folder = put(outbox, self._entry(self.record))
        except OSError as full:
            why = full.strerror or str(full)
            return _undelivered(
                fault, f"its results are lost: {_shown(outbox)} cannot be written either: {why}"
            )
        return _undelivered(
            fault, f"its results are kept in {_shown(folder)}, and `{PROGRAM} sync` delivers them"
        )

    def _entry(self, record: Record) -> Entry:
        return Entry(
            key=new_key(),
            store=address_of(self.store.location),
            experiment=self.store.name,
            run=self.run,
            name=self.name,
            parent=self.parent,
            started=self.started,
            ended=self.ended,
            record=record,
        )


@contextmanager
def keeping(
    store: Store, name: str, parent: str = "", tags: Mapping[str, str] | None = None
) -> Iterator[Keeping]:
    """Hold a run open, as `rageval.tracking.run.running` does; its result is never lost.

    Raises
    ------
    UndeliveredError
        If the store does not take the result.
    TrackingError
        If it goes away before there is one.
    """
    held: list[Keeping] = []
    try:
        with running(store, name, parent, tags) as run:
            held.append(Keeping(store, run, name, parent, milliseconds()))
            yield held[0]
    except TrackingError as fault:
        raise (held[0].undelivered(fault) if held else fault) from fault


def _undelivered(fault: TrackingError, then: str) -> UndeliveredError:
    found = UndeliveredError(f"{fault}; {then}")
    found.refused = fault.refused
    return found


def _shown(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)

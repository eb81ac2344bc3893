"""Delivering a result that waits: onto the run that was begun for it, or a new one, and once."""

from __future__ import annotations

from rageval.errors import NoVerdictError
from rageval.tracking.faults import tracking_error
from rageval.tracking.outbox import Entry
from rageval.tracking.reading import found_run
from rageval.tracking.run import create, write
from rageval.tracking.seals import SEALS
from rageval.tracking.search import runs
from rageval.tracking.store import Store

_DELIVERY = "rageval.delivery"  # the tag of a run that was made to take a result: the latter's key
_PARENT = "mlflow.parentRunId"


def deliver(store: Store, entry: Entry) -> str:
    """Write a result to its run, end that as FINISHED and return its id.

    Interrupted anywhere it can be done again, and changes nothing that is there already.

    Raises
    ------
    TrackingError
        If the store does not answer, or refuses the result.
    """
    from mlflow.exceptions import MlflowException

    home = store.beside(entry.experiment)
    try:
        run = _run_of(home, entry)
        if not _finished(home, run, entry):
            write(home, run, entry.record, entry.ended)
            home.client.set_terminated(run, "FINISHED", end_time=entry.ended)
    except MlflowException as fault:
        raise tracking_error(
            store.location.shown, fault, f"to keep the result {entry.key}"
        ) from fault
    return run


def _run_of(store: Store, entry: Entry) -> str:
    """Return the run that takes a result: the one that was begun for it, while it is there."""
    try:
        return str(found_run(store, entry.run).info.run_id)
    except NoVerdictError:
        made = runs(store, f"tags.`{_DELIVERY}` = '{entry.key}'", "all")
    if made:
        return str(made[0].info.run_id)
    above = {_PARENT: entry.parent} if entry.parent else {}
    return create(store, entry.name, {_DELIVERY: entry.key, **above}, entry.started)


def _finished(store: Store, run: str, entry: Entry) -> bool:
    """Say whether a run holds a result already: that is the last thing which is written."""
    found = found_run(store, run)
    sealed = found.data.tags.get(SEALS) == entry.record.tags.get(SEALS)
    return bool(found.info.status == "FINISHED" and sealed)

"""Runs whose program has ended without closing them, by kill -9 for instance."""

from __future__ import annotations

from typing import Any

from rageval.schema.process import Process
from rageval.tracking.claims import drop_abandoned
from rageval.tracking.run import PROCESS
from rageval.tracking.search import runs
from rageval.tracking.sets import experiments
from rageval.tracking.store import Store

_RUNNING = "attributes.status = 'RUNNING'"


def close_abandoned(store: Store) -> list[str]:
    """Mark the runs of programs of this machine that are no more as KILLED; return their ids.

    What they had claimed is free again.

    They are looked for in all experiments. A program of another machine may still be at work.

    Raises
    ------
    UnreachableError
        If the store does not answer.
    """
    places = [str(found.experiment_id) for found in experiments(store)]
    condition = f"{_RUNNING} and tags.`{PROCESS}` LIKE '%'"
    open_runs = runs(store, condition, experiments=places)
    drop_abandoned(store)
    return [run for found in open_runs if (run := _closed(store, found))]


def abandoned(run: Any) -> bool:  # noqa: ANN401  an mlflow Run
    """Say whether the program that writes a run has certainly ended."""
    process = Process.read(run.data.tags.get(PROCESS, ""))
    return process is not None and process.gone


def _closed(store: Store, found: Any) -> str:  # noqa: ANN401  an mlflow Run
    if not abandoned(found):
        return ""
    run = str(found.info.run_id)
    # It may have been finished since it was found; now nobody is left to do that.
    if store.client.get_run(run).info.status != "RUNNING":
        return ""
    store.client.set_terminated(run, "KILLED")
    return run

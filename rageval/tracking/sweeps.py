"""The parent run of a sweep and the children that are already there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rageval.report.tables import Table
from rageval.tracking.reading import CELL, unreachable
from rageval.tracking.run import Record, end, origin, write
from rageval.tracking.store import Store

_PAGE = 1000  # runs that one search returns


@dataclass(frozen=True)
class Parent:
    """The run that holds a sweep together."""

    store: Store
    run: str  # id
    finished: Mapping[tuple[str, str], Any]  # benchmark, variant → a finished child


def open_parent(store: Store, sweep: str, command: Sequence[str], cells: int) -> Parent:
    """Return the parent of a sweep: that of the same sweep before, or a new one.

    Children that an interrupted process left running are closed.

    Raises
    ------
    UnreachableError
        If the store does not answer.
    """
    from mlflow.exceptions import MlflowException

    client = store.client
    try:
        known = _search(store, f"tags.`rageval.sweep` = '{sweep}'")
        if known:
            run = str(known[0].info.run_id)
            client.update_run(run, status="RUNNING")
        else:
            name = f"sweep of {cells} cells: {' '.join(w for w in command if ',' in w)}"
            tags = {**origin(), "rageval.kind": "sweep", "rageval.sweep": sweep}
            run = str(client.create_run(store.experiment, run_name=name, tags=tags).info.run_id)
        children = _search(store, f"tags.`mlflow.parentRunId` = '{run}'")
        for child in children:
            if child.info.status == "RUNNING":
                client.set_terminated(str(child.info.run_id), "KILLED")
        return Parent(store, run, _finished(_search(store, f"tags.`rageval.kind` = '{CELL}'")))
    except MlflowException as fault:
        raise unreachable(store, fault) from fault


def _finished(cells: Sequence[Any]) -> dict[tuple[str, str], Any]:
    return {
        (
            cell.data.tags.get("rageval.benchmark", ""),
            cell.data.tags.get("rageval.variant", ""),
        ): cell
        for cell in reversed(cells)
        if cell.info.status == "FINISHED"
    }


def _search(store: Store, condition: str) -> list[Any]:
    """Return the runs of the experiment that meet a condition, the newest first."""
    found: list[Any] = []
    token = None
    while True:
        page = store.client.search_runs(
            [store.experiment],
            filter_string=condition,
            order_by=["attributes.start_time DESC"],
            max_results=_PAGE,
            page_token=token,
        )
        found += page
        token = page.token
        if not token:
            return found


@dataclass(frozen=True)
class Board:
    """What a sweep leaves on its parent run."""

    metrics: Mapping[str, float]
    grid: Mapping[str, str]  # swept key → its values
    tables: Mapping[str, Table]
    pictures: Mapping[str, bytes]
    words: str


def close_parent(parent: Parent, board: Board, interrupted: bool) -> None:
    """Write the board to the parent run and end it.

    Raises
    ------
    UnreachableError
        If the store does not answer.
    """
    files = {name: json.dumps(t.as_json(), ensure_ascii=False) for name, t in board.tables.items()}
    found = Record(
        params={f"sweep.{key}": values for key, values in board.grid.items()},
        metrics=board.metrics,
        tags={"mlflow.note.content": board.words},
        datasets=(),
        files={**{name: text.encode() for name, text in files.items()}, **board.pictures},
        tables=list(board.tables),
    )
    write(parent.store, parent.run, found)
    end(parent.store, parent.run, "KILLED" if interrupted else "FINISHED")

"""The finished trials of a search, noted on its parent run as they end: one tag each."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping

from rageval.schema.fingerprint import digest
from rageval.tracking.reading import found_run
from rageval.tracking.search import runs
from rageval.tracking.store import Store

_TAG = "rageval.trial."
Drawn = Mapping[str, str | int | float]  # key of the configuration → value


def find_parent(store: Store, sweep: str) -> str:
    """Return the id of the run of a sweep; empty if it was never run.

    Raises
    ------
    UnreachableError
        If the store does not answer.
    """
    found = runs(store, f"tags.`rageval.sweep` = '{sweep}'")
    return str(found[0].info.run_id) if found else ""


def note(store: Store, run: str, drawn: Drawn) -> None:
    """Note that a trial of these values is finished.

    Raises
    ------
    UnreachableError
        If the store does not answer.
    """
    key = digest(sorted(drawn.items()))[:16]
    store.client.set_tag(run, f"{_TAG}{key}", json.dumps([time.time(), dict(drawn)]))


def noted(store: Store, run: str) -> list[Drawn]:
    """Return the values of the finished trials in the order in which they ended.

    Raises
    ------
    NoVerdictError
        If there is no such run.
    UnreachableError
        If the store does not answer.
    """
    tags = found_run(store, run).data.tags
    rows = [json.loads(text) for name, text in tags.items() if name.startswith(_TAG)]
    return [drawn for _, drawn in sorted(rows, key=lambda row: float(row[0]))]

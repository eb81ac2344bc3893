"""Old runs in the tracking store: listing them, deleting them, and taking questions out of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from rageval.tracking.reading import CONFIG, STRIPPED, unreachable
from rageval.tracking.retention import Past
from rageval.tracking.search import runs
from rageval.tracking.store import Store

_VALUES = (CONFIG, "subsets.json", "plots", "leaderboard.json", "best_by_subset.json",
           "main_effects.json")  # fmt: skip
_OURS = "tags.`mlflow.source.name` = 'rageval'"


def past_runs(store: Store) -> list[Past]:
    """Return the runs of ours in the experiment, whatever became of them."""
    return [_past(run) for run in runs(store, _OURS)]


def _past(run: Any) -> Past:  # noqa: ANN401  an mlflow Run
    return Past(
        run=str(run.info.run_id),
        parent=str(run.data.tags.get("mlflow.parentRunId", "")),
        name=str(run.info.run_name),
        when=datetime.fromtimestamp(run.info.start_time / 1000, UTC),
        running=run.info.status == "RUNNING",
        stripped=STRIPPED in run.data.tags,
    )


def delete(store: Store, run: str) -> None:
    """Delete a run as MLflow does: it can be restored until `mlflow gc`."""
    store.client.delete_run(run)


def strip(store: Store, run: str) -> None:
    """Delete every file of a run that may hold a question; values, params and pictures stay.

    What is kept is listed here and not what goes, so that a new kind of file goes too.

    Raises
    ------
    UnreachableError
        If the store does not answer, or its artifacts cannot be deleted.
    """
    from mlflow.exceptions import MlflowException
    from mlflow.store.artifact.artifact_repository_registry import get_artifact_repository

    uri = store.client.get_run(run).info.artifact_uri
    try:
        place: Any = get_artifact_repository(uri, tracking_uri=store.location.uri)
        for path in _questions(place):
            place.delete_artifacts(path)
    except (MlflowException, OSError, NotImplementedError) as fault:
        raise unreachable(store, fault) from fault
    store.client.set_tag(run, STRIPPED, "dropped")
    kept = [{"path": "subsets.json", "type": "table"}]
    store.client.set_tag(run, "mlflow.loggedArtifacts", json.dumps(kept))


def _questions(place: Any) -> Iterator[str]:  # noqa: ANN401  an mlflow ArtifactRepository
    yield from (item.path for item in place.list_artifacts() if item.path not in _VALUES)

"""One evaluation as one MLflow run, written in one go."""

from __future__ import annotations

import getpass
import json
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from rageval.escaping.redaction import redacted, redacted_bytes
from rageval.schema.names import parameter_key
from rageval.schema.process import Process
from rageval.tracking.faults import TrackingError, tracking_error
from rageval.tracking.store import Store

PROCESS = "rageval.process"  # the tag of a run that says which program writes it
_TRIES = 3  # to add what another process is adding, too
_METRICS, _PARAMS = 1000, 100  # what one log_batch may hold
_PARAM_LENGTH, _TAG_LENGTH, _DIGEST_LENGTH = 6000, 8000, 32


@dataclass(frozen=True, slots=True)
class Dataset:
    """An input of the run."""

    name: str
    digest: str  # sha256, hexadecimal
    source: str  # where it was read from
    context: str  # corpus | questions
    profile: Mapping[str, int]  # sizes


@dataclass(frozen=True)
class Record:
    """What a run keeps."""

    params: Mapping[str, str]
    metrics: Mapping[str, float]
    tags: Mapping[str, str]
    datasets: Sequence[Dataset]
    files: Mapping[str, bytes]  # path among the artifacts → content
    tables: Sequence[str] = field(default_factory=tuple)  # which of the files are tables


@contextmanager
def running(
    store: Store, name: str, parent: str = "", tags: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Hold a run open and yield its id: FINISHED at the end, KILLED on Ctrl-C, else FAILED.

    `parent` is the id of the run of the sweep that it is a cell of; `tags` are there from the
    beginning.

    Raises
    ------
    TrackingError
        If the store refuses the run or does not answer.
    """
    above = {"mlflow.parentRunId": parent} if parent else {}
    run_id = create(store, name, {PROCESS: Process.this().text, **above, **(tags or {})})
    try:
        yield run_id
    except BaseException as fault:
        end(store, run_id, "KILLED" if isinstance(fault, KeyboardInterrupt) else "FAILED")
        raise
    end(store, run_id, "FINISHED")


def end(store: Store, run_id: str, status: str) -> None:
    """Set how a run ended: FINISHED, FAILED or KILLED.

    Raises
    ------
    TrackingError
        If the store does not do it and the run was to be FINISHED.
    """
    from mlflow.exceptions import MlflowException

    try:
        store.client.set_terminated(run_id, status)
    except (MlflowException, TrackingError) as fault:
        if status == "FINISHED":
            shown, doing = store.location.shown, f"to finish run {run_id}"
            raise tracking_error(shown, fault, doing) from fault


def create(store: Store, name: str, tags: Mapping[str, str], started: int | None = None) -> str:
    """Make a run in the experiment of the store and return its id.

    `started` is when it began, in milliseconds; None = now.

    Raises
    ------
    TrackingError
        If the store refuses the run or does not answer.
    """
    from mlflow.exceptions import MlflowException

    named = {**origin(), **tags}
    try:
        run = store.client.create_run(
            store.experiment, start_time=started, run_name=name, tags=named
        )
    except MlflowException as fault:
        raise tracking_error(store.location.shown, fault, "to make a run") from fault
    if not run.info.run_id:
        raise TrackingError(
            f"tracking store {store.location.shown} gives no answer of MLflow's: a run without an "
            "id; is it an MLflow server?"
        )
    return str(run.info.run_id)


def origin() -> dict[str, str]:
    """Return the tags that say who made a run, and with what."""
    return {
        "mlflow.user": user(),
        "mlflow.source.name": "rageval",
        "mlflow.source.type": "LOCAL",
    }


def user() -> str:
    """Return who is at work, as far as this machine knows."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run as a user without a name
        return "unknown"


def write(store: Store, run_id: str, record: Record, now: int | None = None) -> None:
    """Write everything that a run keeps: metrics, params, tags, inputs and files.

    The same record written again, with the same time in milliseconds, changes nothing.

    Raises
    ------
    TrackingError
        If the store refuses it or goes away meanwhile; the run is then not FINISHED.
    """
    from mlflow.exceptions import MlflowException

    try:
        _log_values(store, run_id, record, milliseconds() if now is None else now)
        _log_inputs(store, run_id, record.datasets)
        _log_files(store, run_id, record.files)
    except (MlflowException, OSError) as fault:
        raise _unwritten(store, run_id, fault) from fault


def milliseconds() -> int:
    """Return the time as MLflow counts it."""
    return int(time.time() * 1000)


def add(
    store: Store, run_id: str, metrics: Mapping[str, float], files: Mapping[str, bytes]
) -> None:
    """Add metrics and files to a run that is finished.

    Raises
    ------
    TrackingError
        If the store does not answer.
    """
    from mlflow.entities import Metric
    from mlflow.exceptions import MlflowException

    now = milliseconds()
    try:
        logged = [Metric(key, value, now, 0) for key, value in metrics.items()]
        store.client.log_batch(run_id, metrics=logged)
        _log_files(store, run_id, files)
    except (MlflowException, OSError) as fault:
        raise _unwritten(store, run_id, fault) from fault


def add_files(store: Store, run: str, files: Mapping[str, str], tables: Sequence[str]) -> None:
    """Add texts to a finished run: path among its artifacts → content.

    `tables` are those that MLflow's evaluation view offers for the run.

    Raises
    ------
    UnreachableError
        If the store does not answer.
    """
    from mlflow.exceptions import MlflowException

    try:
        _log_files(store, run, {path: redacted(text).encode() for path, text in files.items()})
        _announce(store, run, tables)
    except (MlflowException, OSError) as fault:
        raise tracking_error(store.location.shown, fault) from fault


def _announce(store: Store, run: str, tables: Sequence[str]) -> None:
    """Add tables to those that MLflow's evaluation view offers for the run."""
    name = "mlflow.loggedArtifacts"
    listed = json.loads(store.client.get_run(run).data.tags.get(name, "[]"))
    new = [{"path": path, "type": "table"} for path in tables]
    kept = [entry for entry in listed if entry not in new]
    store.client.set_tag(run, name, json.dumps([*kept, *new]))


def mark(store: Store, run: str, key: str, value: str) -> None:
    """Set a tag of a run.

    Raises
    ------
    UnreachableError
        If the store does not answer.
    """
    from mlflow.exceptions import MlflowException

    try:
        store.client.set_tag(run, key, value)
    except MlflowException as fault:
        raise tracking_error(store.location.shown, fault) from fault


def _unwritten(store: Store, run_id: str, fault: Exception) -> TrackingError:
    """Return the error for a run that could not be written: refused, or the store is gone."""
    return tracking_error(store.location.shown, fault, f"to keep what run {run_id} holds")


def _log_values(store: Store, run_id: str, record: Record, now: int) -> None:
    from mlflow.entities import Metric, Param, RunTag

    tags = {**record.tags, "mlflow.loggedArtifacts": _logged(record.tables)}
    metrics = [Metric(key, value, now, 0) for key, value in record.metrics.items()]
    params = [
        Param(parameter_key(path), value[:_PARAM_LENGTH]) for path, value in record.params.items()
    ]
    first = {"tags": [RunTag(key, value[:_TAG_LENGTH]) for key, value in tags.items()]}
    metric_parts, param_parts = _parts(metrics, _METRICS), _parts(params, _PARAMS)
    for step in range(max(len(metric_parts), len(param_parts))):
        store.client.log_batch(
            run_id,
            metrics=metric_parts[step] if step < len(metric_parts) else (),
            params=param_parts[step] if step < len(param_parts) else (),
            **(first if step == 0 else {}),
        )


def _parts(rows: Sequence[object], size: int) -> list[Sequence[object]]:
    return [rows[at : at + size] for at in range(0, max(1, len(rows)), size)]


def _logged(tables: Sequence[str]) -> str:
    return json.dumps([{"path": path, "type": "table"} for path in tables])


def _log_inputs(store: Store, run_id: str, datasets: Sequence[Dataset]) -> None:
    """Log the inputs of a run.

    MLflow looks whether an experiment knows a dataset and adds it if not, in two steps: of those
    who write its first runs at once all but one are refused, and find it there the next time.
    """
    from mlflow.exceptions import MlflowException

    inputs = [_input(dataset) for dataset in datasets]
    for left in reversed(range(_TRIES)):
        try:
            store.client.log_inputs(run_id, inputs)
            return
        except MlflowException as fault:
            if not left or "datasets" not in str(fault) or "unique" not in str(fault).lower():
                raise


def _input(dataset: Dataset) -> Any:  # noqa: ANN401  an mlflow DatasetInput
    from mlflow.entities import Dataset as Entity
    from mlflow.entities import DatasetInput, InputTag

    return DatasetInput(
        Entity(
            name=dataset.name,
            digest=dataset.digest[:_DIGEST_LENGTH],
            source_type="local",
            source=json.dumps({"uri": dataset.source}),
            profile=json.dumps(dict(dataset.profile)),
        ),
        [InputTag("mlflow.data.context", dataset.context)],
    )


def _log_files(store: Store, run_id: str, files: Mapping[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for path, content in files.items():
            target = Path(folder) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(redacted_bytes(content))
        if store.location.timeout is None:
            store.client.log_artifacts(run_id, folder)
            return
        for path in files:  # one by one: each has the time that a call may take
            above = PurePosixPath(path).parent.as_posix()
            store.client.log_artifact(
                run_id, str(Path(folder) / path), None if above == "." else above
            )

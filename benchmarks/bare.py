"""What MLflow itself takes to write a run: the content of one that is there, by its own calls."""

from __future__ import annotations

import time
from pathlib import Path
from urllib.parse import urlsplit

_PARAMS = 100  # what one call may hold


def bare_write(folder: Path, times: int) -> float:
    """Return the seconds that a run takes, written as a cell below `folder`/mlruns is.

    As few calls as MLflow allows: the run, batches of metrics, params and tags, the inputs, the
    files in one go, the end.
    """
    from mlflow import MlflowClient
    from mlflow.entities import DatasetInput, Metric, Param, RunTag

    client = MlflowClient(f"sqlite:///{folder}/mlruns/mlflow.db")
    experiments = [found.experiment_id for found in client.search_experiments()]
    (run,) = client.search_runs(experiments, "tags.`rageval.kind` = 'cell'", max_results=1)
    files = urlsplit(run.info.artifact_uri).path
    metrics = [Metric(key, value, 0, 0) for key, value in run.data.metrics.items()]
    params = [Param(key, value) for key, value in run.data.params.items()]
    tags = [RunTag(key, value) for key, value in run.data.tags.items() if "runName" not in key]
    inputs = [DatasetInput(found.dataset, found.tags) for found in run.inputs.dataset_inputs]
    begun = time.perf_counter()
    for _ in range(times):
        made = client.create_run(run.info.experiment_id, run_name="bare").info.run_id
        client.log_batch(made, metrics=metrics, params=params[:_PARAMS], tags=tags)
        if params[_PARAMS:]:
            client.log_batch(made, params=params[_PARAMS:])
        client.log_inputs(made, inputs)
        client.log_artifacts(made, files)
        client.set_terminated(made, "FINISHED")
    return (time.perf_counter() - begun) / times

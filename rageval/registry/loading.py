"""A registered version as a pipeline, for a service that loads it by name and alias."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rageval.errors import InputError, UnreachableError
from rageval.registry.pyfunc import restored
from rageval.retrieval.pipeline import Pipeline
from rageval.tracking import store as stores
from rageval.tracking.settings import TrackingConfig

_REGISTRY = "MLFLOW_REGISTRY_URI"
_ADDRESS = re.compile(r"models:/(?P<name>[^/@]+)(?:@(?P<alias>[^/@]+)|/(?P<version>\d+))")
_DATA = "data/retrieval"  # in the folder of a model: what `registry.version` saved


def load(uri: str, settings: Mapping[str, Any], tracking_uri: str | None = None) -> Pipeline:
    """Return the pipeline of a version: `models:/rageval-handbook@champion`, or `…/3`.

    Parameters
    ----------
    uri
        MLflow's address of a model version.
    settings
        What MLflow calls `model_config`; see `rageval.registry.pyfunc`.
    tracking_uri
        Address of the registry; None = MLFLOW_TRACKING_URI, or else the store under mlruns/.

    Raises
    ------
    UnreachableError
        If there is no such version, or the registry does not answer.
    InputError
        If the version is not one of rageval's, or cannot be restored.
    """
    from mlflow import MlflowClient
    from mlflow.artifacts import download_artifacts
    from mlflow.exceptions import MlflowException

    config = TrackingConfig(enabled=True, uri=tracking_uri, experiment="none", root="mlruns")
    place = stores.locate(config, os.environ)
    try:
        client = MlflowClient(place.uri, os.environ.get(_REGISTRY) or place.uri)
        version = _version(client, uri)
        source = client.get_model_version_download_uri(version.name, version.version)
        folder = download_artifacts(artifact_uri=source, tracking_uri=place.uri)
    except (MlflowException, OSError) as fault:
        raise UnreachableError(f"{uri}: {fault}") from fault
    data = Path(folder) / _DATA
    if not data.is_dir():
        raise InputError(f"{uri}: it is no retrieval that rageval registered")
    return restored(str(data), settings)


def _version(client: Any, uri: str) -> Any:  # noqa: ANN401  of MLflow
    """Return the version that an address names."""
    found = _ADDRESS.fullmatch(uri)
    if found is None:
        raise InputError(f"{uri!r} must be models:/NAME@ALIAS or models:/NAME/VERSION")
    if found["alias"]:
        return client.get_model_version_by_alias(found["name"], found["alias"])
    return client.get_model_version(found["name"], found["version"])

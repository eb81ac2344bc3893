"""Registering a run: a model version that answers questions through the production path."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import yaml

from rageval.config.components import extras
from rageval.errors import NoVerdictError
from rageval.registry.baseline import CONFIG_TAG, TABLE_TAG, registered
from rageval.registry.described import version_described
from rageval.schema.component_names import with_current_names
from rageval.tracking.reading import CONFIG, Kept, unreachable
from rageval.tracking.settings import RegistryConfig
from rageval.tracking.store import Store
from rageval.version import __version__

_FOLDER = "model"  # among the run's artifacts
_LOADER = "rageval.registry.pyfunc"
_MODEL_CONFIG: dict[str, Any] = {
    "corpus": None,
    "access": None,
    "allow_corpus_change": False,
    "allow": [],
    "secrets": {},
}
_COPIED = (
    "set", "set_id", "set_location", "split", "retrieval", "benchmark", "variant", "configuration",
    "inputs", "environment", "chunking",
)  # fmt: skip


def register(store: Store, kept: Kept, config: RegistryConfig, verdict: str) -> str:
    """Return the number of the model version of a run, registering it if it is not there yet.

    The version is stored as data: the configuration, and the name of the module that reads it. It
    carries the fingerprints, the hash of its table, and the gate's verdict as tags.

    Raises
    ------
    NoVerdictError
        If the run was altered since it was registered, or does not say what corpus it had.
    UnreachableError
        If the registry refuses or does not answer.
    """
    from mlflow.exceptions import MlflowException

    name = config.name(kept.result.dataset)
    try:
        version = _existing(store, name, kept) or _created(store, name, kept)
        store.client.set_model_version_tag(name, version, "rageval.verdict", verdict)
        store.client.update_model_version(name, version, version_described(kept, verdict))
    except (MlflowException, OSError) as fault:
        raise unreachable(store, fault) from fault
    return version


def version_of(store: Store, config: RegistryConfig, kept: Kept) -> str | None:
    """Return the number of the version that a run is, None if it is none yet."""
    return _existing(store, config.name(kept.result.dataset), kept)


def _existing(store: Store, name: str, kept: Kept) -> str | None:
    found = store.client.search_model_versions(f"name = '{name}' and run_id = '{kept.run}'")
    if not found:
        return None
    if found[0].tags.get(TABLE_TAG) != kept.digest:
        raise NoVerdictError(
            f"run {kept.run} is version {found[0].version} of {name} already, and its table was "
            "altered since: make a new run"
        )
    return str(found[0].version)


def make_model(store: Store, name: str) -> None:
    """Make a registered model if it is not there; safe under concurrent creation."""
    from mlflow.exceptions import MlflowException

    if registered(store, name) is not None:
        return
    told = f"The retrieval that answers questions like those of {name}."
    try:
        store.client.create_registered_model(name, description=told)
    except MlflowException as fault:
        if fault.error_code != "RESOURCE_ALREADY_EXISTS":
            raise


def _created(store: Store, name: str, kept: Kept) -> str:
    _log_model(store, kept)
    make_model(store, name)
    tags = {f"rageval.{part}": kept.tags.get(f"rageval.{part}", "") for part in _COPIED}
    version: Any = store.client.create_model_version(
        name,
        source=f"{kept.artifacts}/{_FOLDER}",
        run_id=kept.run,
        tags={
            **tags,
            TABLE_TAG: kept.digest,
            CONFIG_TAG: kept.config_digest,
            "rageval.model": name,
        },
    )
    return str(version.version)


_RETRIEVAL = ("chunking", "retriever", "rewriting")  # nodes of a configuration that answer


def requirement(config: str) -> str:
    """Return this version of rageval, with the extras that a retrieval needs.

    Examples
    --------
    >>> requirement("retriever: {_target_: rageval.retrieval.retrievers.bm25.Bm25}").split("=")[0]
    'rageval'
    """
    content = with_current_names(yaml.safe_load(config))
    needed = extras([content.get(name) for name in _RETRIEVAL])
    return f"rageval{'[' + ','.join(needed) + ']' if needed else ''}=={__version__}"


def _log_model(store: Store, kept: Kept) -> None:
    """Save the configuration as a pyfunc among the run's artifacts."""
    from mlflow import pyfunc

    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "retrieval"
        data.mkdir()
        (data / CONFIG).write_text(kept.config, encoding="utf-8")
        corpus = store.client.get_run(kept.run).inputs.dataset_inputs
        digests = {found.dataset.name.rpartition(" ")[2]: found.dataset.digest for found in corpus}
        if not digests.get("corpus"):
            raise NoVerdictError(f"run {kept.run} does not say what corpus it was measured on")
        (data / "corpus.sha256").write_text(digests["corpus"])
        pyfunc.save_model(
            str(Path(folder) / _FOLDER),
            loader_module=_LOADER,
            data_path=str(data),
            pip_requirements=[requirement(kept.config)],
            model_config=_MODEL_CONFIG,
        )
        store.client.log_artifacts(kept.run, str(Path(folder) / _FOLDER), _FOLDER)

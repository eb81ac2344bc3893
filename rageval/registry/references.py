"""What a user calls a run: `latest`, a run id, a version number or an alias of the model."""

from __future__ import annotations

import re

from rageval.errors import NoVerdictError
from rageval.registry.baseline import registered
from rageval.tracking.reading import newest, unreachable
from rageval.tracking.settings import RegistryConfig
from rageval.tracking.store import Store

LATEST = "latest"


def run_of(store: Store, registry: RegistryConfig, dataset: str, reference: str) -> str:
    """Return the run id that a reference means.

    Raises
    ------
    NoVerdictError
        If it means nothing; the aliases that there are are listed.
    """
    if reference == LATEST:
        return newest(store, dataset)
    if re.fullmatch(r"[0-9a-f]{32}", reference):
        return reference
    name = registry.name(dataset)
    model = registered(store, name)
    aliases = {} if model is None else {key: str(value) for key, value in model.aliases.items()}
    version = reference if reference.isdigit() else aliases.get(reference)
    if version is None:
        listed = ", ".join([LATEST, *sorted(aliases)])
        raise NoVerdictError(
            f"{reference!r} is no run id, version or alias of {name}; there are: {listed}"
        )
    return _run_of_version(store, name, version)


def _run_of_version(store: Store, name: str, version: str) -> str:
    from mlflow.exceptions import MlflowException

    try:
        return str(store.client.get_model_version(name, version).run_id)
    except MlflowException as fault:
        if fault.error_code == "RESOURCE_DOES_NOT_EXIST":
            raise NoVerdictError(f"{name} has no version {version}") from fault
        raise unreachable(store, fault) from fault

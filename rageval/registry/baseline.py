"""The baseline: the model version under the alias, with its run and its table, all unbroken."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rageval.errors import NoVerdictError
from rageval.tracking.reading import PROMOTED, Kept, fetch, unreachable
from rageval.tracking.search import everywhere
from rageval.tracking.settings import RegistryConfig
from rageval.tracking.store import Store

# Of a version: the hashes of its run's table of questions and of its configuration.
TABLE_TAG, CONFIG_TAG = "rageval.table_sha256", "rageval.config_sha256"
HISTORY = "promotion."  # tags of a registered model that hold its promotions: promotion.0001 …


def entry_number(tag: str) -> int | None:
    """Return the number of a promotion from the tag that holds it; None for any other tag.

    Examples
    --------
    >>> entry_number("promotion.0012"), entry_number("promotion.note")
    (12, None)
    """
    number = tag.removeprefix(HISTORY)
    ours = tag.startswith(HISTORY) and len(number) >= 4 and number.isascii() and number.isdigit()
    return int(number) if ours else None


@dataclass(frozen=True)
class Baseline:
    """A promoted version and the run that it came from."""

    model: str
    version: str
    kept: Kept


def baseline(store: Store, config: RegistryConfig, dataset: str) -> Baseline | None:
    """Return what the alias points at; None if nothing was ever promoted.

    Raises
    ------
    NoVerdictError
        If the model was renamed or deleted, the alias was lost, or its run or table is broken or
        altered.
    """
    name = config.name(dataset)
    version = aliased(store, config, dataset)
    if version is None:
        _require_never_promoted(store, name)
        return None
    where = f"{name}@{config.alias} (version {version.version})"
    if not version.run_id:
        raise NoVerdictError(f"{where} has no run: it was not registered by rageval")
    try:
        kept = fetch(store, version.run_id)
    except NoVerdictError as fault:
        raise NoVerdictError(f"{where}: {fault}") from fault
    for tag, digest, what in (
        (TABLE_TAG, kept.digest, "table"),
        (CONFIG_TAG, kept.config_digest, "configuration"),
    ):
        if tag not in version.tags:
            raise NoVerdictError(
                f"{where}: its tag {tag} was removed, so the {what} of run {kept.run} cannot be "
                "checked; promote a run that is intact by force=true"
            )
        if version.tags[tag] != digest:
            raise NoVerdictError(
                f"{where}: the {what} of run {kept.run} is not the one that was registered (its "
                "hash differs); roll back, or promote a run that is intact by force=true"
            )
    return Baseline(name, str(version.version), kept)


def aliased(store: Store, config: RegistryConfig, dataset: str) -> Any | None:  # noqa: ANN401
    """Return the model version under the alias; None if nothing was ever promoted.

    Raises
    ------
    NoVerdictError
        If something was, but the model was renamed or the alias is gone.
    """
    name = config.name(dataset)
    model = registered(store, name)
    if model is None:
        _no_other(store, name, dataset)
        return None
    version = model.aliases.get(config.alias)
    if version is not None:
        return _version(store, name, str(version))
    if any(entry_number(tag) is not None for tag in model.tags):
        raise NoVerdictError(
            f"{name} was promoted before, but its alias {config.alias!r} is gone; set it again: "
            f"MlflowClient().set_registered_model_alias({name!r}, {config.alias!r}, VERSION)"
        )
    return None


def promoted_as(tags: Mapping[str, str], model: str, version: str) -> str:
    """Return what the tag PROMOTED of a run says once it was promoted as a version of a model."""
    before = json.loads(tags.get(PROMOTED, "[]"))
    return json.dumps([*(pair for pair in before if pair[0] != model), [model, version]])


def _require_never_promoted(store: Store, name: str) -> None:
    """Make sure that no run bears the mark of a promotion whose model is gone.

    Raises
    ------
    NoVerdictError
        If one does, in whatever experiment of the store, deleted or not.
    """
    marked = f"tags.`{PROMOTED}` LIKE '%\"{name}\"%'"
    found = everywhere(store, marked)
    if found:
        last = found[0]
        raise NoVerdictError(
            f"{name} has no champion, but run {last.info.run_id} was promoted as one: the model "
            "was deleted or lives in another registry (registry.model, MLFLOW_REGISTRY_URI); "
            "promote force=true reason='…' starts over"
        )


def standing(store: Store, config: RegistryConfig, dataset: str) -> str | None:
    """Return the number of the version that the alias names, whatever its state; None if none."""
    model = registered(store, config.name(dataset))
    version = None if model is None else model.aliases.get(config.alias)
    return None if version is None else str(version)


def _version(store: Store, name: str, number: str) -> Any:  # noqa: ANN401  a ModelVersion
    from mlflow.exceptions import MlflowException

    try:
        return store.client.get_model_version(name, number)
    except MlflowException as fault:
        raise NoVerdictError(f"{name} has no version {number} any more: {fault}") from fault


def registered(store: Store, name: str) -> Any | None:  # noqa: ANN401  an mlflow RegisteredModel
    """Return a registered model, None if there is none of that name."""
    from mlflow.exceptions import MlflowException

    try:
        return store.client.get_registered_model(name)
    except MlflowException as fault:
        if fault.error_code == "RESOURCE_DOES_NOT_EXIST":
            return None
        raise unreachable(store, fault) from fault


def _no_other(store: Store, name: str, dataset: str) -> None:
    """Make sure that the set was not promoted under another name."""
    found = store.client.search_model_versions(f"tags.`rageval.model` = '{name}'")
    others = sorted({version.name for version in found} - {name})
    if others:
        raise NoVerdictError(
            f"model {name} is not there, but {', '.join(others)} holds its versions: was it "
            f"renamed? name it: registry.model={others[0]}"
        )

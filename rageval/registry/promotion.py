"""Moving the alias: one promotion at a time, each remembered for ever."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from rageval.errors import NoVerdictError
from rageval.registry.baseline import HISTORY, aliased, registered
from rageval.tracking.reading import unreachable
from rageval.tracking.settings import RegistryConfig
from rageval.tracking.store import Store

_STALE = 600  # seconds after which a promotion that never ended is no longer waited for


@dataclass(frozen=True, slots=True)
class Promotion:
    """One move of the alias."""

    when: str  # ISO 8601, UTC
    who: str
    action: str  # promote | rollback
    before: str | None  # version under the alias before, None at the first promotion
    after: str
    verdict: str  # passed | failed | none
    reason: str
    forced: bool


def history(store: Store, model: str) -> list[Promotion]:
    """Return the promotions of a model, the oldest first.

    Raises
    ------
    NoVerdictError
        If an entry cannot be read.
    """
    found = registered(store, model)
    entries = sorted((found.tags if found else {}).items())
    try:
        return [Promotion(**json.loads(text)) for key, text in entries if key.startswith(HISTORY)]
    except (TypeError, ValueError) as fault:
        raise NoVerdictError(f"{model}: its promotion history cannot be read: {fault}") from fault


def current(store: Store, config: RegistryConfig, dataset: str) -> str | None:
    """Return the version under the alias, None if nothing was ever promoted."""
    version = aliased(store, config, dataset)
    return None if version is None else str(version.version)


def former(store: Store, config: RegistryConfig, dataset: str) -> str | None:
    """Return the version that was the champion before this one, None if there is none."""
    found = registered(store, config.name(dataset))
    version = None if found is None else found.aliases.get(config.previous)
    return None if version is None else str(version)


def move(store: Store, config: RegistryConfig, dataset: str, promotion: Promotion) -> None:
    """Point the alias at `promotion.after`, if it still stands at `promotion.before`.

    The version before becomes `previous`. An entry is added to the history of the model.

    Raises
    ------
    NoVerdictError
        If another promotion came first or is under way.
    UnreachableError
        If the registry goes away meanwhile; the alias is moved last, so nothing is half promoted.
    """
    from mlflow.exceptions import MlflowException

    model, client = config.name(dataset), store.client
    number = len(history(store, model)) + 1
    try:
        with _claim(store, model, number):
            if (
                current(store, config, dataset) != promotion.before
                or len(history(store, model)) + 1 != number
            ):
                raise _moved(model, config)
            entry = json.dumps(asdict(promotion), ensure_ascii=False)
            if promotion.before is not None:
                client.set_registered_model_alias(model, config.previous, promotion.before)
            client.set_registered_model_tag(model, f"{HISTORY}{number:04d}", entry)
            client.set_registered_model_alias(model, config.alias, promotion.after)
    except MlflowException as fault:
        raise unreachable(store, fault) from fault


def _moved(model: str, config: RegistryConfig) -> NoVerdictError:
    return NoVerdictError(
        f"{model}@{config.alias} moved while this promotion was judged: another came first; gate "
        "the candidate again"
    )


@contextmanager
def _claim(store: Store, model: str, number: int) -> Iterator[None]:
    """Hold the right to make the promotion of that number.

    The registry has no lock, but it gives each name to one model alone, whoever asks: the one that
    makes the model of this name may promote. The name is given back at the end.
    """
    from mlflow.exceptions import MlflowException

    name = f"{model}.promotion-{number:04d}"
    try:
        store.client.create_registered_model(name, description="A promotion under way.")
    except MlflowException as fault:
        if fault.error_code != "RESOURCE_ALREADY_EXISTS":
            raise
        raise NoVerdictError(_taken(registered(store, name), model, name)) from fault
    try:
        yield
    finally:
        store.client.delete_registered_model(name)


def _taken(claim: Any | None, model: str, name: str) -> str:  # noqa: ANN401
    age = 0.0 if claim is None else time.time() - claim.creation_timestamp / 1000
    if age < _STALE:
        return f"another promotion of {model} is under way; gate the candidate again"
    return (
        f"a promotion of {model} began {age / 60:.0f} minutes ago and never ended; look at the "
        f"aliases, then delete the registered model {name!r} and promote again"
    )

"""Moving the alias: one promotion at a time, each remembered for ever.

The registry has neither locks nor transactions. What it has: a name belongs to one registered model
alone, whoever asks. So a promotion begins by making a registered model of a certain name, the
claim, which says what is to be done. Moving the alias is the one step that promotes; whatever a
crash leaves undone after it is read from the claim and done later, and before it nothing happened.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from typing import Any

from rageval.errors import NoVerdictError
from rageval.registry.baseline import HISTORY, registered, standing
from rageval.tracking.reading import unreachable
from rageval.tracking.settings import RegistryConfig
from rageval.tracking.store import Store

_STALE = 600  # seconds after which a promotion that never ended is taken for dead
_INTENT = "rageval.promotion"  # of a claim: the promotion that it is made for


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
    return [_read(text, model) for key, text in entries if key.startswith(HISTORY)]


def _read(text: str, model: str) -> Promotion:
    try:
        return Promotion(**json.loads(text))
    except (TypeError, ValueError) as fault:
        raise NoVerdictError(f"{model}: its promotion history cannot be read: {fault}") from fault


def former(store: Store, config: RegistryConfig, dataset: str) -> str | None:
    """Return the version that was the champion before this one, None if there is none."""
    found = registered(store, config.name(dataset))
    version = None if found is None else found.aliases.get(config.previous)
    return None if version is None else str(version)


def move(store: Store, config: RegistryConfig, dataset: str, promotion: Promotion) -> None:
    """Point the alias at `promotion.after`, if it still stands at `promotion.before`.

    The version before becomes `previous`, and an entry is added to the history of the model.

    Raises
    ------
    NoVerdictError
        If another promotion came first or is under way, or nothing would move.
    UnreachableError
        If the registry goes away meanwhile; what is left to do then is done by the next promotion.
    """
    from mlflow.exceptions import MlflowException

    model = config.name(dataset)
    if promotion.before == promotion.after:
        raise NoVerdictError(f"version {promotion.after} is {model}@{config.alias} already")
    try:
        settle_what_was_left(store, config, dataset)
        _claim(store, model, promotion)
        try:
            if standing(store, config, dataset) != promotion.before:
                raise _moved(model, config)
            store.client.set_registered_model_alias(model, config.alias, promotion.after)
        finally:
            _settle(store, config, dataset)
    except MlflowException as fault:
        raise unreachable(store, fault) from fault


def settle_what_was_left(store: Store, config: RegistryConfig, dataset: str) -> None:
    """Bring a promotion to its end that died half way, if there is one.

    Raises
    ------
    NoVerdictError
        If it began so lately that it may still be under way.
    """
    model = config.name(dataset)
    claim = registered(store, _claim_of(model))
    if claim is None:
        return
    age = time.time() - claim.creation_timestamp / 1000
    if age < _STALE:
        raise _under_way(model)
    _settle(store, config, dataset)


def _claim_of(model: str) -> str:
    return f"{model}.promotion"


def _claim(store: Store, model: str, promotion: Promotion) -> None:
    """Take the right to promote, and write down what for."""
    from mlflow.exceptions import MlflowException

    try:
        store.client.create_registered_model(
            _claim_of(model),
            tags={_INTENT: _text(promotion)},
            description="A promotion under way.",
        )
    except MlflowException as fault:
        if fault.error_code != "RESOURCE_ALREADY_EXISTS":
            raise
        raise _under_way(model) from fault


def _settle(store: Store, config: RegistryConfig, dataset: str) -> None:
    """Do what follows from a moved alias, nothing if it was not moved, and give the claim back."""
    model, client = config.name(dataset), store.client
    claim: Any = registered(store, _claim_of(model))
    promotion = _read(claim.tags.get(_INTENT, ""), model)
    past = history(store, model)
    if standing(store, config, dataset) == promotion.after and promotion not in past:
        if promotion.before is not None:
            client.set_registered_model_alias(model, config.previous, promotion.before)
        entry = f"{HISTORY}{len(past) + 1:04d}"
        client.set_registered_model_tag(model, entry, _text(promotion))
    client.delete_registered_model(_claim_of(model))


def _text(promotion: Promotion) -> str:
    return json.dumps(asdict(promotion), ensure_ascii=False)


def _moved(model: str, config: RegistryConfig) -> NoVerdictError:
    return NoVerdictError(
        f"{model}@{config.alias} moved while this promotion was judged: another came first; gate "
        "the candidate again"
    )


def _under_way(model: str) -> NoVerdictError:
    return NoVerdictError(
        f"another promotion of {model} is under way; gate the candidate again. One that died is "
        f"cleared away by the first promotion after {_STALE // 60} minutes"
    )

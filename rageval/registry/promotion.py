"""Moving the alias: one promotion at a time, each remembered for ever.

The registry has neither locks nor transactions. What it has: a name belongs to one registered model
alone, for every client. So a promotion begins by making a registered model of a certain name, the
claim, which says who makes it and, once that is known, what is to be done. Moving the alias is the
one step that promotes; whatever a crash leaves undone after it is read from the claim and done
later, and before it nothing happened. A claim holds as long as its program runs or renews it.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from rageval.errors import NoVerdictError
from rageval.registry.baseline import HISTORY, entry_number, registered, standing
from rageval.registry.described import described
from rageval.schema.process import Process
from rageval.tracking.lease import LEASE, OWNER, age_of, renewed
from rageval.tracking.reading import unreachable
from rageval.tracking.settings import RegistryConfig
from rageval.tracking.store import Store

_STALE = 600  # the same for a claim of version 0.1.0, which renews none
_SAYS = "A promotion under way"
_INTENT = "rageval.promotion"  # tag of a claim: the promotion that it is made for


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
    return [_read(text, model) for _, text in _entries(store, model)]


def _entries(store: Store, model: str) -> list[tuple[int, str]]:
    """Return the numbered entries of a model, the oldest first; other tags are nobody's history."""
    found = registered(store, model)
    tags = found.tags if found else {}
    return sorted((number, tags[key]) for key in tags if (number := entry_number(key)) is not None)


def _last(store: Store, model: str) -> int:
    return max((number for number, _ in _entries(store, model)), default=0)


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


@dataclass(frozen=True)
class Claim:
    """The right to promote, which this program alone has for as long as it holds it."""

    store: Store
    config: RegistryConfig
    dataset: str
    owner: str  # who holds it, as it is written on the claim

    def require_unmoved(self, before: str | None) -> None:
        """Make sure that the alias is where it was when the candidate was judged.

        Raises
        ------
        NoVerdictError
            If it is not, or the claim was lost.
        """
        model = self.config.name(self.dataset)
        claim = registered(self.store, _claim_of(model))
        if claim is None or claim.tags.get(OWNER) != self.owner:
            raise NoVerdictError(
                f"the promotion of {model} took too long to answer and another command went on; "
                "gate the candidate again"
            )
        if standing(self.store, self.config, self.dataset) != before:
            raise _moved(model, self.config)

    def move(self, promotion: Promotion) -> None:
        """Point the alias at `promotion.after`, if it still stands at `promotion.before`.

        The version that was promoted before it becomes `previous`, and an entry is added to the
        history of the model.

        Raises
        ------
        NoVerdictError
            If the alias was moved meanwhile, the claim was lost, or nothing would move.
        """
        model, client = self.config.name(self.dataset), self.store.client
        _require_another(model, self.config, promotion)
        self.require_unmoved(promotion.before)
        found = registered(self.store, _claim_of(model))
        if found is None or found.tags.get(_INTENT) != _text(promotion):
            client.set_registered_model_tag(_claim_of(model), _INTENT, _text(promotion))
        client.set_registered_model_alias(model, self.config.alias, promotion.after)


@contextmanager
def claimed(
    store: Store, config: RegistryConfig, dataset: str, promotion: Promotion | None = None
) -> Iterator[Claim]:
    """Hold the right to promote, renewed as long as it is held, and give it back at the end.

    A promotion that was interrupted before is finished or undone first. `promotion` says what it is
    claimed for, if that is known already.

    Raises
    ------
    NoVerdictError
        If another promotion is under way.
    UnreachableError
        If the registry goes away meanwhile; what is left to do then is done by the next command.
    """
    from mlflow.exceptions import MlflowException

    model = config.name(dataset)
    try:
        settle_what_was_left(store, config, dataset)
        owner = _claim(store, model, promotion)
        with renewed(store, _claim_of(model), _SAYS):
            try:
                yield Claim(store, config, dataset, owner)
            finally:
                _settle(store, config, dataset, owner)
    except MlflowException as fault:
        raise unreachable(store, fault) from fault


def move(store: Store, config: RegistryConfig, dataset: str, promotion: Promotion) -> None:
    """Claim the right to promote, and move the alias; see `Claim.move`.

    Raises
    ------
    NoVerdictError
        If another promotion came first or is under way, or nothing would move.
    UnreachableError
        If the registry goes away meanwhile; what is left to do then is done by the next command.
    """
    _require_another(config.name(dataset), config, promotion)
    with claimed(store, config, dataset, promotion) as claim:
        claim.move(promotion)


def _require_another(model: str, config: RegistryConfig, promotion: Promotion) -> None:
    if promotion.before == promotion.after:
        raise NoVerdictError(f"version {promotion.after} is {model}@{config.alias} already")


def settle_what_was_left(
    store: Store, config: RegistryConfig, dataset: str, insist: bool = True
) -> None:
    """Bring a promotion to its end that was interrupted half way, if there is one.

    At once if the program that made it has ended, else when its lease is over, which a running one
    renews.

    Raises
    ------
    NoVerdictError
        If it may still be under way, and the caller insists.
    """
    model = config.name(dataset)
    claim = registered(store, _claim_of(model))
    if claim is None:
        return
    owner = claim.tags.get(OWNER, "")
    waited, lease = age_of(claim), LEASE if owner else _STALE
    if waited >= lease or _gone(owner):
        _settle(store, config, dataset, owner)
    elif insist:
        raise _under_way(model, lease - waited)


def interrupted(model: Any) -> bool:  # noqa: ANN401  a RegisteredModel
    """Say whether a registered model is the claim of a promotion that ended half way."""
    owner = model.tags.get(OWNER)
    if owner is None or not str(model.name).endswith(_claim_of("")):
        return False
    return _gone(owner) or age_of(model) >= LEASE


def _gone(owner: str) -> bool:
    made = Process.read(owner)  # a claim of version 0.1.0 says nothing of its maker
    return made is not None and made.gone


def _claim_of(model: str) -> str:
    return f"{model}.promotion"


def _claim(store: Store, model: str, promotion: Promotion | None) -> str:
    """Take the right to promote, and write down who took it and what for."""
    from mlflow.exceptions import MlflowException

    owner = json.dumps({**asdict(Process.this()), "claim": secrets.token_hex(8)})
    intent = {} if promotion is None else {_INTENT: _text(promotion)}
    try:
        store.client.create_registered_model(
            _claim_of(model),
            tags={OWNER: owner, **intent},
            description=f"{_SAYS}.",
        )
    except MlflowException as fault:
        if fault.error_code != "RESOURCE_ALREADY_EXISTS":
            raise
        raise _under_way(model, LEASE) from fault
    return owner


def _settle(store: Store, config: RegistryConfig, dataset: str, owner: str) -> None:
    """Do what follows from a moved alias, nothing if it was not moved, and give the claim back.

    Nothing is done if the claim of that owner is no longer there: another command did it.
    """
    model, client = config.name(dataset), store.client
    claim: Any = registered(store, _claim_of(model))
    if claim is None or claim.tags.get(OWNER, "") != owner:
        return
    intent = claim.tags.get(_INTENT)
    if intent is not None:
        promotion, past = _read(intent, model), history(store, model)
        if standing(store, config, dataset) == promotion.after and promotion not in past:
            _note_previous(store, config, dataset, promotion)
            entry = f"{HISTORY}{_last(store, model) + 1:04d}"
            client.set_registered_model_tag(model, entry, _text(promotion))
            client.update_registered_model(model, described(model, [*past, promotion]))
    client.delete_registered_model(_claim_of(model))


def _note_previous(
    store: Store, config: RegistryConfig, dataset: str, promotion: Promotion
) -> None:
    """Point the second alias at the version that was promoted before this one.

    That is not the version that was replaced if somebody moved the alias by hand.
    """
    model = config.name(dataset)
    past = history(store, model)
    before = past[-1].after if past else promotion.before
    if before is not None and before != promotion.after:
        store.client.set_registered_model_alias(model, config.previous, before)


def _text(promotion: Promotion) -> str:
    return json.dumps(asdict(promotion), ensure_ascii=False)


def _moved(model: str, config: RegistryConfig) -> NoVerdictError:
    return NoVerdictError(
        f"{model}@{config.alias} moved while this promotion was judged: another came first; gate "
        "the candidate again"
    )


def _under_way(model: str, left: float) -> NoVerdictError:
    return NoVerdictError(
        f"another promotion of {model} is under way; gate the candidate again when it is done. If "
        "it was interrupted on another machine, the first command after "
        f"{max(1, round(left))} seconds finishes or undoes it"
    )

"""Who evaluates a cell: one program at a time, whichever sweeps it is a cell of.

A store has neither locks nor transactions for its clients. What it has: the name of a registered
model belongs to one alone, for every client. So a program that begins a cell makes a registered
model of a certain name, the claim, and deletes it at the end. A claim holds as long as its program
runs, and of another machine's program as long as it renews it.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from rageval.schema.fingerprint import digest
from rageval.schema.process import Process
from rageval.tracking.faults import TrackingError
from rageval.tracking.lease import LEASE, OWNER, age_of, renewed
from rageval.tracking.store import Store

_PREFIX = "rageval.cell."
_TAKING_OVER = ".taken-over"  # ends the name of the claim on a claim that nobody holds any more
_NONCE = "rageval.nonce"  # tag of a claim: what tells it from the next of its name
_SAYS = "A cell of a sweep under way"
_TAKEN = "RESOURCE_ALREADY_EXISTS"
_ABSENT = "RESOURCE_DOES_NOT_EXIST"


@contextmanager
def claimed(store: Store, *facts: str) -> Iterator[bool]:
    """Hold the right to evaluate the cell that these facts name; yield whether this program has it.

    Raises
    ------
    TrackingError
        If the store does not answer, or cannot be written.
    """
    name = f"{_PREFIX}{digest([store.experiment, *facts])[:32]}"
    nonce, begun = _take(store, name), time.monotonic()
    if not nonce:
        yield False
        return
    with renewed(store, name, _SAYS):
        try:
            yield True
        finally:
            # Of a store that is away nothing can be deleted: the next command does it.
            with suppress(TrackingError):
                if time.monotonic() - begun < LEASE / 2:  # nobody can have taken it over
                    _delete(store, name)
                else:
                    _give_back(store, name, nonce)


def drop_abandoned(store: Store) -> None:
    """Delete the claims of programs of this machine that are no more.

    Raises
    ------
    TrackingError
        If the store does not answer.
    """
    for claim in store.client.search_registered_models(f"name LIKE '{_PREFIX}%'"):
        if not claim.name.endswith(_TAKING_OVER) and _free(claim):
            _delete_abandoned(store, claim.name)


def _take(store: Store, name: str) -> str:
    """Return what tells this claim from others; empty if another program holds it."""
    nonce = _made(store, name)
    if nonce:
        return nonce
    claim = _found(store, name)
    if claim is not None and not _free(claim):
        return ""
    if claim is not None:
        _delete_abandoned(store, name)
    return _made(store, name)


def _made(store: Store, name: str) -> str:
    from mlflow.exceptions import MlflowException

    nonce = secrets.token_hex(8)
    tags = {OWNER: Process.this().text, _NONCE: nonce}
    try:
        store.client.create_registered_model(name, tags=tags, description=f"{_SAYS}.")
    except MlflowException as fault:
        if fault.error_code != _TAKEN:
            raise
        return ""
    return nonce


def _found(store: Store, name: str) -> Any | None:  # noqa: ANN401  an mlflow RegisteredModel
    from mlflow.exceptions import MlflowException

    try:
        return store.client.get_registered_model(name)
    except MlflowException as fault:
        if fault.error_code != _ABSENT:
            raise
        return None


def _free(claim: Any) -> bool:  # noqa: ANN401  an mlflow RegisteredModel
    """Say whether nobody holds a claim any more."""
    owner = Process.read(claim.tags.get(OWNER, ""))
    if owner is not None and owner.gone:
        return True
    if owner is not None and owner.here:
        return False
    return age_of(claim) >= LEASE


def _delete_abandoned(store: Store, name: str) -> None:
    """Delete a claim that nobody holds; of several programs that want to at once, one does.

    Otherwise the second would delete what the first has made since.
    """
    lock = f"{name}{_TAKING_OVER}"
    nonce = _made(store, lock)
    if not nonce:
        other = _found(store, lock)
        if other is None or not _free(other):
            return
        _give_back(store, lock, other.tags.get(_NONCE, ""))
        return  # the next try has it
    try:
        claim = _found(store, name)
        if claim is not None and _free(claim):
            _give_back(store, name, claim.tags.get(_NONCE, ""))
    finally:
        _give_back(store, lock, nonce)


def _give_back(store: Store, name: str, nonce: str) -> None:
    """Delete a claim, if it is still the one that is meant."""
    claim = _found(store, name)
    if claim is not None and claim.tags.get(_NONCE, "") == nonce:
        _delete(store, name)


def _delete(store: Store, name: str) -> None:
    from mlflow.exceptions import MlflowException

    try:
        store.client.delete_registered_model(name)
    except MlflowException as fault:
        if fault.error_code != _ABSENT:
            raise

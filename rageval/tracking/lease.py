"""A claim in the registry that holds as long as its program runs or renews it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from rageval.errors import UnreachableError
from rageval.tracking.store import Store

LEASE = 60  # seconds for which a claim holds that is not renewed
OWNER = "rageval.owner"  # tag of a claim: the program that made it


def age_of(claim: Any) -> float:  # noqa: ANN401  an mlflow RegisteredModel
    """Return for how many seconds a claim has not been renewed."""
    renewed: int = max(claim.creation_timestamp, claim.last_updated_timestamp or 0)  # milliseconds
    return time.time() - renewed / 1000


@contextmanager
def renewed(store: Store, name: str, says: str) -> Iterator[None]:
    """Renew a claim from time to time, beside whatever is done meanwhile.

    `says` is the claim's description. A store that is away is noticed by what needs it.
    """
    from mlflow.exceptions import MlflowException

    done = threading.Event()

    def renew() -> None:
        number = 0
        while not done.wait(LEASE / 4):
            number += 1
            with suppress(UnreachableError, MlflowException):
                store.client.update_registered_model(
                    name, description=f"{says}, renewed {number} times."
                )

    thread = threading.Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()

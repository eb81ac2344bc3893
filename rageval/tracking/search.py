"""Runs that meet a condition, however many pages of them there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from rageval.tracking.store import Store

_PAGE = 1000  # runs that one search returns


Which = Literal["active", "deleted", "all"]


def runs(
    store: Store,
    condition: str,
    which: Which = "active",
    most: int | None = None,
    experiments: Sequence[str] = (),
) -> list[Any]:
    """Return the runs of the experiment that meet a condition, the newest first; at most `most`.

    `experiments` are the ids of others that are searched instead.

    Raises
    ------
    UnreachableError
        If the store does not answer.
    """
    from mlflow.entities import ViewType

    views = {"active": "ACTIVE_ONLY", "deleted": "DELETED_ONLY", "all": "ALL"}
    found: list[Any] = []
    token = None
    while True:
        page = store.client.search_runs(
            list(experiments) or [store.experiment],
            filter_string=condition,
            run_view_type=getattr(ViewType, views[which]),
            order_by=["attributes.start_time DESC", "attributes.run_id ASC"],
            max_results=min(most or _PAGE, _PAGE),
            page_token=token,
        )
        found += page
        token = page.token
        if not token or (most is not None and len(found) >= most):
            return found


def everywhere(store: Store, condition: str) -> list[Any]:
    """Return the runs of every experiment that meet a condition, deleted ones too, newest first.

    Raises
    ------
    UnreachableError
        If the store does not answer.
    """
    from mlflow.entities import ViewType

    known = store.client.search_experiments(view_type=ViewType.ALL)
    found: list[Any] = store.client.search_runs(
        [experiment.experiment_id for experiment in known],
        filter_string=condition,
        run_view_type=ViewType.ALL,
        order_by=["attributes.start_time DESC"],
        max_results=_PAGE,
    )
    return found

"""Runs that meet a condition, however many pages of them there are."""

from __future__ import annotations

from typing import Any

from rageval.tracking.store import Store

_PAGE = 1000  # runs that one search returns


def runs(store: Store, condition: str, *, deleted: bool = False) -> list[Any]:
    """Return the runs of the experiment that meet a condition, the newest first.

    Those that were deleted are left out unless `deleted`.

    Raises
    ------
    UnreachableError
        If the store does not answer.
    """
    from mlflow.entities import ViewType

    found: list[Any] = []
    token = None
    while True:
        page = store.client.search_runs(
            [store.experiment],
            filter_string=condition,
            run_view_type=ViewType.ALL if deleted else ViewType.ACTIVE_ONLY,
            order_by=["attributes.start_time DESC", "attributes.run_id ASC"],
            max_results=_PAGE,
            page_token=token,
        )
        found += page
        token = page.token
        if not token:
            return found

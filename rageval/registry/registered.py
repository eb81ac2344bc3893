"""The runs that registered versions rest on."""

from __future__ import annotations

from rageval.tracking.store import Store


def registered_runs(store: Store) -> set[str]:
    """Return the run ids of every version of every model: the baselines and all their history.

    Raises
    ------
    UnreachableError
        If the registry does not answer.
    """
    found: set[str] = set()
    token = None
    while True:
        page = store.client.search_model_versions(page_token=token)
        found |= {str(version.run_id) for version in page if version.run_id}
        token = page.token
        if not token:
            return found

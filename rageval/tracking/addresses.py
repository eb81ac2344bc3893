"""Where MLflow shows what was kept: addresses of its pages, to be opened in a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from urllib.parse import quote

from rageval.tracking.store import Store

_LOCAL = "http://127.0.0.1:5000"  # where `mlflow ui` answers unless it is told otherwise


def runs_page(store: Store) -> str:
    """Return the address of the table of runs.

    A click on the experiment opens another page, about traces, of which rageval makes none.
    """
    return f"{_base(store)}/#/experiments/{store.experiment}/runs"


def run_page(store: Store, run: str) -> str:
    """Return the address of one run."""
    return f"{runs_page(store)}/{run}"


def compare_page(store: Store, runs: Sequence[str]) -> str:
    """Return the address where runs stand side by side."""
    ids, where = _listed(runs), _listed([store.experiment])
    return f"{_base(store)}/#/compare-runs?runs={ids}&experiments={where}"


def _listed(names: Sequence[str]) -> str:
    return quote(json.dumps(list(names), separators=(",", ":")))


def opening(store: Store, page: str) -> str:
    """Return what to type, or to open, to see a page."""
    if _served(store):
        return f"open {page}"
    return f"mlflow ui --backend-store-uri {store.location.shown}   then open {page}"


def _served(store: Store) -> bool:
    return store.location.uri.startswith(("http://", "https://"))


def _base(store: Store) -> str:
    if not _served(store):
        return _LOCAL
    return re.sub(r"//[^/@]*@", "//", store.location.uri).rstrip("/")  # a browser asks who it is

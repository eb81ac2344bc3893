"""What is wrong in a store: altered runs, doubled cells, aliases that contradict their history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rageval.errors import NoVerdictError
from rageval.registry.baseline import entry_number
from rageval.registry.promotion import history, interrupted
from rageval.tracking.reading import CELL, RESCORE, SINGLE, STRIPPED, fetch
from rageval.tracking.search import runs
from rageval.tracking.sets import experiments
from rageval.tracking.store import Store

_PARENT = "mlflow.parentRunId"


@dataclass(frozen=True)
class Health:
    """What a look at everything in a store found."""

    runs: int  # that were read and verified
    unfinished: int  # RUNNING, FAILED or KILLED: they count for nothing
    models: int  # with promotions
    faults: tuple[str, ...]  # sentences


def health(store: Store, alias: str) -> Health:
    """Read every run and every promotion of a store, and say what does not fit.

    Every FINISHED run is read as a gate would read it: its seals, its table and its metrics. A
    sweep must hold no cell twice, an alias must stand where the last promotion put it, and no
    promotion may be half done.

    Parameters
    ----------
    store
        The store; all of its experiments are looked at.
    alias
        The alias of the champions.

    Raises
    ------
    UnreachableError
        If the store does not answer.
    """
    places = [str(found.experiment_id) for found in experiments(store)]
    there = [
        run
        for run in runs(store, "", experiments=places)
        if run.data.tags.get("rageval.kind") in (SINGLE, CELL, RESCORE)
        and run.data.tags.get("rageval.split") != "holdout"  # it keeps no question
    ]
    finished = [run for run in there if run.info.status == "FINISHED"]
    whole = [run for run in finished if STRIPPED not in run.data.tags]
    models = list(_models(store))
    promoted = [model for model in models if any(map(_is_entry, model.tags))]
    faults = [
        *(fault for run in whole for fault in _broken(store, str(run.info.run_id))),
        *_doubled(finished),
        *(fault for model in promoted for fault in _contradicted(store, model, alias)),
        *(
            f"{model.name}: a promotion was interrupted; the next promote or rollback finishes or "
            "undoes it"
            for model in models
            if interrupted(model)
        ),
    ]
    return Health(len(whole), len(there) - len(finished), len(promoted), tuple(faults))


def _is_entry(tag: str) -> bool:
    return entry_number(tag) is not None


def _models(store: Store) -> Iterator[Any]:
    token = None
    while True:
        page = store.client.search_registered_models(page_token=token)
        yield from page
        token = page.token
        if not token:
            return


def _broken(store: Store, run: str) -> Iterator[str]:
    try:
        fetch(store, run)
    except NoVerdictError as fault:
        yield str(fault)


def _doubled(finished: list[Any]) -> Iterator[str]:
    """Yield the cells that a sweep holds more than once."""
    counts = Counter(
        (tags[_PARENT], tags.get("rageval.command", str(run.info.run_id)))
        for run in finished
        if _PARENT in (tags := run.data.tags) and tags.get("rageval.kind") == CELL
    )
    for (parent, command), count in counts.items():
        if count > 1:
            yield f"sweep {parent} holds one cell {count} times: {command}"


def _contradicted(store: Store, model: Any, alias: str) -> Iterator[str]:  # noqa: ANN401
    """Yield how a model's alias and its history differ."""
    name = str(model.name)
    try:
        last = history(store, name)[-1].after
    except NoVerdictError as fault:
        yield str(fault)
        return
    stands = model.aliases.get(alias)
    if stands is None:
        yield f"{name}: the alias {alias} is gone; the last promotion was of version {last}"
    elif str(stands) != str(last):
        yield f"{name}: the alias {alias} is on version {stands}, the last promotion was of {last}"

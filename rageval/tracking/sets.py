"""The golden sets that a store knows: who bears a name, and what each holds out.

They are kept as tags of the experiments that their runs are in, so that one request finds them all.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rageval.errors import InputError
from rageval.golden.identity import SetIdentity
from rageval.schema.fingerprint import sketch
from rageval.tracking.store import Store

_SET, _QUESTIONS, _HELD_OUT = "rageval.set.", "rageval.questions.", "rageval.held_out."
_PAGE = 1000  # experiments that one search returns
_DIGITS = 12  # of a question's digest; they are kept without anything between


def known_sets(store: Store, deleted: bool = False) -> list[SetIdentity]:
    """Return the sets of all experiments; with `deleted`, those of deleted experiments too.

    Raises
    ------
    UnreachableError
        If the store does not answer.
    """
    found = (dict(experiment.tags) for experiment in experiments(store, deleted))
    return [known for tags in found for known in _sets(tags)]


def experiments(store: Store, deleted: bool = False) -> Iterator[Any]:
    """Yield the experiments of a store, however many pages of them there are."""
    from mlflow.entities import ViewType

    token = None
    while True:
        page = store.client.search_experiments(
            view_type=ViewType.ALL if deleted else ViewType.ACTIVE_ONLY,
            max_results=_PAGE,
            page_token=token,
        )
        yield from page
        token = page.token
        if not token:
            return


def introduce(store: Store, mine: SetIdentity) -> None:
    """Make a set known to the store, before its first run there.

    Raises
    ------
    InputError
        If another set has its name already.
    UnreachableError
        If the store does not answer.
    """
    known = known_sets(store)
    for other in known:
        if other.name == mine.name and not mine.same_as(other):
            raise InputError(
                f"dataset.name: two different sets are called {mine.name!r} in "
                f"{store.location.shown}: {other.location} and {mine.location}; name this one "
                "otherwise, by its `set:` line or dataset.name=…"
            )
    _note(store, mine, known)


def held_out_elsewhere(
    store: Store, texts: Iterable[str], more: Iterable[SetIdentity] = ()
) -> dict[str, int]:
    """Return how many of the questions each set holds out, as far as the store knows: set → n.

    `texts` are digests of questions; `more` are sets that are known without the store.
    """
    asked, counts = set(texts), dict[str, int]()
    for known in (*known_sets(store, deleted=True), *more):
        shared = len(asked.intersection(known.held_out))
        if shared:
            counts[known.name] = max(shared, counts.get(known.name, 0))
    return counts


def _note(store: Store, mine: SetIdentity, known: Iterable[SetIdentity]) -> None:
    """Write down a set in the store's experiment.

    What it once held out stays noted. What another set asks on its dev side was seen here before:
    a copy that splits the same questions in another way takes none of them from the original.
    """
    others = list(known)
    before = {name for one in others if one.name == mine.name for name in one.held_out}
    seen = {
        name
        for one in others
        if one.name != mine.name
        for name in set(one.questions) - set(one.held_out)
    }
    held_out = sketch(before | (set(mine.held_out) - seen))
    tags = {
        f"{_SET}{mine.name}": json.dumps({"id": mine.id, "location": mine.location}),
        f"{_QUESTIONS}{mine.name}": "".join(mine.questions),
        f"{_HELD_OUT}{mine.name}": "".join(held_out),
    }
    there = dict(store.client.get_experiment(store.experiment).tags)
    for key, value in tags.items():
        if there.get(key) != value:
            store.client.set_experiment_tag(store.experiment, key, value)


def _sets(tags: Mapping[str, str]) -> Iterator[SetIdentity]:
    for key, value in tags.items():
        if not key.startswith(_SET):
            continue
        name = key.removeprefix(_SET)
        try:
            facts = json.loads(value)
            where, identity = str(facts["location"]), str(facts["id"])
        except (ValueError, KeyError, TypeError):
            continue  # a tag of somebody else's
        yield SetIdentity(
            name,
            identity,
            where,
            parts(tags.get(f"{_QUESTIONS}{name}", "")),
            parts(tags.get(f"{_HELD_OUT}{name}", "")),
        )


def parts(text: str) -> tuple[str, ...]:
    """Return the digests of a tag, which holds them without anything between."""
    return tuple(text[at : at + _DIGITS] for at in range(0, len(text), _DIGITS))

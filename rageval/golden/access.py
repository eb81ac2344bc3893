"""Who may see what: the groups of each asker."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Protocol, TypeGuard

import yaml

from rageval.errors import InputError
from rageval.files.errors import ErrorCollector, listed, near_names
from rageval.files.nodes import Node, compose_yaml, line_of
from rageval.files.text import read_text
from rageval.golden.mapping import Fields, Tell, read_name
from rageval.schema.fields import Name, component
from rageval.schema.names import name_fault, shortened, subset_fault

_FORM = "askers: {maria: [hr, managers], tom: []}"


class Access(Protocol):
    """Knows the groups of each asker."""

    def groups(self, asker: str | None) -> frozenset[str]:
        """Return the groups of an asker; nobody in particular (None) has none."""
        ...


@component
class PublicOnly:
    """Knows no asker: every question sees public documents only."""

    def groups(self, asker: str | None) -> frozenset[str]:
        """Return no groups for None; any asker is an InputError."""
        if asker is None:
            return frozenset()
        raise InputError(f"asker {asker!r} is unknown: no access file is configured")


@component
class AccessFile:
    """A YAML file `askers: {maria: [hr, managers], tom: []}`; without a file nobody is known.

    A file at fault is an InputError for everybody, for None too.
    """

    path: Name | None

    def groups(self, asker: str | None) -> frozenset[str]:
        """Return the groups of an asker; one that the file lacks is an InputError."""
        if self.path is None:
            return PublicOnly().groups(asker)
        askers = self.askers
        if asker is None:
            return frozenset()
        if asker not in askers:
            near = near_names([asker], askers)[asker]
            known = listed(askers)
            raise InputError(f"asker {asker!r} is unknown{near}; {self.path} knows: {known}")
        return askers[asker]

    @cached_property
    def askers(self) -> dict[str, frozenset[str]]:
        """The groups of every asker; the faults of the file are raised together."""
        if self.path is None:
            return {}
        path = Path(self.path)
        faults = ErrorCollector()

        def tell(node: Node, sentence: str) -> None:
            faults.add(path, line_of(node), sentence)

        node = compose_yaml(read_text(path), path)
        if not _has_askers(node):
            line = line_of(node) if node else 1
            raise InputError(f"{path}:{line}: the key askers is missing; the form is {_FORM}")
        askers = _askers(Fields(node, ("askers",), tell), tell)
        faults.raise_if_any()
        return askers


def _has_askers(node: Node | None) -> TypeGuard[Node]:
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return any(key.value == "askers" for key, _ in pairs)


def _askers(fields: Fields, tell: Tell) -> dict[str, frozenset[str]]:
    node = fields.required("askers")
    if node is None:
        return {}
    keys = [key for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []
    names = [read_name(key, "an asker", tell) for key in keys if isinstance(key, yaml.ScalarNode)]
    known = dict.fromkeys(name for name in names if name is not None)
    rights = Fields(node, [key.value for key in keys], tell)
    askers = {name: frozenset(rights.names(name)) for name in known}
    for key in keys:
        for sentence in _unfit(key.value, askers.get(key.value, frozenset())):
            tell(key, sentence)
    return askers


def _unfit(asker: str, groups: frozenset[str]) -> Iterator[str]:
    fault = name_fault(asker)
    if fault:
        yield f"the asker {shortened(asker)} {fault}"
    for group in sorted(groups):
        fault = subset_fault(group)
        if fault:
            yield f"the group {shortened(group)} {fault}"

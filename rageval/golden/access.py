"""Who may see what: the groups of each asker."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Protocol

import yaml

from rageval.errors import InputError
from rageval.faults import Faults, listed, near_names
from rageval.fields import Name, component
from rageval.golden.mapping import Fields, Tell, read_name
from rageval.nodes import Node, compose_yaml, line_of
from rageval.source import read_text


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
    """A YAML file `askers: {maria: [hr, managers], tom: []}`; without a file nobody is known."""

    path: Name | None

    def groups(self, asker: str | None) -> frozenset[str]:
        """Return the groups of an asker; one that the file lacks is an InputError."""
        if self.path is None:
            return PublicOnly().groups(asker)
        if asker is None:
            return frozenset()
        if asker not in self.askers:
            near = near_names([asker], self.askers)[asker]
            known = listed(self.askers)
            raise InputError(f"asker {asker!r} is unknown{near}; {self.path} knows: {known}")
        return self.askers[asker]

    @cached_property
    def askers(self) -> dict[str, frozenset[str]]:
        """The groups of every asker; the faults of the file are raised together."""
        if self.path is None:
            return {}
        path = Path(self.path)
        faults = Faults()

        def tell(node: Node, sentence: str) -> None:
            faults.add(path, line_of(node), sentence)

        node = compose_yaml(read_text(path), path)
        if node is None:
            raise InputError(f"{path}: the file is empty, the key askers is needed")
        askers = _askers(Fields(node, ("askers",), tell), tell)
        faults.settle()
        return askers


def _askers(fields: Fields, tell: Tell) -> dict[str, frozenset[str]]:
    node = fields.required("askers")
    if node is None:
        return {}
    keys = [key for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []
    names = [read_name(key, "an asker", tell) for key in keys if isinstance(key, yaml.ScalarNode)]
    known = dict.fromkeys(name for name in names if name is not None)
    rights = Fields(node, [key.value for key in keys], tell)
    return {name: frozenset(rights.names(name)) for name in known}

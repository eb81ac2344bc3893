"""A composed configuration as plain values: what Hydra's objects are needed for is done once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import yaml
from omegaconf import DictConfig, OmegaConf

from rageval.escaping.redaction import remember_node, remember_passwords, without_accounts
from rageval.schema.component_names import with_current_names

Values = dict[str, Any]  # nested, with text keys
SECRETS = "secrets"  # the node that may read the environment
_REFERENCE = re.compile(r"\$\{([^{}]*)")


@dataclass(frozen=True, eq=False)
class Tree:
    """The values of a composed configuration.

    Nothing in it is ever changed: a tree with other values shares what is alike.
    """

    raw: Values  # as composed: references are still words
    whole: Values  # every reference resolved
    kept: Values  # the same, as it may be kept: `${secrets.NAME}` stands where a secret does

    @classmethod
    def of(cls, composed: DictConfig) -> Tree:
        """Resolve what Hydra composed."""
        hidden = without_secrets(composed)
        raw, whole = _plain(hidden, resolve=False), _plain(composed, resolve=True)
        kept = whole if hidden is composed else _plain(hidden, resolve=True)
        remember_node(whole.get(SECRETS))
        remember_passwords(whole)
        return cls(raw, whole, kept)

    @cached_property
    def referred(self) -> frozenset[str]:
        """Return every name that a reference may be about, and what custom resolvers are told."""
        texts = (value for _, value in scalars(self.raw) if isinstance(value, str))
        found = (inner for text in texts for inner in _REFERENCE.findall(text))
        told = (inner.removeprefix(_resolver(inner)) for inner in found)
        return frozenset(name for inner in told for name in re.findall(r"\w+", inner))

    def takes(self, path: str, value: object, new: bool = False) -> bool:
        """Say whether a value may simply be put in: a scalar for a scalar, that nothing refers to.

        A `new` one must not be there yet. Whatever else is given goes through OmegaConf.
        """
        *parents, name = path.split(".")
        if path.startswith(SECRETS) or self.referred.intersection([*parents, name]):
            return False
        plain = value is None or isinstance(value, bool | int | float | str)
        if not plain or (isinstance(value, str) and ("${" in value or value == "???")):
            return False
        node: Any = self.raw
        for parent in parents:
            node = node.get(parent) if isinstance(node, dict) else None
        if not isinstance(node, dict):
            return False
        return name not in node if new else name in node and not isinstance(node[name], dict | list)

    def holding(self, values: Mapping[str, object]) -> Tree:
        """Return the tree with these values at their dotted paths; it must take each of them."""
        parts = {"raw": self.raw, "whole": self.whole, "kept": self.kept}
        for path, value in values.items():
            names = path.split(".")
            parts = {name: _put(part, names, value) for name, part in parts.items()}
        found = replace(self, **parts)
        found.__dict__["referred"] = self.referred  # no value that is taken refers to anything
        return found

    @property
    def yaml(self) -> str:
        """Return the configuration as it may be kept, as YAML.

        Every reference is resolved: what is read back is data, and no resolver runs on it. The one
        thing that is left to fill in is `${secrets.NAME}`. The account in an address is left out.
        """
        written = (_written(_Section(key, repr(v), v)) for key, v in self.kept.items())
        return without_accounts("".join(written))


def _resolver(inner: str) -> str:
    """Return the resolver that a reference begins with; Hydra's own counts as a name.

    Examples
    --------
    >>> _resolver("stem:"), _resolver("window.k"), _resolver("hydra:job.num")
    ('stem:', '', '')
    """
    name, colon, _ = inner.partition(":")
    return f"{name}{colon}" if colon and name != "hydra" else ""


def without_secrets(composed: DictConfig) -> DictConfig:
    """Return the configuration as it may be kept: each secret is the reference to itself."""
    if not composed.get(SECRETS):
        return composed
    kept = composed.copy()
    names = [path for path, _ in scalars(OmegaConf.to_container(kept[SECRETS], resolve=False))]
    for name in names:
        OmegaConf.update(kept, f"{SECRETS}.{name}", placeholder(name, escaped=True))
    return kept


def placeholder(name: str, escaped: bool = False) -> str:
    """Return what stands in a kept configuration where a secret does.

    Escaped, it is what OmegaConf resolves to that.
    """
    reference = f"${{{SECRETS}.{name}}}"
    return f"\\{reference}" if escaped else reference


def scalars(node: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Yield every value that is no collection, with its path; places in lists are numbers."""
    if isinstance(node, Mapping | list) and node:
        pairs = node.items() if isinstance(node, Mapping) else enumerate(node)
        for key, value in pairs:
            yield from scalars(value, f"{path}.{key}" if path else str(key))
    else:
        yield path, node


def _plain(composed: DictConfig, resolve: bool) -> Values:
    found = with_current_names(OmegaConf.to_container(composed, resolve=resolve))
    return {str(key): value for key, value in found.items()} if isinstance(found, dict) else {}


def _put(node: Values, names: list[str], value: object) -> Values:
    """Return a node with one value replaced; what lies beside it is shared."""
    first, *rest = names
    return {**node, first: _put(node[first], rest, value) if rest else value}


class _Plain(yaml.SafeDumper):
    """Writes every value out, where PyYAML would refer to an equal one above."""

    def ignore_aliases(self, data: object) -> bool:
        """Refer to nothing."""
        return True


@dataclass(frozen=True)
class _Section:
    """One top-level node; equal forms are equal nodes."""

    key: str
    form: str
    node: object = field(compare=False)


@lru_cache(maxsize=256)
def _written(section: _Section) -> str:
    """Return a node as YAML; the cells of a sweep share most of them."""
    node = {section.key: section.node}
    return yaml.dump(node, Dumper=_Plain, sort_keys=False, allow_unicode=True)

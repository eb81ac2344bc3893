"""From what Hydra composed to a checked record, with every fault in one go."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from pydantic import ValidationError

from rageval.errors import InputError
from rageval.fields import Record
from rageval.validation import sentences

M = TypeVar("M", bound=Record)
_ENVIRONMENT = re.compile(r"\$\{\s*oc\.env\s*:")
_SECRETS = "secrets"  # the node that may read the environment
HIDDEN = "(secret)"  # what is kept in place of a secret


def read(composed: DictConfig, model: type[M]) -> M:
    """Check a composed configuration against the record of its verb.

    Raises
    ------
    InputError
        For missing values, wrong types, values out of range, unknown keys, and values that come
        from the environment outside `secrets`: all of them, a line each.
    """
    return _checked(composed, model, list(composed))


def read_part(composed: DictConfig, model: type[M]) -> M:
    """Check what a record asks for, at every depth; the rest of the configuration is not looked at.

    Raises
    ------
    InputError
        As `read`.
    """
    return _checked(composed, model, _asked(model))


def _checked(composed: DictConfig, model: type[M], keys: Sequence[object]) -> M:
    raw = OmegaConf.to_container(composed, resolve=False)
    leaves = [leaf for leaf in _scalars(raw) if leaf[0].startswith(tuple(map(str, keys)))]
    faults = [*_ambient(leaves), *_missing(leaves)]
    if faults:
        raise InputError.of(faults)
    try:
        content = _resolved(composed, [str(key) for key in keys])
    except OmegaConfBaseException as fault:
        raise InputError(_first_line(fault)) from fault
    try:
        return model.model_validate(content)
    except ValidationError as fault:
        raise InputError.of(sentences(fault, "", model)) from fault


def _asked(model: type[Record], path: str = "") -> list[str]:
    """Return the dotted paths that a record asks for; a record inside it gives its own."""
    paths: list[str] = []
    for name, field in model.model_fields.items():
        place, inner = f"{path}{field.alias or name}", field.annotation
        if isinstance(inner, type) and issubclass(inner, Record):
            paths += _asked(inner, f"{place}.")
        else:
            paths.append(place)
    return paths


def _resolved(composed: DictConfig, paths: Sequence[str]) -> dict[str, object]:
    """Return the values at dotted paths, nested, resolved within the whole configuration."""
    content: dict[str, object] = {}
    for path in paths:
        parent, _, name = path.rpartition(".")
        node = OmegaConf.select(composed, parent) if parent else composed
        if node is None or name not in node:
            continue
        value = node[name]
        inner = content
        for key in parent.split(".") if parent else ():
            inner = inner.setdefault(key, {})  # type: ignore[assignment]  # dicts all the way down
        container = OmegaConf.is_config(value)
        inner[name] = OmegaConf.to_container(value, resolve=True) if container else value
    return content


def parameters(composed: DictConfig) -> dict[str, str]:
    """Return every composed value as a readable parameter: `window.k` → `6`.

    A value is hidden if it holds a secret, however it came by it.
    """
    secrets = [str(value) for _, value in _scalars(_secrets(composed)) if value not in (None, "")]
    leaves = _leaves(OmegaConf.to_container(composed, resolve=True))
    return {
        path: HIDDEN if any(secret in str(value) for secret in secrets) else str(value)
        for path, value in leaves
        if path != _SECRETS and not path.startswith(f"{_SECRETS}.")
    }


def _secrets(composed: DictConfig) -> object:
    node = composed.get(_SECRETS) or {}
    return OmegaConf.to_container(node, resolve=True) if OmegaConf.is_config(node) else node


def without_secrets(composed: DictConfig) -> DictConfig:
    """Return the configuration as it may be kept: what reads the environment is hidden."""
    if not composed.get("secrets"):
        return composed
    kept = composed.copy()
    for key in kept.get("secrets", {}):
        kept.secrets[key] = HIDDEN
    return kept


def _ambient(leaves: Sequence[tuple[str, object]]) -> Iterator[str]:
    for path, value in leaves:
        if isinstance(value, str) and _ENVIRONMENT.search(value) and not path.startswith(_SECRETS):
            yield (
                f"{path}: {value} reads the environment; what is evaluated is written down, and "
                "only values below `secrets` may be read from there"
            )


def _missing(leaves: Sequence[tuple[str, object]]) -> Iterator[str]:
    for path, value in leaves:
        if value == "???":
            yield f"{path}: must be given, e.g. {path}=…"


def _scalars(node: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Yield every value that is no collection, with its path; places in lists are numbers."""
    if isinstance(node, Mapping | list) and node:
        pairs = node.items() if isinstance(node, Mapping) else enumerate(node)
        for key, value in pairs:
            yield from _scalars(value, f"{path}.{key}" if path else str(key))
    else:
        yield path, node


def _leaves(node: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Yield every scalar, and every list or empty dict as it is, with its dotted path."""
    if isinstance(node, Mapping) and node:
        for key, value in node.items():
            yield from _leaves(value, f"{path}.{key}" if path else str(key))
    else:
        yield path, node


def _first_line(fault: Exception) -> str:
    return str(fault).strip().splitlines()[0]

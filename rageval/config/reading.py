"""From what Hydra composed to a checked record, with every fault in one go."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from pydantic import ValidationError

from rageval.config.tree import SECRETS, Tree, scalars
from rageval.errors import InputError
from rageval.escaping.redaction import HIDDEN, without_accounts
from rageval.schema.fields import Record
from rageval.schema.validation import sentences

M = TypeVar("M", bound=Record)
# Said wherever there is no golden set yet.
NO_SET = "no golden set yet? `python -m rageval init path=FOLDER` drafts one from your documents"
_ENVIRONMENT = re.compile(r"\$\{\s*oc\.env\s*:")


def read(composed: DictConfig, model: type[M]) -> M:
    """Check a composed configuration against the record of its command.

    Raises
    ------
    InputError
        For missing values, wrong types, values out of range, unknown keys, and values that come
        from the environment outside `secrets`: all of them, a line each.
    """
    _refuse(OmegaConf.to_container(composed, resolve=False), list(composed))
    return typed(_resolved(composed, [str(key) for key in composed]), model)


def plain(composed: DictConfig) -> Tree:
    """Return a composed configuration as plain values.

    Raises
    ------
    InputError
        For missing values, and values that come from the environment outside `secrets`.
    """
    _refuse(OmegaConf.to_container(composed, resolve=False), list(composed))
    try:
        return Tree.of(composed)
    except OmegaConfBaseException as fault:
        raise InputError(_first_line(fault)) from fault


def read_part(composed: DictConfig, model: type[M]) -> M:
    """Check a composed configuration against a record that asks for a part of some nodes alone.

    A node is read whole, so that an unknown key in it is refused, unless its record is `partial`.

    Raises
    ------
    InputError
        As `read`.
    """
    asked = _asked(model)
    _refuse(OmegaConf.to_container(composed, resolve=False), asked)
    roots = {path.partition(".")[0] for path in asked}
    unknown = [str(key) for key in composed if str(key) not in roots]
    return typed(_resolved(composed, [*asked, *unknown]), model)


def typed(content: Mapping[str, object], model: type[M], where: str = "") -> M:
    """Check resolved values against a record; `where` is the key that they stand under.

    Raises
    ------
    InputError
        For wrong types, values out of range and unknown keys: all of them, a line each.
    """
    try:
        return model.model_validate(content)
    except ValidationError as fault:
        raise InputError.of(sentences(fault, where, model)) from fault


def _refuse(raw: object, keys: Sequence[object]) -> None:
    leaves = [leaf for leaf in scalars(raw) if leaf[0].startswith(tuple(map(str, keys)))]
    faults = [*_ambient(leaves), *_missing(leaves), *_unusable(leaves)]
    if faults:
        raise InputError.of(faults)


def _asked(model: type[Record], path: str = "") -> list[str]:
    """Return the dotted paths that a record asks for; a partial record inside it gives its own."""
    paths: list[str] = []
    for name, field in model.model_fields.items():
        place, inner = f"{path}{field.alias or name}", field.annotation
        if isinstance(inner, type) and issubclass(inner, Record) and inner.partial:
            paths += _asked(inner, f"{place}.")
        else:
            paths.append(place)
    return paths


def _resolved(composed: DictConfig, paths: Sequence[str]) -> dict[str, object]:
    """Return the values at dotted paths, nested, resolved within the whole configuration.

    Raises
    ------
    InputError
        If a reference leads nowhere.
    """
    try:
        return _selected(composed, paths)
    except OmegaConfBaseException as fault:
        raise InputError(_first_line(fault)) from fault


def _selected(composed: DictConfig, paths: Sequence[str]) -> dict[str, object]:
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


def parameters(tree: Tree) -> dict[str, str]:
    """Return every composed value as a readable parameter: `window.k` → `6`.

    A value is hidden if it holds a secret, however it came by it; of an address the account is.
    """
    secrets = [str(v) for _, v in scalars(tree.whole.get(SECRETS)) if v not in (None, "")]

    def shown(value: object) -> str:
        text = str(value)
        return HIDDEN if any(secret in text for secret in secrets) else without_accounts(text)

    return {
        path: shown(value)
        for path, value in _leaves(tree.whole)
        if path != SECRETS and not path.startswith(f"{SECRETS}.")
    }


def _ambient(leaves: Sequence[tuple[str, object]]) -> Iterator[str]:
    for path, value in leaves:
        if isinstance(value, str) and _ENVIRONMENT.search(value) and not path.startswith(SECRETS):
            yield (
                f"{path}: {value} reads the environment; what is evaluated is written down, and "
                "only values below `secrets` may be read from there"
            )


def _missing(leaves: Sequence[tuple[str, object]]) -> Iterator[str]:
    for path, value in leaves:
        if value == "???":
            start = f" ({NO_SET})" if path == "dataset.questions" else ""
            yield f"{path}: must be given, e.g. {path}=…{start}"


def _unusable(leaves: Sequence[tuple[str, object]]) -> Iterator[str]:
    """Yield values that no component takes: they would break what is made of them."""
    for path, value in leaves:
        if isinstance(value, float) and not math.isfinite(value):
            yield f"{path}: {value} is not a finite number"
        if path.rpartition(".")[2] == "_partial_":
            yield f"{path}: unknown key; a component is built whole"


def _leaves(node: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Yield every scalar, and every list or empty dict as it is, with its dotted path."""
    if isinstance(node, Mapping) and node:
        for key, value in node.items():
            yield from _leaves(value, f"{path}.{key}" if path else str(key))
    else:
        yield path, node


def _first_line(fault: Exception) -> str:
    return str(fault).strip().splitlines()[0]

"""From what Hydra composed to a checked record, with every fault in one go."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from pydantic import ValidationError

from rageval.errors import InputError
from rageval.fields import Record
from rageval.validation import sentences

M = TypeVar("M", bound=Record)
_ENVIRONMENT = re.compile(r"\$\{\s*oc\.env\s*:")
_SECRET = re.compile(r"\$\{\s*\.*secrets\.")
HIDDEN = "(secret)"  # what is kept in place of a secret


def read(composed: DictConfig, model: type[M]) -> M:
    """Check a composed configuration against the record of its verb.

    Raises
    ------
    InputError
        For missing values, wrong types, values out of range, unknown keys, and values that come
        from the environment outside `secrets`: all of them, a line each.
    """
    written = list(_leaves(OmegaConf.to_container(composed, resolve=False)))
    faults = [*_ambient(written), *_missing(written)]
    if faults:
        raise InputError.of(faults)
    try:
        content = OmegaConf.to_container(composed, resolve=True)
    except OmegaConfBaseException as fault:
        raise InputError(_first_line(fault)) from fault
    try:
        return model.model_validate(content)
    except ValidationError as fault:
        raise InputError.of(sentences(fault, "", model)) from fault


def restricted(composed: DictConfig, model: type[Record]) -> DictConfig:
    """Return the part of a composed configuration that a record asks for, at every depth."""
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    kept = OmegaConf.masked_copy(composed, [key for key in fields if key in composed])
    for key, field in fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, Record) and key in composed:
            kept[key] = restricted(composed[key], inner)
    return kept


def parameters(composed: DictConfig) -> dict[str, str]:
    """Return every composed value as a readable parameter: `window.k` → `6`.

    What reads a secret is hidden, whether it lies in `secrets` or names it.
    """
    raw = dict(_leaves(OmegaConf.to_container(composed, resolve=False)))
    leaves = _leaves(OmegaConf.to_container(composed, resolve=True))
    return {
        path: HIDDEN if _secret(path, raw.get(path)) else str(value)
        for path, value in leaves
        if not path.startswith("secrets.")
    }


def without_secrets(composed: DictConfig) -> DictConfig:
    """Return the configuration as it may be kept: what reads the environment is hidden."""
    if not composed.get("secrets"):
        return composed
    kept = composed.copy()
    for key in kept.get("secrets", {}):
        kept.secrets[key] = HIDDEN
    return kept


def _secret(path: str, raw: object) -> bool:
    return path.startswith("secrets.") or bool(isinstance(raw, str) and _SECRET.search(raw))


def _ambient(written: Iterable[tuple[str, object]]) -> Iterator[str]:
    for path, value in written:
        if isinstance(value, str) and _ENVIRONMENT.search(value) and not _secret(path, None):
            yield (
                f"{path}: {value} reads the environment; what is evaluated is written down, and "
                "only values below `secrets` may be read from there"
            )


def _missing(written: Iterable[tuple[str, object]]) -> Iterator[str]:
    for path, value in written:
        if value == "???":
            yield f"{path}: must be given, e.g. {path}=…"


def _leaves(node: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Yield every scalar, and every list or empty dict as it is, with its dotted path."""
    if isinstance(node, Mapping) and node:
        for key, value in node.items():
            yield from _leaves(value, f"{path}.{key}" if path else str(key))
    else:
        yield path, node


def _first_line(fault: Exception) -> str:
    return str(fault).strip().splitlines()[0]

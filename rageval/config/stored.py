"""A configuration that was kept, as plain data: no resolver runs on it, whatever it holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import yaml

from rageval.config.resolvers import sample, sibling, stem
from rageval.config.tree import SECRETS, placeholder, scalars
from rageval.errors import InputError
from rageval.schema.component_names import with_current_names

_ROUNDS = 20  # references within references that a configuration of version 0.1.0 may hold
_INNERMOST = re.compile(r"\$\{([^{}]*)\}")
_SECRET = re.compile(rf"\$\{{{SECRETS}\.[\w.-]+\}}")
# What a reference of version 0.1.0 may call: functions of texts that read nothing.
_CALLS: dict[str, Callable[..., str]] = {"stem": stem, "sample": sample, "sibling": sibling}


def parsed(text: str) -> dict[str, Any]:
    """Return a stored configuration as nested plain values.

    `${secrets.NAME}` is the one thing in it that is no plain value. A configuration of version
    0.1.0 still holds references to its own values; they are replaced here, as texts.

    Raises
    ------
    InputError
        If it is no configuration of ours, or holds any other reference.
    """
    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text)):
            raise InputError("the registered configuration holds YAML aliases, ours never do")
        content = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as fault:
        raise InputError(f"the registered configuration cannot be read: {fault}") from fault
    if not isinstance(content, dict) or not isinstance(content.get("dataset"), dict):
        raise InputError("the registered configuration is none of rageval's")
    plain: dict[str, Any] = content if "variant" in content else _plain_references(content)
    whole: dict[str, Any] = with_current_names(plain)
    for path, value in scalars(whole):
        if isinstance(value, str) and "${" in _SECRET.sub("", value):
            raise InputError(
                f"the registered configuration holds the reference {value!r} at {path}; only "
                f"{placeholder('NAME')} is filled in"
            )
    return whole


def _plain_references(content: dict[str, Any]) -> dict[str, Any]:
    found: Any = content
    for _ in range(_ROUNDS):
        now = _replaced(found, found)
        if now == found:
            break
        found = now
    result: dict[str, Any] = found
    return result


def _replaced(node: Any, root: Mapping[str, Any]) -> Any:  # noqa: ANN401  any JSON value
    """Return a node with the innermost references in it replaced."""
    if isinstance(node, Mapping):
        return {key: _replaced(value, root) for key, value in node.items()}
    if isinstance(node, list):
        return [_replaced(value, root) for value in node]
    if not isinstance(node, str):
        return node
    alone = _INNERMOST.fullmatch(node)
    if alone:
        return _meant(alone[1], root, node)
    return _INNERMOST.sub(lambda match: str(_meant(match[1], root, match[0])), node)


def _meant(inner: str, root: Mapping[str, Any], written: str) -> Any:  # noqa: ANN401  any JSON value
    """Return what a reference stands for; what it may not be stays as it is written."""
    name, colon, rest = inner.partition(":")
    if colon:
        call = _CALLS.get(name)
        return call(*rest.split(",")) if call is not None and "${" not in rest else written
    found: Any = root
    for part in inner.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return written
        found = found[part]
    return written if inner.startswith(SECRETS) else found

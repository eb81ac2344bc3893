"""What Hydra refuses, in one sentence."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping

from hydra.errors import MissingConfigException, OverrideParseException
from hydra.utils import get_class
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import ConfigAttributeError, ConfigKeyError
from yaml import MarkedYAMLError

from rageval.errors import InputError

_SEVERAL = re.compile(r"Ambiguous value for argument '(([^=]+)=(.*))'$", re.MULTILINE)
_UNKNOWN = (ConfigKeyError, ConfigAttributeError)


def explained(fault: Exception) -> InputError:
    """Return Hydra's refusal as a sentence, with the choices where it has them."""
    cause = _deepest(fault)
    if isinstance(cause, MissingConfigException) and cause.options:
        group, _, name = str(cause.missing_cfg_file).rpartition("/")
        near = difflib.get_close_matches(name, cause.options, n=1)
        meant = f", did you mean {near[0]}?" if near else ";"
        listed = ", ".join(cause.options)
        return InputError(f"{group}={name}: no such choice{meant} there are: {listed}")
    if isinstance(cause, OverrideParseException):
        return InputError(f"{cause.override}: cannot be read as KEY=VALUE: {_one_line(cause)}")
    if isinstance(cause, MarkedYAMLError) and cause.problem_mark is not None:
        mark = cause.problem_mark
        return InputError(f"{mark.name}:{mark.line + 1}: is not YAML: {cause.problem}")
    if isinstance(cause, _UNKNOWN) and isinstance(cause.parent_node, DictConfig):
        return InputError(_unknown(str(cause.full_key), cause.parent_node))
    several = _SEVERAL.match(str(cause))
    if several:
        return InputError(_ambiguous(*several.groups()))
    return InputError(_one_line(cause))


def _ambiguous(word: str, key: str, values: str) -> str:
    """Return what to say of several values where one is expected."""
    listed = ",".join(value.strip() for value in values.split(","))
    return (
        f"{word}: several values, and this command line takes one; to run each of them, add -m: "
        f"python -m rageval -m {key}={listed}; one text with a comma in it is quoted: "
        f"\"{key}='{values}'\"; a list has brackets: {key}=[{listed}]"
    )


def no_retriever(options: list[str]) -> InputError:
    """Return what to say when no retriever is named."""
    return InputError(f"no retriever named; choose one: +retriever={'|'.join(options)}")


def _unknown(path: str, parent: DictConfig) -> str:
    name = path.rpartition(".")[2]
    if name in _arguments(parent):
        return f"{path}: is not in the file that was chosen; add it with a plus: +{path}=…"
    known = sorted(str(key) for key in parent)
    near = difflib.get_close_matches(path.rpartition(".")[2], known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known) or 'none'}"
    added = "" if known else f"; a new one takes a plus: +{path}=…"
    return f"{path}: unknown key; {hint}{added}"


def _arguments(node: DictConfig) -> Collection[str]:
    """Return the arguments of the component that a node configures; none if it configures none."""
    target = str(OmegaConf.to_container(node, resolve=False).get("_target_", ""))  # type: ignore[union-attr]  # a DictConfig makes a dict
    if not target:
        return ()
    try:
        found: Mapping[str, object] = getattr(get_class(target), "__pydantic_fields__", {})
    except (ImportError, ValueError, AttributeError):
        return ()
    return found.keys()


def _one_line(fault: BaseException) -> str:
    text = re.sub(r"See https://hydra\.cc\S+ for details", "", str(fault))
    return re.sub(r"\s+", " ", text).strip()


def _deepest(fault: BaseException) -> BaseException:
    while isinstance(fault.__cause__, Exception) and not isinstance(fault, MissingConfigException):
        fault = fault.__cause__
    return fault

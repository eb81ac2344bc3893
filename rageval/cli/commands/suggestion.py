"""Writing suggested floors into a thresholds file of the user's own, beside what is there."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from yaml import AliasToken, scan

from rageval.comparison.result import Result
from rageval.config.commands import GateCommandConfig
from rageval.config.next_command import next_command
from rageval.config.places import shipped
from rageval.errors import InputError
from rageval.files.limits import require_regular
from rageval.gate.suggestion import Floors, changed, suggest
from rageval.gate.thresholds import GateThresholds, flattened


def write_suggestion(config: GateCommandConfig, found: list[Result], target: Console) -> None:
    """Write floors just below the candidate's values to `gate.suggest_to`.

    Whatever the file holds stays: comments, `defaults`, other limits, higher floors.

    Raises
    ------
    InputError
        If several sets were judged at once, or the file is wrong or cannot be written.
    """
    if len(found) != 1:
        raise InputError("suggest=true: name one run, the floors are those of one set")
    path = Path(config.suggest_to)
    written = _read(path)
    known = {**config.threshold.floors}
    for subset, limits in _floors(path, written).items():
        known[subset] = {**known.get(subset, {}), **limits}
    floors = suggest(found[0], known, config.allow_lower)
    if written is None:
        written = config.threshold.model_dump(mode="json")
        written["floors"] = {subset: dict(limits) for subset, limits in written["floors"].items()}
    if not isinstance(written.get("floors"), Mapping):
        written["floors"] = {}
    for subset, limits in floors.items():
        _node(written["floors"], subset).update(limits)
    use = _use(path, found[0].dataset)
    head = "" if path.is_file() else f"# {use}\n"
    _write(path, head + _yaml(written))
    for line in changed(known, floors):
        target.print(f"floor {line}")
    target.print(f"{sum(map(len, floors.values()))} floors written to {path}; use it: {use}")


def _use(path: Path, dataset: str) -> str:
    """Return the command that gates with the file that was written."""
    folder = f"--config-dir={path.parent.parent}"
    return next_command("gate", f"threshold={path.stem}", dataset=dataset, folder=folder)


def require_seen(path: Path) -> None:
    """Refuse a place where Hydra would not look, or would find the shipped file instead.

    Raises
    ------
    InputError
        If it is not `…/threshold/NAME.yaml`, or there is a shipped file of that name.
    """
    if path.parent.name != "threshold" or path.suffix != ".yaml":
        raise InputError(
            f"suggest_to: {path} would never be read: thresholds lie in a folder `threshold` of "
            "your configuration, e.g. suggest_to=conf/threshold/mine.yaml"
        )
    ours = shipped("conf") / "threshold" / path.name
    if ours.is_file() and path.resolve() != ours.resolve():
        raise InputError(
            f"suggest_to: {path} would never be read: the shipped {path.name} comes first; "
            f"name another file, e.g. suggest_to={path.with_name(f'my_{path.name}')}"
        )


def _parser() -> YAML:
    parser = YAML()  # keeps comments, order and quotes
    parser.preserve_quotes = True
    parser.width = 4096
    parser.indent(mapping=2, sequence=4, offset=2)
    parser.representer.add_representer(
        type(None), lambda out, _: out.represent_scalar("tag:yaml.org,2002:null", "null")
    )
    return parser


def _read(path: Path) -> Any | None:  # noqa: ANN401  ruamel's own kind of mapping
    """Return what a thresholds file holds; None if there is none.

    Raises
    ------
    InputError
        If it is not a mapping in YAML.
    """
    try:
        require_regular(path)
        found = _parser().load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, YAMLError) as fault:
        raise InputError(f"suggest_to: {path} cannot be read: {fault}") from fault
    if not isinstance(found, dict):
        raise InputError(f"suggest_to: {path} is not a thresholds file: a mapping is needed")
    strange = sorted(set(found) - {*GateThresholds.model_fields, "defaults"})
    if strange:
        raise InputError(
            f"suggest_to: {path} is not a thresholds file: it holds {', '.join(map(str, strange))}"
        )
    if any(isinstance(token, AliasToken) for token in scan(path.read_text(encoding="utf-8"))):
        raise InputError(
            f"suggest_to: {path} uses YAML aliases (*name), so floors of one subset would change "
            "those of another; write each out, or name another file"
        )
    return found


def _floors(path: Path, written: Any) -> Floors:  # noqa: ANN401  as above
    try:
        found = flattened((written or {}).get("floors") or {})
        return {
            subset: {name: float(limit) for name, limit in limits.items()}
            for subset, limits in found.items()  # type: ignore[attr-defined]  # a mapping stays one
        }
    except (TypeError, ValueError, AttributeError) as fault:
        raise InputError(f"suggest_to: {path}: floors: {fault}") from fault


def _node(floors: Any, subset: str) -> Any:  # noqa: ANN401  as above
    """Return where the floors of a subset are, written with dots or nested; made if they are not.

    Examples
    --------
    >>> floors = {"tag": {"negation": {"recall": 0.6}}}
    >>> _node(floors, "tag.negation")["recall"], _node(floors, "form.GAP")
    (0.6, {})
    """
    node = floors
    for key in subset.split("."):
        node = node.get(key) if isinstance(node, Mapping) else None
    if isinstance(node, Mapping):
        return node
    if not isinstance(floors.get(subset), Mapping):
        floors[subset] = {}
    return floors[subset]


def _yaml(content: Any) -> str:  # noqa: ANN401  as above
    text = io.StringIO()
    _parser().dump(content, text)
    return text.getvalue()


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as fault:
        raise InputError(f"suggest_to: {path} cannot be written: {fault}") from fault

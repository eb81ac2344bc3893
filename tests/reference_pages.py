"""docs/reference/config.md and api.md, made from the code.

cd tests && python -m reference_pages      # writes both
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import textwrap
import types
import typing
from pathlib import Path

import annotated_types
import yaml
from hydra.utils import get_class
from pydantic import BaseModel

import rageval
from rageval.cli.commands import COMMANDS
from rageval.config import commands as models
from rageval.config.settings import EvaluationConfig

ROOT = Path(__file__).parents[1]
CONF = ROOT / "conf"
PAGES = ROOT / "docs" / "reference"
_LINE = re.compile(r"^(?P<indent> *)(?P<key>[\w.@/]+):(?P<value>[^#]*?)(?:\s+#\s*(?P<says>.*))?$")
_MODELS: dict[str, type[BaseModel]] = {
    "config": EvaluationConfig, "score": models.ScoreConfig, "compare": models.CompareConfig,
    "gate": models.GateCommandConfig, "power": models.PowerConfig,
    "promote": models.PromoteConfig, "holdout": models.HoldoutCommandConfig,
    "rollback": models.RollbackConfig, "report": models.ReportConfig, "mine": models.MineConfig,
    "sync": models.SyncConfig, "prune": models.PruneCommandConfig, "check": models.CheckConfig,
    "completion": models.CompletionConfig, "init": models.InitConfig,
}  # fmt: skip
_SHARED = ("gating", "registry", "program", "budget")  # parts of several primary configs


def config_page() -> str:
    """Return the page of every key that a YAML in conf/ sets."""
    parts = [
        "# Every key of the configuration\n\nMade from `conf/` and the classes that check it by "
        "`cd tests && python -m reference_pages`; a test compares them. A value in a table is the "
        "default. `GROUP=CHOICE` chooses a file, `GROUP.KEY=VALUE` sets a key of it."
    ]
    parts.append("## Commands")
    for name, command in COMMANDS.items():
        model = _MODELS.get(command.config)
        parts += _section(f"`{name}`", CONF / f"{command.config}.yaml", model, "")
    parts.append("## Parts that several commands share")
    for name in _SHARED:
        if (CONF / f"{name}.yaml").exists():
            parts += _section(f"`{name}.yaml`", CONF / f"{name}.yaml", EvaluationConfig, "")
    for folder in sorted(path for path in CONF.iterdir() if path.is_dir()):
        parts.append(f"## `{folder.name}=`")
        for file in sorted(folder.rglob("*.yaml")):
            choice = file.relative_to(folder).with_suffix("").as_posix()
            anywhere = "@package _global_" in file.read_text(encoding="utf-8")
            prefix = "" if anywhere or folder.name == "hydra" else f"{folder.name}."
            kind = EvaluationConfig if anywhere else _of_node(file, folder.name)
            parts += _section(f"`{folder.name}={choice}`", file, kind, prefix)
    return "\n\n".join(parts) + "\n"


def _of_node(file: Path, group: str) -> type | None:
    """Return the class that checks a file of a group."""
    content = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
    if isinstance(content, dict) and isinstance(content.get("_target_"), str):
        return get_class(content["_target_"]) if content["_target_"] != "???" else None
    field = EvaluationConfig.model_fields.get(group)
    found = field.annotation if field else None
    return found if isinstance(found, type) and _is_record(found) else None


def _is_record(kind: type) -> bool:
    return dataclasses.is_dataclass(kind) or issubclass(kind, BaseModel)


def _section(title: str, file: Path, model: type | None, prefix: str) -> list[str]:
    text = file.read_text(encoding="utf-8")
    says = (
        " ".join(
            line.removeprefix("#").strip() for line in text.splitlines() if line.startswith("#")
        )
        .removeprefix("@package _global_")
        .strip()
    )
    rows = list(_rows(text, model, prefix))
    parts = [f"### {title}"] + ([_cell(says)] if says else [])
    if rows:
        head = ["| key | default | type | meaning |", "|---|---|---|---|"]
        parts.append("\n".join([*head, *(f"| {' | '.join(row)} |" for row in rows)]))
    return parts


def _rows(text: str, model: type | None, prefix: str):
    path: list[tuple[int, str]] = []
    skipped = -1  # the indent of a list of defaults that is left out
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if skipped >= 0 and (indent > skipped or line.lstrip().startswith("- ")):
            continue
        skipped = -1
        found = _LINE.match(line)
        if not found or line.lstrip().startswith("#"):
            continue
        key = found["key"]
        if key == "defaults" and indent == 0:
            skipped = indent
            continue
        path = [*(one for one in path if one[0] < indent), (indent, key)]
        names = [name for _, name in path]
        value, meaning = found["value"].strip(), found["says"] or ""
        if key == "_target_" or (not value and not meaning):
            continue
        kind = _type_at(model, names)
        yield (
            f"`{prefix}{'.'.join(names)}`",
            f"`{value}`" if value else "",
            _cell(kind),
            _cell(meaning),
        )


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _type_at(model: object, names: list[str]) -> str:
    """Return the type of a key in words; empty where the key is data for something else."""
    for name in names:
        fields = _fields(model)
        if name not in fields:
            return ""
        model = fields[name]
    return _words(model)


def _fields(model: object) -> dict[str, object]:
    model = next((one for one in _options(model) if isinstance(one, type)), None)
    if model is None:
        return {}
    if isinstance(model, type) and issubclass(model, BaseModel):
        hints = typing.get_type_hints(model, include_extras=True)
        named = {field.alias or name: name for name, field in model.model_fields.items()}
        return {alias: hints[name] for alias, name in named.items()}
    if dataclasses.is_dataclass(model):
        hints = typing.get_type_hints(model, include_extras=True)
        return {field.name: hints[field.name] for field in dataclasses.fields(model)}
    return {}


def _options(kind: object) -> list[object]:
    """Return the types of a union, without what is annotated and None."""
    while typing.get_origin(kind) is typing.Annotated:
        kind = typing.get_args(kind)[0]
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return [one for arg in typing.get_args(kind) for one in _options(arg)]
    return [] if kind is type(None) else [kind]


_NAMES = {int: "whole number", float: "number", str: "text", bool: "true or false", dict: "map"}


def _words(kind: object) -> str:
    """Return a type in words."""
    if typing.get_origin(kind) is typing.Annotated:
        inner, *rules = typing.get_args(kind)
        limits = [one for rule in rules for one in _limits(rule)]
        told = _words(inner)
        return f"{told} {' and '.join(limits)}" if limits and "≥" not in told else told
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        args = typing.get_args(kind)
        told = list(dict.fromkeys(_words(arg) for arg in args if arg is not type(None)))
        return " or ".join([*told, *(["null"] if type(None) in args else [])])
    if typing.get_origin(kind) is typing.Literal:
        return ", ".join(map(str, typing.get_args(kind)))
    if typing.get_origin(kind) in (tuple, list) or str(kind).startswith("collections.abc.Sequence"):
        inner = [arg for arg in typing.get_args(kind) if arg is not Ellipsis]
        return f"list of {_words(inner[0])}" if inner else "list"
    if "Mapping" in str(kind):
        return "map"
    return _NAMES.get(kind, "") if isinstance(kind, type) else ""


def _limits(rule: object) -> list[str]:
    found = [rule, *getattr(rule, "metadata", ())]
    signs = {annotated_types.Ge: ("≥", "ge"), annotated_types.Gt: (">", "gt"),
             annotated_types.Le: ("≤", "le"), annotated_types.Lt: ("<", "lt")}  # fmt: skip
    return [
        f"{signs[type(one)][0]} {getattr(one, signs[type(one)][1]):g}"
        for one in found
        if type(one) in signs
    ]


def api_page() -> str:
    """Return the page of everything that `import rageval` offers."""
    parts = [
        "# The library\n\nMade from the docstrings by `cd tests && python -m reference_pages`; a "
        "test compares them. [In a notebook, a test or a service](../library.md) shows it at work."
    ]
    for name in sorted(set(rageval.__all__) - {"__version__"}, key=str.lower):
        found = getattr(rageval, name)
        parts += _documented(name, found)
        if inspect.isclass(found) and not issubclass(found, Exception):
            for member, value in vars(found).items():
                wrapped = getattr(value, "func", None) or getattr(value, "fget", None)
                if member.startswith("_") or not (inspect.isfunction(value) or wrapped):
                    continue
                level = "####"
                if wrapped:
                    parts += [
                        f"{level} `{name}.{member}`",
                        *_sections(inspect.getdoc(wrapped) or ""),
                    ]
                else:
                    parts += _documented(f"{name}.{member}", value, level)
    return "\n\n".join(parts) + "\n"


def _documented(name: str, found: object, level: str = "##") -> list[str]:
    signature = ""
    if inspect.isfunction(found):
        shown = inspect.signature(found)
        signature = str(shown.replace(parameters=[
            p for p in shown.parameters.values() if p.name not in ("self", "cls")
        ]))  # fmt: skip
        signature = re.sub(r"'([^']*)'", r"\1", signature) if "'" in signature else signature
    text = inspect.getdoc(found) or ""
    parts = [f"{level} `{name}`"]
    if signature:
        parts.append(f"```python\n{name}{signature}\n```")
    return [*parts, *_sections(text)]


def _sections(text: str) -> list[str]:
    """Return a numpydoc docstring as Markdown."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", text, flags=re.M)
    found = [parts[0].strip()] if parts[0].strip() else []
    for head, body in zip(parts[1::2], parts[2::2], strict=True):
        if head == "Examples":
            found.append(f"```python\n{body.strip()}\n```")
            continue
        rows = re.split(r"^(?=\S)", body.strip("\n"), flags=re.M)
        items = []
        for row in filter(str.strip, rows):
            first, _, rest = row.strip().partition("\n")
            told = " ".join(textwrap.dedent(rest).split())
            items.append(f"- `{first}`" + (f": {told}" if told else ""))
        found += [f"**{head}**", "\n".join(items)]
    return found


def main() -> None:
    for name, page in (("config.md", config_page()), ("api.md", api_page())):
        (PAGES / name).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()

"""rageval's own format, in any of its forms."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from rageval.errors import InputError
from rageval.escaping.characters import cell
from rageval.files.nodes import kind_of
from rageval.formats.canonical.form import FIELDS
from rageval.formats.files import write_json, write_rows, write_text
from rageval.golden.question import Answerable, Question, Reference, Requirement
from rageval.judging.labelled import Labelled
from rageval.schema.fields import Name, component

_ANSWERABLE: dict[Answerable, bool | str | None] = {
    Answerable.YES: None,
    Answerable.NO: False,
    Answerable.DENIED: "denied",
}
_Entry = dict[str, Any]


@component
class CanonicalExport:
    """A .yaml, .json, .jsonl or .csv file; keeps everything. CSV names the set by its file."""

    path: Name

    def write(self, labelled: Labelled) -> list[str]:
        """Write the file; nothing is lost, but for the name of the set in CSV."""
        path, golden = Path(self.path), labelled.golden
        entries = [entry(question) for question in golden]
        whole = {"set": golden.name, "questions": entries}
        if path.suffix == ".json":
            write_json(path, whole)
        elif path.suffix == ".jsonl":
            write_rows(path, [{"set": golden.name}, *entries])
        elif path.suffix == ".csv":
            write_text(path, _table(entries))
            return [f"not kept, the set's identifier {golden.name}: a table has its file's name"]
        elif path.suffix in (".yaml", ".yml"):
            write_text(path, as_yaml(whole))
        else:
            raise InputError(f"{path}: a golden file is .yaml, .yml, .json, .jsonl or .csv")
        return []


def entry(question: Question) -> _Entry:
    """Return a question as its fields; what is not given is left out."""
    values = {
        **{name: getattr(question, name, None) for name in FIELDS},
        "question": question.text,
        "tags": list(question.tags),
        "history": list(question.history),
        "expected": list(question.expected),
        "supporting": [_requirement(need) for need in question.supporting],
        "distractors": [_reference(reference) for reference in question.distractors],
        "answerable": _ANSWERABLE[question.answerable],
        "forbidden": list(question.forbidden),
        "grades": dict(question.grades),
        "draft": question.draft or None,
    }
    return {name: values[name] for name in FIELDS if values[name] not in (None, [], {})}


def _requirement(need: Requirement) -> _Entry:
    if len(need) == 1:
        return _reference(need[0])
    return {"any_of": [_reference(reference) for reference in need]}


def _reference(reference: Reference) -> _Entry:
    place: _Entry = {"document": reference.document}
    if reference.heading:
        place["heading"] = list(reference.heading)
    elif reference.quote:
        place["quote"] = reference.quote
    elif reference.span is not None:
        place["span"] = list(reference.span)
    return place


class _Dumper(yaml.SafeDumper):
    """Writes text that a YAML reader may take for something else in quotes."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    told = kind_of(yaml.ScalarNode("tag:yaml.org,2002:str", text))
    plain = told == "text" and text.isprintable()  # YAML folds line separators of all kinds
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if plain else '"')


_Dumper.add_representer(str, _text)


def as_yaml(whole: _Entry | list[_Entry]) -> str:
    """Return fields as YAML that every reader takes for the same values."""
    return yaml.dump(whole, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=100)


def _table(entries: Sequence[_Entry]) -> str:
    out = io.StringIO()
    columns = [name for name in FIELDS if any(name in row for row in entries)]
    writer = csv.DictWriter(out, columns, restval="")  # ends lines as RFC 4180 does
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in entries)
    return out.getvalue()


def _cell(value: object) -> str:
    return cell(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))

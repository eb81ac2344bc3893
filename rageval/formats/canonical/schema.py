"""The JSON Schema of golden sets, for editors: made from the table of fields."""

from __future__ import annotations

import json
from typing import Any

from rageval.formats.canonical.form import FIELDS, Kind

_Schema = dict[str, Any]
_NAME: _Schema = {"type": "string", "minLength": 1, "pattern": r"^\S(.*\S)?$"}
_TEXT: _Schema = {"type": "string", "pattern": r"\S"}
_REFERENCE: _Schema = {"$ref": "#/$defs/reference"}
_KINDS: dict[Kind, _Schema] = {
    Kind.NAME: _NAME,
    Kind.TEXT: _TEXT,
    Kind.NAMES: {"type": "array", "items": _NAME, "uniqueItems": True},
    Kind.TEXTS: {"type": "array", "items": _TEXT},
    Kind.REQUIREMENTS: {
        "type": "array",
        "items": {"anyOf": [_REFERENCE, {"$ref": "#/$defs/any_of"}]},
    },
    Kind.REFERENCES: {"type": "array", "items": _REFERENCE},
    Kind.ANSWERABLE: {"enum": [True, False, "denied"]},
    Kind.GRADES: {"type": "object", "additionalProperties": {"type": "integer"}},
    Kind.DAY: {"type": "string", "format": "date"},
    Kind.FORM: {"enum": ["MATCH", "GAP"]},
    Kind.SPLIT: {"enum": ["dev", "holdout"]},
    Kind.FLAG: {"type": "boolean"},
}
_PLACES: dict[str, _Schema] = {
    "heading": {
        "type": "array",
        "items": _TEXT,
        "minItems": 1,
        "description": "The path of headings to the section, outermost first.",
    },
    "quote": {**_TEXT, "description": "Text that the document holds exactly once."},
    "span": {
        "type": "array",
        "items": {"type": "integer", "minimum": 0},
        "minItems": 2,
        "maxItems": 2,
        "description": "Half-open characters of the document: start, end.",
    },
}


def schema() -> _Schema:
    """Return the schema of a YAML or JSON golden set (draft 2020-12)."""
    fields = {
        name: {**_KINDS[field.kind], "description": field.meaning} for name, field in FIELDS.items()
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "rageval golden set",
        **_record(
            {
                "set": {
                    "type": "string",
                    "pattern": r"^[a-z0-9_]+(\.[a-z0-9_]+)*$",
                    "description": "The set's identifier.",
                },
                "questions": {
                    "type": "array",
                    "minItems": 1,
                    "items": {"$ref": "#/$defs/question"},
                },
            },
            ["set", "questions"],
        ),
        "$defs": {
            "question": _record(fields, ["id", "question"]),
            "reference": {
                **_record({"document": _NAME, **_PLACES}, ["document"]),
                "maxProperties": 2,  # the document and at most one place in it
            },
            "any_of": _record(
                {"any_of": {"type": "array", "items": _REFERENCE, "minItems": 1}}, ["any_of"]
            ),
        },
    }


def published() -> str:
    """Return the schema as the text of docs/reference/golden.schema.json."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def _record(properties: _Schema, required: list[str]) -> _Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }

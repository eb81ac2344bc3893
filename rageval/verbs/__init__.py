"""Verbs: one module each with `run(composed)`; they are listed here, so that none is imported."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb: its module, its primary config in conf/, and what it does in a line."""

    module: str
    config: str
    does: str


VERBS = {
    "evaluate": Verb("rageval.verbs.evaluate", "config", "run a retriever, log one MLflow run"),
    "check": Verb("rageval.verbs.check", "check", "validate a golden set without retrieving"),
}

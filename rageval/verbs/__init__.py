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
    "score": Verb("rageval.verbs.score", "score", "score a run file against qrels, by id"),
    "compare": Verb("rageval.verbs.compare", "compare", "two runs, paired by question"),
    "gate": Verb("rageval.verbs.gate", "gate", "hold a run against the champion and thresholds"),
    "promote": Verb("rageval.verbs.promote", "promote", "gate a run and make it the champion"),
    "holdout": Verb("rageval.verbs.holdout", "holdout", "score held-out questions, on a budget"),
    "rollback": Verb("rageval.verbs.rollback", "rollback", "restore the previous champion"),
    "report": Verb("rageval.verbs.report", "report", "the page of a run, or files for CI"),
    "mine": Verb("rageval.verbs.mine", "mine", "question log → cases to judge; growth and gap"),
    "sync": Verb("rageval.verbs.sync", "sync", "deliver results that the store did not take"),
    "prune": Verb("rageval.verbs.prune", "prune", "delete old runs, never a baseline's"),
    "check": Verb("rageval.verbs.check", "check", "validate a golden set without retrieving"),
}

"""Commands, a module each with `run(composed)`; listed here, so that none is imported."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its module, its primary config in conf/, and what it does in a line."""

    module: str
    config: str
    does: str


COMMANDS = {
    "evaluate": Command(
        "rageval.cli.commands.evaluate", "config", "run a retriever, log one MLflow run"
    ),
    "score": Command(
        "rageval.cli.commands.score", "score", "score a run file against qrels, by id"
    ),
    "compare": Command("rageval.cli.commands.compare", "compare", "two runs, paired by question"),
    "gate": Command(
        "rageval.cli.commands.gate", "gate", "hold a run against the champion and thresholds"
    ),
    "power": Command(
        "rageval.cli.commands.power", "power", "simulate the gate: false alarms, losses it can see"
    ),
    "promote": Command(
        "rageval.cli.commands.promote", "promote", "gate a run and make it the champion"
    ),
    "holdout": Command(
        "rageval.cli.commands.holdout", "holdout", "score held-out questions, on a budget"
    ),
    "rollback": Command(
        "rageval.cli.commands.rollback", "rollback", "restore the previous champion"
    ),
    "report": Command(
        "rageval.cli.commands.report", "report", "the page of a run or sweep, or files for CI"
    ),
    "mine": Command(
        "rageval.cli.commands.mine", "mine", "question log → cases to judge; growth and gap"
    ),
    "sync": Command(
        "rageval.cli.commands.sync", "sync", "deliver results that the store did not take"
    ),
    "prune": Command("rageval.cli.commands.prune", "prune", "delete old runs, never a baseline's"),
    "check": Command(
        "rageval.cli.commands.check", "check", "validate a golden set without retrieving"
    ),
    "init": Command(
        "rageval.cli.commands.init", "init", "start with your own documents: drafts, conf, CI"
    ),
    "completion": Command(
        "rageval.cli.commands.completion", "completion", "a script that completes in your shell"
    ),
}

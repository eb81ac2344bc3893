"""`mine merge=true`: judged candidates join the golden set, through the checks of every label."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from rageval.config.commands import MineConfig
from rageval.config.loading import Dataset, load
from rageval.config.next_command import next_command
from rageval.errors import InputError
from rageval.files.text import replace_text
from rageval.formats.canonical.golden import GoldenFile
from rageval.judging.labelled import Labelled
from rageval.judging.leakage import NEAR, leakage
from rageval.mining.cases import Cases
from rageval.mining.judged import Judged, apart, extended, judged
from rageval.mining.pool import comments, pool_path, read_pool
from rageval.report import console

_OURS = f"{GoldenFile.__module__}.{GoldenFile.__qualname__}"


def merge(config: MineConfig, target: Console) -> int:
    """Add the judged candidates to the golden set and return the exit code; all of them or none.

    Raises
    ------
    InputError
        With every fault of the judged cases, or if nothing can be added to the golden set's file.
    """
    golden = _golden_file(config)
    dataset = load(config.dataset)
    cases = Cases.read(Path(config.candidates), dataset.golden.name)
    found = judged(cases)
    new = apart(found, dataset.golden, golden)
    whole = load(config.dataset, new.questions)
    if new.questions:
        replace_text(golden, extended(golden, new.cases))
    if found.questions:
        _left(cases, found).write(comments(read_pool(pool_path(cases.path))))
    _show(target, config, new, whole)
    return 0


def _golden_file(config: MineConfig) -> Path:
    node = config.dataset.golden
    if node["_target_"] != _OURS:
        raise InputError(
            "dataset: cases are added to a set in rageval's own format, not to "
            f"{node['_target_']}; write yours in it: check export=canonical export.path=golden.yaml"
        )
    return Path(str(node["path"]))


def _left(cases: Cases, found: Judged) -> Cases:
    merged = {question.id for question in found.questions}
    return Cases(cases.path, cases.name, tuple(c for c in cases.cases if c["id"] not in merged))


def _warn(new: Judged, whole: Dataset, target: Console) -> None:
    """Say how many new questions give away one of the other side, and name none of that side."""
    labelled = Labelled(whole.golden, whole.evidence, whole.corpus, whole.access)
    assignment = whole.assignment
    found = leakage(labelled, assignment.sides, assignment.bridging, NEAR)
    ids = {question.id for question in new.questions}
    leaking = [doubt.question.id for doubt in found if doubt.question.id in ids]
    if leaking:
        target.print(
            f"note: {', '.join(leaking)} and the other side of the split give each other away: "
            "`check` says how; give them a group before the next run locks them"
        )


def _show(target: Console, config: MineConfig, new: Judged, whole: Dataset) -> None:
    left = len(Cases.read(Path(config.candidates), whole.golden.name).cases)
    sides = [whole.assignment.sides[question.id] for question in new.questions]
    target.print(
        f"{len(new.questions)} questions added to {config.dataset.golden['path']}: "
        f"{sides.count('dev')} dev, {sides.count('holdout')} held out; {left} left in "
        f"{config.candidates}"
    )
    _warn(new, whole, target)
    check = next_command("check")
    console.say(target, f"next: {check}   then commit the set with its split.lock")

"""`mine`: candidates for the golden set from a question log, and what the log says of the set."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from omegaconf import DictConfig
from rich.console import Console
from rich.text import Text

from rageval.cli.commands.champion import Standing, log_production, standing
from rageval.cli.commands.merging import merge
from rageval.cli.commands.pooling import suggested
from rageval.cli.commands.reviewing import review
from rageval.comparison.table import Table
from rageval.config.build import build
from rageval.config.choices import choices_of
from rageval.config.commands import MineConfig
from rageval.config.loading import Dataset, load
from rageval.config.next_command import next_command
from rageval.config.reading import read
from rageval.errors import InputError
from rageval.evaluation.subsets import members
from rageval.golden.access import Access
from rageval.mining import growth, production
from rageval.mining.cases import Case, Cases, case_of, told
from rageval.mining.clusters import clusters
from rageval.mining.masking.mask import Mask
from rageval.mining.novelty import novelty
from rageval.mining.pool import comments, pool_path, read_pool, write_pool
from rageval.mining.questionlog.asked import Asked, Log
from rageval.mining.questionlog.columns import read_log
from rageval.mining.queue import Candidate, queue, reasons, recent
from rageval.mining.sample import drawn
from rageval.report import console
from rageval.report.answer import answer
from rageval.report.data import table_facts

_SHOWN = 20


@dataclass(frozen=True)
class Mined:
    """What came of a log."""

    log: Log
    window: list[Asked]  # of the log: those asked lately
    candidates: list[Candidate]
    known: int  # groups of questions that retrieved badly and that the set has already
    cases: Cases  # with the new ones
    new: int


def run(composed: DictConfig) -> int:
    """Read the log, add cases to be judged, tell what the log says, and return the exit code."""
    config = read(composed, MineConfig)
    if config.merge:
        return merge(config, console.console())
    if config.review:
        return review(config, console.console())
    if config.log is None:
        choices = "|".join(choices_of("log"))
        raise InputError(f"no question log named; choose one: log={choices}, e.g. log.path=FILE")
    target = console.console()
    dataset = load(config.dataset)
    mask = _mask(config)
    log = read_log(build(config.log.source, "log"), config.columns).masked(mask.mask)
    now = _until(config) or datetime.now(UTC)
    mined = _mine(config, dataset, log, now)
    found = standing(config, target)
    _write(config, dataset, mined)
    _show(target, config, mined)
    _show_growth(target, dataset, mined, (found, now))
    _show_production(target, dataset, mined, found)
    answer(
        config.candidates,
        candidates=table_facts(_table(mined.candidates)),
        known=mined.known,
        new=mined.new,
        to_judge=len(mined.cases.todo),
        file=config.candidates,
    )
    target.print()
    judging = next_command("mine", "review=true")
    console.say(target, f"next: {judging}   to judge {config.candidates}")
    return 0


def _mask(config: MineConfig) -> Mask:
    mask: Mask = build(config.masking, "masking")
    if not callable(getattr(mask, "mask", None)):
        raise InputError(f"masking: {type(mask).__name__} has no method mask(text)")
    return mask


def _write(config: MineConfig, dataset: Dataset, mined: Mined) -> None:
    """Write the cases, and what several retrievers find for those that nobody judged yet."""
    place = pool_path(mined.cases.path)
    pool = suggested(mined.cases.todo, read_pool(place), config, dataset)
    if pool:
        write_pool(place, pool)
    mined.cases.write(comments(pool))


def _until(config: MineConfig) -> datetime | None:
    until = config.queue.until
    return until if until is None or until.tzinfo else until.replace(tzinfo=UTC)


def _mine(config: MineConfig, dataset: Dataset, log: Log, now: datetime) -> Mined:
    window = recent(log.rows, config.queue, now)
    grouped = clusters(window, config.queue.near)
    bad_ones = (one.text for one in window if reasons(one, config.queue.min_score))
    texts = list(dict.fromkeys(bad_ones))
    news = dict(zip(texts, novelty(texts, [q.text for q in dataset.golden]), strict=True))
    unlimited = config.queue.model_copy(update={"limit": len(grouped)})
    bad = queue(grouped, news, unlimited)
    unknown = [one for one in bad if 1 - one.novelty < config.queue.near]
    candidates = unknown[: config.queue.limit]
    before = Cases.read(Path(config.candidates), dataset.golden.name)
    merged = {question.id for question in dataset.golden}
    found = _cases(config, dataset.access, candidates, window, now)
    after = before.with_new([case for case in found if case["id"] not in merged])
    new = {case["id"] for case in after.cases} - {case["id"] for case in before.cases}
    return Mined(log, window, candidates, len(bad) - len(unknown), after, len(new))


def _cases(
    config: MineConfig,
    access: Access,
    candidates: Iterable[Candidate],
    window: list[Asked],
    now: datetime,
) -> Iterable[Case]:
    for one in candidates:
        yield case_of(one.asked, _asker(access, one.asked), now.date(), "log", told(one))
    for asked in drawn(window, config.sample, config.seed):
        notes = f"drawn by chance from {len(window)} logged questions, seed {config.seed}"
        yield case_of(asked, _asker(access, asked), now.date(), production.SAMPLE, notes)


def _asker(access: Access, asked: Asked) -> str | None:
    """Return who asked, if the set knows that asker; who is unknown sees public documents."""
    if asked.asker is None:
        return None
    try:
        access.groups(asked.asker)
    except InputError:
        return None
    return asked.asker


def _show(target: Console, config: MineConfig, mined: Mined) -> None:
    blank = f", {mined.log.blank} without a text" if mined.log.blank else ""
    target.print(
        f"{mined.log.place}: {len(mined.log)} questions{blank}; {len(mined.window)} of the last "
        f"{config.queue.days} days"
    )
    if mined.log.unheard and all(one.helpful is None for one in mined.log):
        target.print(
            f"note: no feedback was understood: columns.helpful and columns.unhelpful say what "
            f"counts, the log has {', '.join(mined.log.unheard)}"
        )
    if mined.candidates:
        target.print()
        console.show_table(target, _table(mined.candidates[:_SHOWN]))
        if len(mined.candidates) > _SHOWN:
            target.print(f"and {len(mined.candidates) - _SHOWN} more")
    target.print()
    target.print(
        f"{len(mined.candidates)} new candidates with poor retrieval; {mined.known} more already "
        f"in the set; {mined.new} cases new in {config.candidates}, {len(mined.cases.todo)} "
        "to judge"
    )


def _table(candidates: list[Candidate]) -> Table:
    return Table(
        ["question", "asked", "last", "why", "novelty"],
        [
            [
                one.asked.text if len(one.asked.text) < 80 else f"{one.asked.text[:79]}…",
                one.cluster.traffic,
                f"{one.asked.when:%Y-%m-%d}" if one.asked.when else None,
                ", ".join(f"{name} {count}" for name, count in one.reasons.items()),
                one.novelty,
            ]
            for one in candidates
        ],
    )


def _show_growth(
    target: Console, dataset: Dataset, mined: Mined, at: tuple[Standing | None, datetime]
) -> None:
    found, now = at
    inside = members(dataset.golden.questions, dataset.access.groups)
    grown = growth.growth(dataset.golden, dataset.corpus, inside, mined.window, now.date())
    _lines(target, "growth", growth.sentences(grown))
    if found is not None:
        _lines(target, "since the champion was promoted", found.moved(dataset))


def _show_production(
    target: Console, dataset: Dataset, mined: Mined, found: Standing | None
) -> None:
    sampled = {q.id for q in dataset.golden if q.source == production.SAMPLE}
    result = None if found is None else found.run.result
    seen = production.production(mined.window, result, sampled)
    _lines(target, "production", production.sentences(seen))
    if found is not None:
        _lines(target, "", log_production(found, seen))


def _lines(target: Console, heading: str, lines: Iterable[str]) -> None:
    listed = list(lines)
    if heading and listed:
        target.print()
        target.print(Text(heading, style="bold"))
    for line in listed:
        target.print(Text(f"  {line}"), soft_wrap=True)

"""A search: trials are cells of one sweep, and what they come to decides what is tried next."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from hydra.core.override_parser.types import Override
from hydra.core.utils import JobReturn
from omegaconf import OmegaConf
from rich.text import Text

from rageval.config.reading import typed
from rageval.errors import InputError, RagevalError
from rageval.experiment.workflow import require_tracking
from rageval.measures.catalogue import Cutoffs
from rageval.report import console
from rageval.report.answer import set_format
from rageval.schema.fingerprint import digest
from rageval.sweep.composing import Composer
from rageval.sweep.finalize import end_sweep
from rageval.sweep.goals import MAXIMIZE, Goals, checked, ranking, values_of
from rageval.sweep.result import CellResult
from rageval.sweep.running import VERB, Launch, at_work, returned, run_job
from rageval.sweep.session import Searched, Session, measures
from rageval.sweep.space import Drawn, Space
from rageval.sweep.study import SearchConfig, Storage, Study, opened, sampler_of
from rageval.sweep.verdicts import decides, refuse_verdicts
from rageval.tracking.settings import TrackingConfig
from rageval.tracking.trials import find_parent, note, noted

_CORNERS = 100  # combinations of choices that are composed before the first trial
_REPEATS = 200  # draws in a row that were tried before, after which nothing new is expected


def search(
    launch: Launch, overrides: Sequence[Override], how: Mapping[str, Any]
) -> list[JobReturn]:
    """Search, and close the sweep that holds the trials; `how` is hydra.sweeper's configuration.

    Raises
    ------
    InputError
        If there is nothing to search, or an objective is no measure of the development questions.
    """
    config = typed(how, SearchConfig, "hydra.sweeper")
    _require_alone(launch)
    set_format(launch.config.get("output"))
    goals = _goals(launch, config)
    space = _ranked(Space.of(overrides), goals)
    trials = int(min(config.n_trials, space.size))
    sweep = Session(
        [],
        console.console(),
        searched=Searched(_name(space, goals), space.typed, trials, goals),
    )
    if launch.config.sweep.dry_run:
        _show_plan(launch, sweep, config)
        return []
    with at_work():
        composer = Composer(launch.context.config_loader, launch.config, frozenset(space.fixed))
        _require_possible(composer, space)
        storage = opened(config.storage)
        try:
            _Search(launch, composer, sweep, space, goals).run(config, storage)
        finally:
            end_sweep(sweep)
    return [returned(ended.exit_code) for ended in sweep.ended]


def _require_alone(launch: Launch) -> None:
    """Refuse what a search does not go with."""
    hydra = launch.config.hydra
    if hydra.runtime.choices["hydra/launcher"] != "rageval":
        raise InputError(
            "hydra/sweeper=optuna runs its trials one after the other in this process, each in the "
            "light of those before; leave out hydra/launcher"
        )
    if hydra.job.config_name != VERB:
        raise InputError("hydra/sweeper=optuna searches with `evaluate` and no other command")


def _require_possible(composer: Composer, space: Space) -> None:
    """Refuse a misspelt choice or key, and trials that are to be gated, before anything is made."""
    every = space.corners(lambda key: decides(composer, key))
    corners = list(islice(every, _CORNERS + 1))
    jobs = composer.check([space.words(drawn) for drawn in corners])
    if len(corners) <= _CORNERS and all(job.fault for job in jobs):
        raise InputError(jobs[0].fault)
    refuse_verdicts(composer, jobs)


def _goals(launch: Launch, config: SearchConfig) -> Goals:
    cutoffs = typed(_part(launch, "measures"), Cutoffs)
    deepest = cutoffs.hits[-1]
    given: Goals = config.objectives or {launch.config.sweep.objective or deepest: MAXIMIZE}
    return checked(given, cutoffs)


def _part(launch: Launch, node: str) -> dict[str, object]:
    found: dict[str, object] = OmegaConf.to_container(launch.config[node], resolve=True)  # type: ignore[assignment]  # a node of ours
    return found


def _ranked(space: Space, goals: Goals) -> Space:
    """Return the space with the leaderboard ranked by an objective."""
    fixed = [word for word in space.fixed if not word.startswith("sweep.objective=")]
    return replace(space, fixed=(*fixed, f"sweep.objective={ranking(goals)}"))


def _name(space: Space, goals: Goals) -> str:
    """Return what names a search: its space, what every trial has, and what it looks for."""
    fixed = sorted(filter(measures, space.fixed))
    return digest([sorted(space.typed.items()), fixed, sorted(goals.items())])[:16]


@dataclass(frozen=True)
class _Search:
    launch: Launch
    composer: Composer
    sweep: Session
    space: Space
    goals: Goals

    def run(self, config: SearchConfig, storage: Storage) -> None:
        """Tell what is known, then ask and run until there are enough trials."""
        known = self._known()
        directions = list(self.goals.values())
        sampler = sampler_of(config, known=len(known))
        study = Study(self.sweep.id, self.space, sampler, directions, storage)
        found = [(drawn, values_of(self._end(drawn), self.goals)) for drawn in known]
        tried = {_key(drawn): values for drawn, values in found}
        study.tell_known([(drawn, values) for drawn, values in found if values is not None])
        for drawn, values in self._new(study, tried, config.n_trials):
            tried[_key(drawn)] = values

    def _known(self) -> list[Drawn]:
        """Return the finished trials of earlier times, in their order."""
        config = self.launch.config
        parent = self.sweep.recording(typed(_part(self.launch, "tracking"), TrackingConfig))
        if parent is None or not config.sweep.resume:
            return []
        return [drawn for drawn in noted(parent.store, parent.run) if self.space.holds(drawn)]

    def _new(
        self, study: Study, tried: dict[str, list[float] | None], wanted: int
    ) -> Iterator[tuple[Drawn, list[float] | None]]:
        repeats = 0
        while len(tried) < min(wanted, self.space.size) and repeats < _REPEATS:
            if self.sweep.halted:
                return
            trial = study.ask()
            if _key(trial.drawn) in tried:  # nothing new would come of it
                repeats += 1
                study.tell(trial, tried[_key(trial.drawn)])
                continue
            repeats = 0
            values = values_of(self._end(trial.drawn), self.goals)
            study.tell(trial, values)
            parent = self.sweep.opened
            if values is not None and parent is not None:
                note(parent.store, parent.run, trial.drawn)
            yield trial.drawn, values

    def _end(self, drawn: Drawn) -> CellResult:
        words = self.space.words(drawn)
        self.sweep.grid.append(words)
        (job,) = self.composer.check([words], first=len(self.sweep.ended))
        return run_job(self.launch, self.composer, self.sweep, job)


def _show_plan(launch: Launch, sweep: Session, config: SearchConfig) -> None:
    """Say what would be searched and how much of it is done; nothing is run, nothing made."""
    searched, target = sweep.searched, sweep.target
    if searched is None:
        return
    tracking = typed(_part(launch, "tracking"), TrackingConfig)
    known = 0
    try:
        store = require_tracking(tracking, target)
        parent = find_parent(store, sweep.id)
        known = len(noted(store, parent)) if parent and launch.config.sweep.resume else 0
    except RagevalError:  # nothing was recorded, or the store is away
        known = 0
    for key, words in searched.space.items():
        target.print(Text(f"  {key}={words}"))
    for name, way in searched.goals.items():
        target.print(Text(f"  {way} {name}, on the development questions"))
    left = max(0, searched.trials - known)
    target.print(
        f"{searched.trials} trials by {config.sampler}, seed {config.seed}: {known} finished "
        f"before, {left} to run; nothing was run"
    )


def _key(drawn: Drawn) -> str:
    return json.dumps(drawn, sort_keys=True)

"""Optuna behind a door: which values are tried next, given what earlier ones came to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rageval.errors import InputError, UnreachableError
from rageval.fields import Count, Name, Natural, Record
from rageval.sweep.space import Choice, Dimension, Drawn, Space


class SearchConfig(Record):
    """How a search goes about."""

    n_trials: Count  # finished ones, those of earlier times among them
    sampler: Literal["tpe", "random", "nsga2"]
    seed: Natural
    objectives: Mapping[str, Literal["maximize", "minimize"]] | None  # None = sweep.objective
    storage: Name | None  # URL of a database that Optuna's own tools read; None = none is kept


@dataclass(frozen=True)
class Trial:
    """Values that are to be tried."""

    drawn: Drawn
    asked: Any  # Optuna's own


class Study:
    """The trials of one search, whatever came of them."""

    def __init__(
        self, name: str, space: Space, config: SearchConfig, directions: Sequence[str], known: int
    ) -> None:
        self._optuna = _imported()
        self._names = {key: key.lstrip("+") for key in space.dimensions}
        self._of = {
            self._names[key]: self._distribution(dimension)
            for key, dimension in space.dimensions.items()
        }
        self._study = self._made(name, config, directions, known)

    def tell_known(self, known: Sequence[tuple[Drawn, Sequence[float]]]) -> None:
        """Tell what was tried at other times; a database that is kept may know some of it."""
        there = [trial.params for trial in self._study.get_trials(deepcopy=False)]
        seen = {_key(params) for params in there}
        for drawn, values in known:
            params = {self._names[key]: value for key, value in drawn.items()}
            if _key(params) not in seen:
                made = self._optuna.trial.create_trial(
                    params=params, distributions=self._of, values=list(values)
                )
                self._study.add_trial(made)

    def ask(self) -> Trial:
        """Return what to try next."""
        asked = self._study.ask(self._of)
        drawn = {key: asked.params[name] for key, name in self._names.items()}
        return Trial(drawn, asked)

    def tell(self, trial: Trial, values: Sequence[float] | None) -> None:
        """Tell what a trial came to; None if it failed."""
        if values is None:
            self._study.tell(trial.asked, state=self._optuna.trial.TrialState.FAIL)
        else:
            self._study.tell(trial.asked, list(values))

    def _made(self, name: str, config: SearchConfig, directions: Sequence[str], known: int) -> Any:  # noqa: ANN401  an optuna Study
        samplers = self._optuna.samplers
        kinds = {
            "tpe": samplers.TPESampler,
            "random": samplers.RandomSampler,
            "nsga2": samplers.NSGAIISampler,
        }
        # A search that goes on draws on: the same seed would repeat its first draws.
        sampler = kinds[config.sampler](seed=config.seed + known)
        try:
            study = self._optuna.create_study(
                study_name=name, storage=config.storage, load_if_exists=True,
                sampler=sampler, directions=list(directions),
            )  # fmt: skip
        except Exception as fault:
            raise UnreachableError(
                f"hydra.sweeper.storage={config.storage} cannot be used: {fault}"
            ) from fault
        for trial in study.get_trials(states=(self._optuna.trial.TrialState.RUNNING,)):
            study.tell(trial.number, state=self._optuna.trial.TrialState.FAIL)  # it was killed
        return study

    def _distribution(self, dimension: Dimension) -> Any:  # noqa: ANN401  Optuna's
        kinds = self._optuna.distributions
        if isinstance(dimension, Choice):
            return kinds.CategoricalDistribution(dimension.of)
        low, high, log = dimension.low, dimension.high, dimension.log
        if dimension.whole:
            step = int(dimension.step or 1)
            return kinds.IntDistribution(int(low), int(high), log=log, step=step)
        return kinds.FloatDistribution(low, high, log=log, step=dimension.step)


def _key(params: Drawn) -> str:
    return json.dumps(dict(params), sort_keys=True)


def _imported() -> Any:  # noqa: ANN401  the module
    try:
        import optuna
    except ImportError as fault:
        raise InputError("hydra/sweeper=optuna needs Optuna: pip install 'rageval[optuna]'") from (
            fault
        )
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna

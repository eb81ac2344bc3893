"""Optuna behind a door: which values are tried next, given what earlier ones came to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rageval.errors import InputError, UnreachableError
from rageval.schema.fields import Count, Name, Natural, Record
from rageval.sweep.space import Choice, Dimension, Drawn, Space


class SearchConfig(Record):
    """How a search goes about."""

    n_trials: Count  # finished ones, those of earlier times among them
    sampler: Literal["tpe", "random", "nsga2"]
    seed: Natural
    objectives: Mapping[str, Literal["maximize", "minimize"]] | None  # None = sweep.objective
    storage: Name | None  # URL of a database that Optuna's own tools read; None = none is kept


Sampler = Any  # Optuna's
Storage = Any  # Optuna's, of a database; None = memory


@dataclass(frozen=True)
class Trial:
    """Values that are to be tried."""

    drawn: Drawn
    asked: Any  # Optuna's own


class Study:
    """The trials of one search, whatever came of them."""

    def __init__(
        self, name: str, space: Space, sampler: Sampler, directions: Sequence[str], storage: Storage
    ) -> None:
        self._optuna = _imported()
        self._names = {key: key.lstrip("+") for key in space.dimensions}
        self._of = {
            self._names[key]: self._distribution(dimension)
            for key, dimension in space.dimensions.items()
        }
        self._study = self._made(name, sampler, directions, storage)

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

    def _made(
        self, name: str, sampler: Sampler, directions: Sequence[str], storage: Storage
    ) -> Any:  # noqa: ANN401  an optuna Study
        study = self._optuna.create_study(
            study_name=name, storage=storage, load_if_exists=True,
            sampler=sampler, directions=list(directions),
        )  # fmt: skip
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


def sampler_of(config: SearchConfig, known: int) -> Sampler:
    """Return what draws; a search that goes on draws on, for the same seed would repeat itself."""
    samplers = _imported().samplers
    kinds = {
        "tpe": samplers.TPESampler,
        "random": samplers.RandomSampler,
        "nsga2": samplers.NSGAIISampler,
    }
    return kinds[config.sampler](seed=config.seed + known)


def opened(url: str | None) -> Storage:
    """Return the database that keeps the study; None if none is wanted.

    Raises
    ------
    InputError
        If Optuna is not installed, or the URL is none of a database that can be used here.
    UnreachableError
        If the database cannot be opened.
    """
    optuna = _imported()
    if url is None:
        return None
    from sqlalchemy import create_engine, inspect
    from sqlalchemy.exc import ArgumentError

    said = f"hydra.sweeper.storage={url} cannot be used"
    try:
        tables = set(inspect(create_engine(url)).get_table_names())
        if "alembic_version" in tables and "studies" not in tables:
            raise InputError(f"{said}: another program keeps its tables there; name one of its own")
        return optuna.storages.RDBStorage(url)
    except InputError:
        raise
    except (ArgumentError, ImportError) as fault:
        raise InputError(f"{said}: {_first_line(fault)}; e.g. sqlite:///optuna.db") from fault
    except Exception as fault:  # each database driver has errors of its own
        raise UnreachableError(f"{said}: {_first_line(fault)}") from fault


def _first_line(fault: Exception) -> str:
    return next(iter(str(fault).strip().splitlines()), type(fault).__name__)


def _imported() -> Any:  # noqa: ANN401  the module
    try:
        import optuna
    except ImportError as fault:
        raise InputError("hydra/sweeper=optuna needs Optuna: pip install 'rageval[optuna]'") from (
            fault
        )
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna

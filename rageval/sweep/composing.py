"""Composing the cells of a sweep: once for what they have in common, then by putting values in."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.config_loader import ConfigLoader
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override, OverrideType
from hydra.errors import HydraException, MissingConfigException
from omegaconf import DictConfig, OmegaConf, open_dict, read_write
from omegaconf.errors import OmegaConfBaseException

from rageval.config.choices import chosen
from rageval.config.reading import plain
from rageval.config.refusals import explained, no_retriever
from rageval.config.tree import Tree
from rageval.errors import InputError

_REFUSALS = (HydraException, OmegaConfBaseException, ValueError)
_OF_THE_JOB = "hydra"  # a reference to this node may mean another thing in each cell
_PUT = (OverrideType.CHANGE, OverrideType.ADD)  # what a value may be put in by
Words = tuple[str, ...]


class Unfit(InputError):
    """A combination that its choices make impossible: a key that one of them lacks."""


@dataclass(frozen=True)
class Job:
    """One combination of the sweep, as it was typed."""

    number: int
    overrides: Words
    fault: str  # why it cannot be composed; empty if it can


@dataclass(frozen=True)
class Cell:
    """One combination of the sweep, composed."""

    number: int
    overrides: Words
    tree: Tree
    choices: Mapping[str, str]  # group of conf/ → its file


@dataclass(frozen=True)
class Base:
    """What all cells of the same choices share."""

    composed: DictConfig
    own: DictConfig  # Hydra's own node
    choices: Mapping[str, str]
    tree: Tree | None  # None if it cannot be read before the values of a cell are in


@dataclass
class Composer:
    """Composes cells when they are wanted, so that only what they are made from is held."""

    loader: ConfigLoader
    config: DictConfig
    common: frozenset[str] = frozenset()  # words that every cell has
    _bases: dict[tuple[Words, Words], Base] = field(default_factory=dict)
    _groups: dict[str, bool] = field(default_factory=dict)  # key → chooses a file of conf/
    _parsed: dict[str, Override] = field(default_factory=dict)

    @classmethod
    def of(
        cls, loader: ConfigLoader, config: DictConfig, jobs: Sequence[Sequence[str]]
    ) -> Composer:
        """Return what composes these jobs."""
        common = frozenset(jobs[0]).intersection(*jobs) if jobs else frozenset()
        return cls(loader, config, common)

    def check(self, jobs: Sequence[Sequence[str]], first: int = 0) -> list[Job]:
        """Compose every combination of choices, and one cell for each set of other keys in it.

        The first one is given the number `first`.

        Raises
        ------
        InputError
            If a choice is named that no group has: a slip of the pen, whatever the others are.
        """
        known: dict[tuple[object, ...], str] = {}
        found = []
        for number, job in enumerate(jobs, start=first):
            choices, scalars = self._sorted(job)
            kind = (tuple(map(_word, choices)), tuple(o.key_or_group for o in scalars))
            if kind not in known:
                known[kind] = self._fault(job)
            found.append(Job(number, tuple(job), known[kind]))
        return found

    def _fault(self, job: Sequence[str]) -> str:
        try:
            self.merged(job)
        except MissingConfigException as error:
            raise explained(error) from error
        except Unfit as error:
            return str(error)
        return ""

    def compose(self, job: Job) -> Cell:
        """Return one cell.

        Raises
        ------
        Unfit
            If it has a key that its choices lack.
        InputError
            If a value is missing, or comes from the environment.
        """
        base, values = self._base(job.overrides)
        if base.tree is None or not _fits(base.tree, values):
            if base.tree is None or _OF_THE_JOB in base.tree.referred:
                self.tell(job)
            return Cell(job.number, job.overrides, plain(self.merged(job.overrides)), base.choices)
        given = {str(override.key_or_group): override.value() for override in values}
        return Cell(job.number, job.overrides, base.tree.holding(given), base.choices)

    def merged(self, words: Sequence[str]) -> DictConfig:
        """Return the configuration of one cell as Hydra's own launcher would have it.

        Raises
        ------
        Unfit
            If it has a key that its choices lack.
        """
        base, values = self._base(words)
        return _applied(values, copy.deepcopy(base.composed))

    def _base(self, words: Sequence[str]) -> tuple[Base, list[Override]]:
        """Return what a cell shares with others, and what is its own."""
        choices, scalars = self._sorted(words)
        shared = [scalar for scalar in scalars if _word(scalar) in self.common]
        # The last of a key counts, so a key that is also the cell's own is left for the cell.
        own = [scalar for scalar in scalars if _word(scalar) not in self.common]
        if {s.key_or_group for s in shared} & {s.key_or_group for s in own}:
            shared, own = [], scalars
        key = (tuple(map(_word, choices)), tuple(map(_word, shared)))
        if key not in self._bases:
            self._bases[key] = self._made(*key, shared)
        return self._bases[key], own

    def _made(self, choices: Words, words: Words, shared: Sequence[Override]) -> Base:
        try:
            whole = self.loader.load_sweep_config(self.config, list(choices))
        except MissingConfigException:
            raise
        except _REFUSALS as error:
            raise Unfit(str(explained(error))) from error
        own = OmegaConf.masked_copy(whole, ["hydra"])
        OmegaConf.set_readonly(own.hydra, False)
        with open_dict(whole):
            del whole["hydra"]
        HydraConfig.instance().set_config(own)
        if "retriever" not in chosen():
            raise Unfit(str(no_retriever(self.loader.get_group_options("retriever"))))
        composed = _applied(shared, whole)
        try:
            tree = plain(composed)
        except InputError:
            tree = None
        return Base(composed, own, chosen(), tree)

    def tell(self, job: Job) -> None:
        """Let Hydra know which cell runs, for what refers to it."""
        own = self._base(job.overrides)[0].own
        with read_write(own.hydra), open_dict(own.hydra):
            own.hydra.job.id = own.hydra.job.num = job.number
            own.hydra.overrides.task = list(job.overrides)
        HydraConfig.instance().set_config(own)

    def _sorted(self, job: Sequence[str]) -> tuple[list[Override], list[Override]]:
        """Return the overrides that choose a file or change Hydra's own settings, and the rest."""
        found: tuple[list[Override], list[Override]] = ([], [])
        for word in job:
            override = self._parse(word)
            found[0 if self._chooses(override) else 1].append(override)
        return found

    def _parse(self, word: str) -> Override:
        if word not in self._parsed:
            parser = OverridesParser.create(config_loader=self.loader)
            self._parsed[word] = parser.parse_overrides([word])[0]
        return self._parsed[word]

    def _chooses(self, override: Override) -> bool:
        return override.package is not None or self.chooses(override.key_or_group)

    def chooses(self, name: str) -> bool:
        """Say whether a key chooses a file of conf/ or is Hydra's own."""
        if name not in self._groups:
            self._groups[name] = bool(
                name.startswith("hydra") or self.loader.get_group_options(name)
            )
        return self._groups[name]


def _applied(values: Sequence[Override], composed: DictConfig) -> DictConfig:
    try:
        ConfigLoaderImpl._apply_overrides_to_config(list(values), composed)
    except _REFUSALS as error:
        raise Unfit(str(explained(error))) from error
    return composed


def _fits(tree: Tree, values: Sequence[Override]) -> bool:
    """Say whether the values of a cell may be put into a tree as they are."""
    return _OF_THE_JOB not in tree.referred and all(
        override.type in _PUT
        and tree.takes(
            override.key_or_group, override.value(), new=override.type is OverrideType.ADD
        )
        for override in values
    )


def _word(override: Override) -> str:
    return str(override.input_line)

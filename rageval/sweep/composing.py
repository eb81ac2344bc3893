"""Composing the cells of a sweep: once for each combination of group choices, then by merging."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.config_loader import ConfigLoader
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException, MissingConfigException
from omegaconf import DictConfig, OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException

from rageval.config.refusals import explained
from rageval.errors import InputError

_REFUSALS = (HydraException, OmegaConfBaseException, ValueError)
Base = tuple[DictConfig, DictConfig]  # the configuration of some choices, and Hydra's own node


@dataclass(frozen=True)
class Cell:
    """One combination of the sweep."""

    number: int
    overrides: tuple[str, ...]
    fault: str  # why it cannot be composed; empty if it can


@dataclass
class Composer:
    """Composes cells when they are wanted, so that only what they are made from is held."""

    loader: ConfigLoader
    config: DictConfig
    _bases: dict[tuple[str, ...], Base] = field(default_factory=dict)
    _groups: dict[str, bool] = field(default_factory=dict)  # key → chooses a file of conf/
    _parsed: dict[str, Override] = field(default_factory=dict)

    def check(self, jobs: Sequence[Sequence[str]]) -> list[Cell]:
        """Compose every combination of choices, and one cell for each set of other keys in it.

        Raises
        ------
        InputError
            If a choice is named that no group has: a slip of the pen, whatever the others are.
        """
        known: dict[tuple[object, ...], str] = {}
        cells = []
        for number, job in enumerate(jobs):
            choices, scalars = self._sorted(job)
            kind = (tuple(map(_word, choices)), tuple(o.key_or_group for o in scalars))
            if kind not in known:
                known[kind] = self._fault(job)
            cells.append(Cell(number, tuple(job), known[kind]))
        return cells

    def _fault(self, job: Sequence[str]) -> str:
        try:
            self.compose(job)
        except MissingConfigException as error:
            raise explained(error) from error
        except InputError as error:
            return str(error)
        return ""

    def compose(self, job: Sequence[str]) -> Base:
        """Return the configuration of one cell, and Hydra's own node for it.

        Raises
        ------
        InputError
            If it has a key that its choices lack.
        """
        choices, scalars = self._sorted(job)
        try:
            base, own = self._base(tuple(map(_word, choices)))
            composed = copy.deepcopy(base)
            ConfigLoaderImpl._apply_overrides_to_config(scalars, composed)
        except MissingConfigException:
            raise
        except _REFUSALS as error:
            raise explained(error) from error
        return composed, own

    def _base(self, choices: tuple[str, ...]) -> Base:
        if choices not in self._bases:
            whole = self.loader.load_sweep_config(self.config, list(choices))
            own = OmegaConf.masked_copy(whole, ["hydra"])
            OmegaConf.set_readonly(own.hydra, False)
            with open_dict(whole):
                del whole["hydra"]
            self._bases[choices] = whole, own
        return self._bases[choices]

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
        name = override.key_or_group
        if name not in self._groups:
            self._groups[name] = bool(
                name.startswith("hydra") or self.loader.get_group_options(name)
            )
        return override.package is not None or self._groups[name]


def _word(override: Override) -> str:
    return str(override.input_line)

"""Composing the cells of a sweep: once for each combination of group choices, then by merging."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.config_loader import ConfigLoader
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException, MissingConfigException
from omegaconf import DictConfig, open_dict
from omegaconf.errors import OmegaConfBaseException

from rageval.config.refusals import explained


@dataclass(frozen=True)
class Cell:
    """One combination of the sweep."""

    number: int
    overrides: tuple[str, ...]
    composed: DictConfig | None  # with Hydra's node; None: it cannot be composed
    fault: str  # why it cannot; empty if it can


def compose_cells(
    loader: ConfigLoader, config: DictConfig, jobs: Sequence[Sequence[str]]
) -> list[Cell]:
    """Compose every cell; one with a key that its choices lack is told and stops no other.

    Raises
    ------
    InputError
        If a choice is named that no group has: a slip of the pen, whatever the other cells are.
    """
    parser = OverridesParser.create(config_loader=loader)
    bases: dict[tuple[str, ...], DictConfig] = {}
    cells = []
    for number, job in enumerate(jobs):
        try:
            composed, fault = _compose(loader, config, parser.parse_overrides(list(job)), bases), ""
        except MissingConfigException as error:
            raise explained(error) from error
        except (HydraException, OmegaConfBaseException, ValueError) as error:
            composed, fault = None, str(explained(error))
        cells.append(Cell(number, tuple(job), composed, fault))
    return cells


def _compose(
    loader: ConfigLoader,
    config: DictConfig,
    overrides: list[Override],
    bases: dict[tuple[str, ...], DictConfig],
) -> DictConfig:
    words = [_word(override) for override in overrides]
    grouped = [_chooses(loader, override) for override in overrides]
    key = tuple(word for word, chooses in zip(words, grouped, strict=True) if chooses)
    if key not in bases:
        bases[key] = loader.load_sweep_config(config, list(key))
    composed = copy.deepcopy(bases[key])
    scalars = [
        override for override, chooses in zip(overrides, grouped, strict=True) if not chooses
    ]
    ConfigLoaderImpl._apply_overrides_to_config(scalars, composed)
    with open_dict(composed.hydra):
        composed.hydra.overrides.task = words
    return composed


def _word(override: Override) -> str:
    return str(override.input_line)


def _chooses(loader: ConfigLoader, override: Override) -> bool:
    """Say whether an override chooses a file of conf/, or changes Hydra's own settings."""
    name = override.key_or_group
    return (
        override.package is not None
        or name.startswith("hydra")
        or bool(loader.get_group_options(name))
    )

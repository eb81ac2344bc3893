"""Composing a configuration inside another program, without a command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import hydra
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from rageval.config.places import shipped
from rageval.config.reading import read
from rageval.config.refusals import explained
from rageval.config.resolvers import register
from rageval.config.settings import PipelineConfig, SourceConfig


def compose(overrides: Sequence[str], config_dir: Path | None) -> PipelineConfig:
    """Compose what decides the window of a question; what only an evaluation needs may be missing.

    Raises
    ------
    InputError
        If Hydra refuses the overrides or a value is wrong.
    """
    register()
    search = [] if config_dir is None else [f"hydra.searchpath=[file://{config_dir.resolve()}]"]
    try:
        with hydra.initialize_config_dir(str(shipped("conf").resolve()), version_base="1.3"):
            composed = hydra.compose("config", [*overrides, *search])
    except (HydraException, OmegaConfBaseException, ValueError) as fault:
        raise explained(fault) from fault
    return read(needed(composed), PipelineConfig)


def needed(composed: DictConfig) -> DictConfig:
    """Return the part of a composed configuration that decides the window of a question."""
    kept = OmegaConf.masked_copy(composed, list(PipelineConfig.model_fields))
    kept.dataset = OmegaConf.masked_copy(composed.dataset, list(SourceConfig.model_fields))
    return kept

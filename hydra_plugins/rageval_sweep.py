"""Hydra's way to our launcher and sweeper; Hydra looks for plugins in this package alone.

Imported at every start, so it names the classes and loads nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.config_store import ConfigStore
from hydra.core.utils import JobReturn
from hydra.plugins.launcher import Launcher
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig

_log = logging.getLogger(__name__)


class SweepLauncher(Launcher):
    """Runs the cells of a sweep one after the other in this process, computing each stage once."""

    def setup(
        self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig
    ) -> None:
        """Keep what Hydra hands over."""
        self._context, self._task, self._config = hydra_context, task_function, config

    def launch(
        self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int
    ) -> Sequence[JobReturn]:
        """Run the cells; none of them stops the others."""
        from rageval.sweep.running import run_cells

        return run_cells(self._context, self._task, self._config, job_overrides)


class CellSweeper(BasicSweeper):
    """Hydra's own sweeper, without composing every cell twice: the launcher does it anyway."""

    def validate_batch_is_legal(self, batch: Sequence[Sequence[str]]) -> None:
        """Leave it to the launcher, which tells every cell that cannot be composed."""
        _log.debug("%d cells", len(batch))


_HERE = "hydra_plugins.rageval_sweep"
_NODES = {
    "launcher": {"_target_": f"{_HERE}.SweepLauncher"},
    "sweeper": {"_target_": f"{_HERE}.CellSweeper", "max_batch_size": None, "params": None},
}
for _group, _node in _NODES.items():
    ConfigStore.instance().store(
        group=f"hydra/{_group}", name="rageval", node=_node, provider="rageval"
    )

"""Hydra's way to our launcher and sweeper; Hydra looks for plugins in this package alone.

Imported at every start, so it names the classes and loads nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.utils import JobReturn
from hydra.plugins.launcher import Launcher
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig

_VERB = "config"  # the primary config of `evaluate`
_LAUNCHER = "hydra.launcher"  # where the settings of a launcher stand


class SweepLauncher(Launcher):
    """Runs the cells of a sweep one after the other in this process, computing each stage once."""

    def setup(
        self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig
    ) -> None:
        """Keep what Hydra hands over."""
        self.hydra_context, self.task_function = hydra_context, task_function
        self.config = config

    def launch(
        self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int
    ) -> Sequence[JobReturn]:
        """Run the cells; none of them stops the others."""
        from rageval.sweep.running import Launch, run_cells

        launch = Launch(self.hydra_context, self.task_function, self.config)
        return run_cells(launch, job_overrides, self.executor())

    def executor(self) -> Any:  # noqa: ANN401  a rageval.sweep.remote.Executor or None
        """Return who runs the cells; None: this process does."""
        return None


class JoblibLauncher(SweepLauncher):
    """Runs the cells of a sweep on several processes of this machine."""

    def __init__(self, **how: Any) -> None:  # noqa: ANN401  conf/hydra/launcher/joblib.yaml has them
        self._how = how

    def executor(self) -> Any:  # noqa: ANN401
        """Return the processes."""
        from rageval.config.reading import typed
        from rageval.sweep.joblib_executor import Processes, ProcessesConfig

        return Processes(typed(self._how, ProcessesConfig, _LAUNCHER).n_jobs)


class RayLauncher(SweepLauncher):
    """Runs the cells of a sweep on a Ray cluster."""

    def __init__(self, **how: Any) -> None:  # noqa: ANN401  conf/hydra/launcher/ray.yaml has them
        self._how = how

    def executor(self) -> Any:  # noqa: ANN401
        """Return the workers of the cluster."""
        from rageval.config.reading import typed
        from rageval.sweep.ray_executor import Cluster, ClusterConfig

        return Cluster(**dict(typed(self._how, ClusterConfig, _LAUNCHER)))


class CellSweeper(BasicSweeper):
    """Hydra's own sweeper, without its folder and without composing every cell twice.

    The launcher composes the cells anyway, and tells those that cannot be.
    """

    def sweep(self, arguments: list[str]) -> Any:  # noqa: ANN401  as Hydra has it
        """Run all combinations, and see to it that what failed elsewhere is told."""
        from rageval.config.launch import tell
        from rageval.sweep.size import require_few

        context = self.hydra_context
        parser = OverridesParser.create(config_loader=context.config_loader)
        overrides = parser.parse_overrides([*self._parse_config(), *arguments])
        require_few(overrides, self.config.limits.cells if "limits" in self.config else None)
        done: list[JobReturn] = []
        for batch in self.split_arguments(overrides, self.max_batch_size):
            done += self._launched(batch, len(done))
        tell(done)
        return [done]

    def _launched(self, batch: Sequence[Sequence[str]], first: int) -> Sequence[JobReturn]:
        """Hand the cells to the launcher; those of `evaluate` stay one sweep with any of them."""
        launcher: Any = self.launcher
        if isinstance(launcher, SweepLauncher) or self.config.hydra.job.config_name != _VERB:
            return launcher.launch(batch, initial_job_idx=first)  # type: ignore[no-any-return]
        from rageval.sweep.hydra_executor import Foreign
        from rageval.sweep.running import Launch, run_cells

        launch = Launch(launcher.hydra_context, launcher.task_function, launcher.config)
        return run_cells(launch, batch, Foreign(launcher))


class SearchSweeper(CellSweeper):
    """Searches the space that is given, each trial in the light of those before, by Optuna."""

    def __init__(self, params: dict[str, str] | None = None, **how: Any) -> None:  # noqa: ANN401  conf/hydra/sweeper/optuna.yaml has them
        super().__init__(None, params)
        self._how = how

    def sweep(self, arguments: list[str]) -> Any:  # noqa: ANN401  as Hydra has it
        """Run as many trials as are wanted, in this process."""
        from rageval.config.launch import tell
        from rageval.sweep.running import Launch
        from rageval.sweep.search import search

        launcher: Any = self.launcher
        parser = OverridesParser.create(config_loader=self.hydra_context.config_loader)
        overrides = parser.parse_overrides([*self._parse_config(), *arguments])
        launch = Launch(self.hydra_context, launcher.task_function, self.config)
        done = search(launch, overrides, self._how)
        tell(done)
        return [done]


_HERE = "hydra_plugins.rageval_sweep"
_NODES = {
    "launcher": {"_target_": f"{_HERE}.SweepLauncher"},
    "sweeper": {"_target_": f"{_HERE}.CellSweeper", "max_batch_size": None, "params": None},
}
for _group, _node in _NODES.items():
    ConfigStore.instance().store(
        group=f"hydra/{_group}", name="rageval", node=_node, provider="rageval"
    )

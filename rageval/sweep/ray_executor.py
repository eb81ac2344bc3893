"""Cells on the machines of a Ray cluster, by Ray's public interface."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rageval.errors import InputError, UnreachableError
from rageval.schema.fields import Count, Name, NonNegative, Positive, Record
from rageval.sweep.composing import Cell
from rageval.sweep.task import Lost, Returned, WorkerTask, work

_PATIENCE = 5  # seconds that the head of a cluster may take to answer
Ray = Any  # the module, which is imported when it is needed


class Worker:
    """A process of the cluster; its stages are kept from cell to cell."""

    def ready(self) -> None:
        """Answer, which says that the process is there."""

    def work(self, worker_task: WorkerTask, cell: Cell) -> Returned:
        """Evaluate one cell."""
        return work(worker_task, cell)


class ClusterConfig(Record):
    """What a cluster is asked for."""

    address: Name
    workers: Count | None
    cpus: Positive
    patience: NonNegative
    folder: Name | None


@dataclass(frozen=True)
class Cluster:
    """Workers on an existing cluster, which is left as it was."""

    address: str  # HOST:PORT of its head, or auto: the one that this machine is part of
    workers: int | None  # None = as many as it has processors for
    cpus: float  # of each worker
    patience: float  # seconds to wait for a worker while none is at work
    folder: str | None = None  # that they work in; None = where the command was typed

    def run(self, cells: Iterator[Cell], worker_task: WorkerTask) -> Iterator[Returned | Lost]:
        """Yield what each cell came to.

        A worker that dies loses its cell and is started again, where there is room for it.

        Raises
        ------
        UnreachableError
            If the cluster does not answer, or gives no worker.
        InputError
            If Ray is not installed, or several machines were to write to one file.
        """
        ray = _connected(self.address)
        try:
            _require_server(ray, worker_task)
            yield from _Deal(ray, worker_task, self.patience).of(cells, self._hired(ray))
        finally:
            ray.shutdown()  # ends the workers of this program

    def _hired(self, ray: Ray) -> list[Any]:
        room = int(ray.cluster_resources().get("CPU", 0) // self.cpus)
        if not room:
            raise UnreachableError(
                f"Ray cluster {self.address} has no room for a worker of {self.cpus} processors"
            )
        hire = ray.remote(num_cpus=self.cpus, max_restarts=-1, scheduling_strategy="SPREAD")(Worker)
        return [hire.remote() for _ in range(self.workers or room)]


def _connected(address: str) -> Ray:
    try:
        import ray
    except ImportError as fault:
        raise InputError(
            "hydra/launcher=ray needs Ray: pip install 'rageval[ray]', here and on the cluster"
        ) from fault
    _check(address)
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, RuntimeError, ValueError) as fault:
        first = next(iter(str(fault).strip().splitlines()), "")
        raise UnreachableError(f"Ray cluster {address} cannot be used: {first}") from fault
    return ray


def _check(address: str) -> None:
    """Ask for the head before Ray's own client waits for it."""
    host, colon, port = address.rpartition("/")[2].rpartition(":")
    if not colon or not port.isdecimal():
        return
    try:
        socket.create_connection((host, int(port)), _PATIENCE).close()
    except OSError as fault:
        raise UnreachableError(f"Ray cluster {address} does not answer: {fault}") from fault


def _require_server(ray: Ray, worker_task: WorkerTask) -> None:
    """Refuse that several machines write to one sqlite file."""
    machines = {node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]}
    ours = worker_task.location is not None and worker_task.location.artifacts is not None
    if ours and len(machines) > 1:
        raise InputError(
            f"the cluster has {len(machines)} machines, and they cannot share a sqlite file: give "
            "tracking.uri=http://HOST:PORT of an mlflow server, or tracking=off"
        )


@dataclass(frozen=True)
class _Deal:
    """Cells dealt out to workers, one at a time to each."""

    ray: Ray
    worker_task: WorkerTask
    patience: float

    def of(self, cells: Iterator[Cell], workers: list[Any]) -> Iterator[Returned | Lost]:
        out: dict[Any, tuple[Any, Cell | None]] = {  # what is awaited → of whom, with which cell
            worker.ready.remote(): (worker, None) for worker in workers
        }
        while (found := self._first(out)) is not None:
            worker, cell = out.pop(found)
            try:
                returned = self.ray.get(found)
            except self.ray.exceptions.RayError as fault:
                if cell is not None:
                    yield Lost(cell.number, _said(fault))
                    out[worker.ready.remote()] = (worker, None)
                continue
            if returned is not None:
                yield returned
            following = next(cells, None)
            if following is None:
                out = {key: pair for key, pair in out.items() if pair[1] is not None}
                continue
            out[worker.work.remote(self.worker_task, following)] = (worker, following)

    def _first(self, out: dict[Any, tuple[Any, Cell | None]]) -> Any | None:  # noqa: ANN401
        """Return what answers first; None if nothing is awaited, or nobody comes."""
        if not out:
            return None
        busy = any(cell is not None for _, cell in out.values())
        done, _ = self.ray.wait(list(out), timeout=None if busy else self.patience)
        return done[0] if done else None


def _said(fault: Exception) -> str:
    lines = [line.strip() for line in str(fault).splitlines() if line.strip()]
    return f"its worker died: {lines[0] if lines else type(fault).__name__}"

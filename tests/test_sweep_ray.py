"""Sweeps on a Ray cluster of two nodes, with a tracking server and a shared cache."""

import importlib.util
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from mlflow import MlflowClient

from rageval.errors import InputError
from rageval.sweep.ray_executor import _require_server
from rageval.sweep.task import WorkerTask
from rageval.tracking.store import Location
from tests.server import Server

pytestmark = pytest.mark.thorough

if importlib.util.find_spec("ray") is None:
    pytest.skip("ray is not installed: pip install 'rageval[ray]'", allow_module_level=True)

OWN = """
import os, signal
from pathlib import Path

class Marking:
    def __init__(self, number=0):
        self.number = number

    def index(self, passages):
        import ray
        node = ray.get_runtime_context().get_node_id()
        Path(f"node-{node}").touch()
        if self.number == 2 and not Path("died").exists():
            Path("died").touch()
            os.kill(os.getpid(), signal.SIGKILL)

    def retrieve(self, question, limit, groups):
        return []
"""


@pytest.fixture(scope="module")
def cluster(program, tmp_path_factory):
    """The address of a cluster whose nodes were started elsewhere than the command is typed."""
    folder = tmp_path_factory.mktemp("cluster")
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).parent / "ray_cluster.py")],
        cwd=folder,
        env={**program.environment, "RAY_USAGE_STATS_ENABLED": "0"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    lines = iter(process.stdout.readline, "")
    address = next(line.strip() for line in lines if re.fullmatch(r"[\d.]+:\d+\n", line))
    yield address
    process.communicate("")


def test_two_nodes_run_a_sweep_with_a_server_and_a_shared_cache(program, tmp_path, tiny, cluster):
    server = Server(tmp_path)
    try:
        cache = ["cache=disk", f"cache.dir=file://{tmp_path}/shared"]
        words = [
            "-m", "+retriever=bm25,tfidf", "window.k=1,2,3", "hydra/launcher=ray", *cache,
            f"hydra.launcher.address={cluster}", f"tracking.uri={server.uri}", "latency.sample=0",
        ]  # fmt: skip
        said = program.run(tmp_path, *words, *tiny)
        assert said.code == 0, said.err + said.out
        assert "6 cells: 6 done" in said.out
        found = MlflowClient(server.uri).search_runs(["1"], max_results=100)
        (parent,) = [run for run in found if run.data.tags.get("rageval.kind") == "sweep"]
        cells = [run for run in found if run.data.tags.get("rageval.kind") == "cell"]
        assert Counter(
            (run.data.params["retriever"], run.data.params["window.k"]) for run in cells
        ) == {(name, k): 1 for name in ("bm25", "tfidf") for k in "123"}
        assert {run.data.tags["mlflow.parentRunId"] for run in cells} == {parent.info.run_id}
        assert {run.info.status for run in found} == {"FINISHED"}
        assert list((tmp_path / "shared").glob("rankings-*.npz"))
        again = program.run(tmp_path, *words, *tiny)
        assert "6 cells: 6 resumed" in again.out
    finally:
        server.kill()


def test_a_worker_that_dies_loses_its_cell_alone(program, tmp_path, tiny, cluster):
    (tmp_path / "own.py").write_text(OWN)
    words = [
        "-m", "+retriever=custom", "retriever._target_=own.Marking",
        "+retriever.number=0,1,2,3,4,5", "hydra/launcher=ray",
        f"hydra.launcher.address={cluster}", "latency.sample=0",
    ]  # fmt: skip
    said = program.run(tmp_path, *words, *tiny)
    assert said.code == 4, said.err + said.out
    assert re.search(r"6 cells: .*\b1 failed", said.out), said.out
    assert "lost: its worker died" in " ".join(said.out.split())
    assert len(list(tmp_path.glob("node-*"))) == 2  # both nodes were at work
    again = program.run(tmp_path, *words, *tiny)
    assert again.code == 0, again.err
    assert "6 cells: 5 resumed, 1 done" in again.out


SLOW = """
import time
from pathlib import Path

class Slow:
    def __init__(self, number=0):
        self.number = number

    def index(self, passages):
        Path(f"began-{self.number}").touch()

    def retrieve(self, question, limit, groups):
        time.sleep(0.3)
        return []
"""


def test_ctrl_c_leaves_no_run_open_and_the_cluster_as_it_was(program, tmp_path, tiny, cluster):
    (tmp_path / "own.py").write_text(SLOW)
    words = [
        "-m", "+retriever=custom", "retriever._target_=own.Slow", "+retriever.number=0,1,2,3,4,5",
        "hydra/launcher=ray", f"hydra.launcher.address={cluster}", "latency.sample=0",
    ]  # fmt: skip
    process = program.start(tmp_path, *words, *tiny)
    said = program.interrupted(process, tmp_path, "began-*")
    assert said.code == 130, said.err
    assert re.search(r"[1-6] not begun", said.out)
    store = MlflowClient(f"sqlite:///{tmp_path}/mlruns/mlflow.db")
    states = {run.info.run_id: run.info.status for run in store.search_runs(["1"])}
    assert "RUNNING" not in states.values()
    again = program.run(tmp_path, *words, *tiny)  # the cluster serves the next command
    assert again.code == 0, again.err


def test_one_sqlite_file_for_several_machines_is_refused(tmp_path):
    def nodes(*machines):
        return [{"NodeManagerAddress": name, "Alive": True} for name in machines]

    here = Location("sqlite:///m.db", "the default", tmp_path)
    server = Location("http://host:5000", "tracking.uri", None)
    two = SimpleNamespace(nodes=lambda: nodes("10.0.0.1", "10.0.0.2"))
    one = SimpleNamespace(nodes=lambda: nodes("10.0.0.1", "10.0.0.1"))
    with pytest.raises(InputError, match="2 machines, and they cannot share a sqlite file"):
        _require_server(two, WorkerTask("e", "/", here))
    for ray, location in ((two, server), (two, None), (one, here)):
        _require_server(ray, WorkerTask("e", "/", location))


def test_what_is_not_shared_is_said(program, tmp_path, tiny, cluster):
    words = ["-m", "+retriever=bm25", "window.k=1,2", "hydra/launcher=ray", "tracking=off", *tiny]
    here = [*words, "hydra.launcher.folder=/not/there", "latency.sample=0"]
    said = program.run(tmp_path, *here, f"hydra.launcher.address={cluster}")
    assert said.code == 4
    assert f"/not/there is not there on {os.uname().nodename}" in " ".join(said.out.split())
    away = program.run(tmp_path, *words, "hydra.launcher.address=127.0.0.1:9")
    assert away.code == 4
    assert "2 cells: 2 not run" in away.out
    assert "Ray cluster 127.0.0.1:9 does not answer" in " ".join(away.out.split())

"""Sweeps whose cells run in other processes: what they leave is what one process leaves."""

import importlib.util
import json
import re
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from mlflow import MlflowClient

from rageval.sweep import hydra_executor as foreign
from rageval.sweep.joblib_executor import Processes
from rageval.sweep.task import Lost, WorkerTask, work

pytestmark = pytest.mark.thorough

BASE = ["latency.sample=0"]
TWO = ["hydra/launcher=joblib", "hydra.launcher.n_jobs=2"]


def runs(folder, kind):
    client = MlflowClient(f"sqlite:///{Path(folder).resolve()}/mlruns/mlflow.db")
    found = client.search_runs(["1"], max_results=1000)
    return [run for run in found if run.data.tags.get("rageval.kind") == kind]


def told(said):
    return next(line for line in said.out.splitlines() if re.match(r"\d+ cells: ", line))


def test_eight_processes_lose_and_double_none_of_200_runs(program, tmp_path, tiny):
    ks = ",".join(map(str, range(1, 101)))
    words = ["-m", "+retriever=bm25,tfidf", f"window.k={ks}", "hydra/launcher=joblib"]
    said = program.run(tmp_path, *words, "hydra.launcher.n_jobs=8", *tiny, *BASE)
    assert said.code == 0, said.err
    assert told(said) == "200 cells: 200 done"
    cells = runs(tmp_path, "cell")
    assert {run.info.status for run in cells} == {"FINISHED"}
    found = Counter((run.data.params["retriever"], run.data.params["window.k"]) for run in cells)
    assert found == {(name, str(k)): 1 for name in ("bm25", "tfidf") for k in range(1, 101)}
    (parent,) = runs(tmp_path, "sweep")
    assert {run.data.tags["mlflow.parentRunId"] for run in cells} == {parent.info.run_id}
    assert parent.info.status == "FINISHED"
    assert parent.data.metrics["sweep/done"] == 200


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["hydra/launcher=joblib", "hydra.launcher.n_jobs=0"], "n_jobs: must be 1 or more"),
        (["hydra/launcher=joblib", "hydra.launcher.n_jobs=two"], "n_jobs: should be a valid int"),
        (["hydra/launcher=ray", "hydra.launcher.cpus=0"], "cpus: should be greater than 0"),
    ],
)
def test_a_launcher_without_workers_is_refused_before_anything_is_made(typed, tiny, words, fault):
    said = typed("-m", "+retriever=bm25,tfidf", *words, *tiny, *BASE)
    assert said.code == 2, said.err
    assert f"hydra.launcher.{fault}" in said.err
    assert not list(Path.cwd().iterdir())


LAUNCHERS = ["rageval", "joblib", "submitit_local"]  # basic: tests/test_cli.py


@pytest.fixture
def launched(request):
    """The words that choose a launcher."""
    name = request.param
    if name == "submitit_local" and importlib.util.find_spec("submitit") is None:
        pytest.skip("submitit is not installed: pip install 'rageval[submitit]'")
    more = {
        "joblib": ["hydra.launcher.n_jobs=2"],
        "submitit_local": ["hydra.launcher.timeout_min=5"],
    }
    return [f"hydra/launcher={name}", *more.get(name, [])]


OWN = """
class Broken:
    def index(self, passages):
        raise ZeroDivisionError("the index broke")

    def retrieve(self, question, limit, groups):
        return []

class Fine:
    def __init__(self, number=0):
        self.number = number

    def retrieve(self, question, limit, groups):
        return []
"""


def board(folder, name):
    (parent,) = runs(folder, "sweep")
    path = Path(parent.info.artifact_uri.removeprefix("file://")) / name
    content = json.loads(path.read_text())
    return [dict(zip(content["columns"], row, strict=True)) for row in content["data"]]


@pytest.mark.parametrize("launched", LAUNCHERS, indirect=True)
def test_every_launcher_leaves_the_same_board_failures_and_exit_code(
    program, tmp_path, tiny, launched
):
    (tmp_path / "own.py").write_text(OWN)  # a user's classes are found by the workers
    (tmp_path / "conf" / "retriever").mkdir(parents=True)
    (tmp_path / "conf/retriever/broken.yaml").write_text("_target_: own.Broken\n")
    (tmp_path / "conf/retriever/fine.yaml").write_text("_target_: own.Fine\n")
    words = ["-m", "--config-dir", "conf", "+retriever=bm25,broken,fine", "window.k=2,0", *tiny]
    said = program.run(tmp_path, *words, *BASE, *launched)
    assert said.code == 2, said.err  # window.k=0, and an index that the user must mend
    assert told(said).split(": ")[1].split(", ")[0] in {"2 done", "3 failed", "4 failed"}
    rows = board(tmp_path, "leaderboard.json")
    cells = [" ".join(row["cell"].split()[:2]) for row in rows]
    assert cells == ["retriever=bm25 window.k=2", "retriever=fine window.k=2"]
    failures = board(tmp_path, "failures.json")
    causes = {
        " ".join(row["cell"].split()[:2]): row["cause"].strip().splitlines()[-1] for row in failures
    }
    assert len(causes) == 4
    assert "ZeroDivisionError: the index broke" in causes["retriever=broken window.k=2"]
    assert "window.k" in causes["retriever=bm25 window.k=0"]
    (parent,) = runs(tmp_path, "sweep")
    assert parent.data.metrics["cache/rankings_computed"] == 1  # bm25's, wherever that was

    again = program.run(tmp_path, *words, *BASE, *launched)
    assert again.code == 2
    assert "2 resumed" in told(again)
    assert len([run for run in runs(tmp_path, "cell") if run.info.status == "FINISHED"]) == 2


SLOW = """
import os, signal, time
from pathlib import Path

class Slow:
    def __init__(self, number=0):
        self.number = number

    def index(self, passages):
        if self.number == 3 and not Path("died").exists():
            Path("died").touch()
            os.kill(os.getpid(), signal.SIGKILL)  # as the kernel does when memory is short
        Path(f"began-{self.number}").touch()

    def retrieve(self, question, limit, groups):
        time.sleep(0.1)
        return []
"""


@pytest.fixture
def slow(tmp_path, tiny):
    """A sweep of six cells of about half a second each on two processes."""
    (tmp_path / "slow_retriever.py").write_text(SLOW)
    return [
        "-m", "+retriever=custom", "retriever._target_=slow_retriever.Slow",
        "+retriever.number=0,1,2,3,4,5", *TWO, *tiny, *BASE,
    ]  # fmt: skip


def test_a_worker_that_is_killed_loses_what_was_in_flight_and_says_so(program, tmp_path, slow):
    said = program.run(tmp_path, *slow)
    assert said.code == 4, said.err
    found = re.search(r"6 cells: (?:(\d) done, )?(\d) failed(?:, (\d) done)?", said.out)
    lost = int(found[2])
    assert 1 <= lost <= 2, said.out  # its own, and at most that of the other process
    assert "retriever.number=3" in said.out.split("✗ failed:")[-1]
    assert "lost: a process that was at work ended unexpectedly" in " ".join(said.out.split())
    (parent,) = runs(tmp_path, "sweep")
    assert (parent.info.status, parent.data.metrics["sweep/failed"]) == ("FINISHED", lost)
    states = Counter(run.info.status for run in _children(tmp_path))
    assert states["FINISHED"] == 6 - lost
    assert states["RUNNING"] == 0

    again = program.run(tmp_path, *slow)
    assert again.code == 0, again.err
    assert told(again) == f"6 cells: {6 - lost} resumed, {lost} done"


def _children(folder):
    client = MlflowClient(f"sqlite:///{Path(folder).resolve()}/mlruns/mlflow.db")
    found = client.search_runs(["1"], max_results=1000)
    return [run for run in found if "mlflow.parentRunId" in run.data.tags]


def test_ctrl_c_ends_the_workers_and_leaves_no_run_open(program, tmp_path, slow):
    (tmp_path / "died").touch()  # nobody dies of his own accord here
    process = program.start(tmp_path, *slow)
    said = program.interrupted(process, tmp_path, "began-*")
    assert said.code == 130, said.err
    assert re.search(r"6 cells: .*[1-6] not begun", said.out)
    (parent,) = runs(tmp_path, "sweep")
    assert parent.info.status == "KILLED"
    assert "RUNNING" not in {run.info.status for run in _children(tmp_path)}
    assert not _at_work(tmp_path)


def _at_work(folder):
    """Return the processes that run in a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink() == folder:
                found.append((process / "cmdline").read_text())
        except OSError:
            continue
    return found


def test_on_error_stop_hands_no_more_cells_out(typed, tiny, monkeypatch):
    Path("own.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(Path.cwd()))
    names = "retriever._target_=own.Broken,own.Fine"
    words = ["-m", "+retriever=custom", names, "window.k=1,2,3,4", "sweep.on_error=stop"]
    said = typed(*words, *TWO, *tiny, *BASE, "tracking=off")
    assert said.code == 4
    assert re.search(r"8 cells: .*[1-9] not run", said.out), said.out
    assert "a cell failed before, and sweep.on_error=stop" in said.out


def test_what_a_lost_worker_had_finished_counts_as_done(typed, tiny, monkeypatch):
    def finish_and_vanish(self, cells, worker_task):
        for cell in cells:
            work(worker_task, cell)
            yield Lost(cell.number, "it vanished")

    monkeypatch.setattr(Processes, "run", finish_and_vanish)
    words = ["-m", "+retriever=bm25,tfidf", "window.k=1,2", *TWO, *tiny, *BASE]
    said = typed(*words)
    assert said.code == 0, said.err
    assert told(said) == "4 cells: 4 done"
    assert len({row["run"] for row in board(".", "leaderboard.json")}) == 4
    assert Counter(run.info.status for run in runs(".", "cell")) == {"FINISHED": 4}
    # Those of an earlier launch are not taken for what was lost now.
    again = typed(*words, "sweep.resume=false")
    assert told(again) == "4 cells: 4 done"
    assert len(runs(".", "cell")) == 8


def test_the_split_is_written_down_before_any_worker_could(typed, tiny, monkeypatch):
    def look(self, cells, worker_task):
        assert Path("split.lock").exists()
        for cell in cells:
            yield Lost(cell.number, "it vanished")

    monkeypatch.setattr(Processes, "run", look)
    said = typed("-m", "+retriever=bm25,tfidf", *TWO, *tiny, *BASE, "tracking=off")
    assert said.code == 4
    assert told(said) == "2 cells: 2 failed"


def test_a_worker_of_another_launcher_goes_to_the_folder_before_it_reads(tmp_path, monkeypatch):
    (tmp_path / "project").mkdir()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")  # as a Ray worker is started
    seen = []
    job = SimpleNamespace(job=SimpleNamespace(num=0))
    monkeypatch.setattr(foreign, "HydraConfig", SimpleNamespace(get=lambda: job))
    monkeypatch.setattr(foreign, "chosen", dict)
    monkeypatch.setattr(foreign, "plain", lambda composed: seen.append(Path.cwd()))
    monkeypatch.setattr(foreign, "work", lambda worker_task, cell: None)
    monkeypatch.setattr(sys, "path", list(sys.path))
    foreign.Chore(WorkerTask("e", str(tmp_path / "project"), None))(None)
    assert seen == [tmp_path / "project"]

"""Sweeps that meet: at once, after a kill, on a disk that is full."""

import contextlib
import re
import sqlite3
import threading
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from desk import TINY, Desk
from mlflow import MlflowClient
from tmpfs import mounted

from rageval.schema.process import Process
from rageval.tracking import claims
from rageval.tracking.settings import TrackingConfig
from rageval.tracking.store import locate, open_store

pytestmark = pytest.mark.thorough

BASE = ("latency.sample=0", *TINY)
SLOW = """
import pathlib, time

class Slow:
    def __init__(self, number=0):
        self.number = number

    def index(self, passages):
        pathlib.Path(f"begun-{self.number}").touch()
        time.sleep(0.3)
        while pathlib.Path("hold").exists():
            time.sleep(0.05)

    def retrieve(self, question, limit, groups):
        return []
"""
OWN = ("+retriever=custom", "retriever._target_=slow.Slow")


def store_of(folder):
    return MlflowClient(f"sqlite:///{folder}/mlruns/mlflow.db")


def cells(folder, status="FINISHED"):
    """Return how many runs each value of the swept key has."""
    client = store_of(folder)
    known = [found.experiment_id for found in client.search_experiments()]
    found = client.search_runs(known, max_results=1000)
    return Counter(
        (run.data.params.get("window.k"), run.data.params.get("retriever.number"))
        for run in found
        if run.data.tags.get("rageval.kind") == "cell" and run.info.status == status
    )


def held(folder):
    return [
        model.name
        for model in store_of(folder).search_registered_models()
        if model.name.startswith("rageval.cell.")
    ]


def at_work(folder):
    """Return the programs that work in a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (process / "cwd").readlink() == folder:
                found.append(process.name)
    return found


def wait_for(condition, seconds=90):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


# --- claims


@pytest.fixture
def store(tmp_path):
    config = TrackingConfig(enabled=True, uri=None, experiment="e", root=str(tmp_path))
    return open_store(locate(config, {}), "e")


def claim_of(store, owner, age=0.0):
    """Make the claim of another program on the cell `c`, renewed so many seconds ago."""
    with claims.claimed(store, "c") as mine:
        assert mine
        (name,) = [model.name for model in store.client.search_registered_models()]
    tags = {"rageval.owner": owner.text, "rageval.nonce": "theirs"}
    store.client.create_registered_model(name, tags=tags)
    with closing(sqlite3.connect(store.location.file)) as base, base:
        then = int((time.time() - age) * 1000)
        base.execute(
            "UPDATE registered_models SET creation_time = ?, last_updated_time = ?", [then, then]
        )


def claimed(store):
    with claims.claimed(store, "c") as mine:
        return mine


ENDED = Process(Process.this().host, 2**22 - 1, "1")
ELSEWHERE = Process("elsewhere", 1, "1")


@pytest.mark.parametrize(
    ("owner", "age", "free"),
    [
        (Process.this(), 3600, False),  # however long it takes: it is there
        (ENDED, 0, True),
        (ELSEWHERE, 1, False),
        (ELSEWHERE, claims.LEASE + 1, True),
    ],
)
def test_a_claim_holds_as_long_as_its_program_runs_or_renews_it(store, owner, age, free):
    claim_of(store, owner, age)
    assert claimed(store) is free
    claims.drop_abandoned(store)
    assert (store.client.search_registered_models() == []) is free


def test_of_many_that_take_over_an_abandoned_claim_one_has_it(store):
    claim_of(store, ENDED)
    ready, found, over = threading.Barrier(6), [], threading.Barrier(6)

    def take():
        ready.wait()
        with claims.claimed(store, "c") as mine:
            found.append(mine)
            over.wait()

    threads = [threading.Thread(target=take) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(found) <= 1
    assert claimed(store)


# --- sweeps at once


def test_overlapping_grids_at_once_evaluate_no_cell_twice(program, tmp_path):
    (tmp_path / "slow.py").write_text(SLOW)
    Desk(tmp_path).type("+retriever=bm25", *BASE)  # the lock of the set's split is there
    grids = ["1,2,3,4", "2,3,4,5"]
    words = ("-m", *OWN, *BASE)
    started = [program.start(tmp_path, *words, f"window.k={ks}") for ks in grids]
    said = [process.communicate()[0] for process in started]
    assert [process.returncode for process in started] == [0, 0], said
    assert cells(tmp_path) == {(str(k), None): 1 for k in range(1, 6)}
    told = [re.search(r"4 cells: .*", text)[0] for text in said]
    done = [int(number) for text in told for number in re.findall(r"(\d+) done", text)]
    assert sum(done) == 5  # the other three were taken from the other sweep
    assert held(tmp_path) == []


def test_the_orphans_of_a_killed_sweep_stop_and_the_same_command_doubles_nothing(program, tmp_path):
    (tmp_path / "slow.py").write_text(SLOW)
    words = (
        "-m", *OWN, "+retriever.number=1,2,3,4", *BASE,
        "hydra/launcher=joblib", "hydra.launcher.n_jobs=2",
    )  # fmt: skip
    hold = tmp_path / "hold"
    hold.touch()
    process = program.start(tmp_path, *words)
    wait_for(lambda: len(list(tmp_path.glob("begun-*"))) == 2)
    process.kill()
    wait_for(lambda: not at_work(tmp_path))  # the workers end, though nobody has told them
    process.communicate()
    hold.unlink()
    said = program.run(tmp_path, *words)
    assert (said.code, "4 cells: 4 done" in said.out) == (0, True), said
    assert cells(tmp_path) == {("6", str(n)): 1 for n in range(1, 5)}
    client = store_of(tmp_path)
    (experiment,) = client.search_experiments(filter_string="name = 'tiny'")
    below = client.search_runs([experiment.experiment_id], "tags.`mlflow.parentRunId` LIKE '%'")
    assert Counter(run.info.status for run in below) == {"FINISHED": 4, "KILLED": 2}
    assert held(tmp_path) == []


def test_a_full_disk_stops_the_sweep_and_names_the_cells_that_are_left(tmp_path, program):
    (tmp_path / "disk").mkdir()
    with mounted(tmp_path / "disk" / "full", "6m") as disk:
        root = f"tracking.root={disk.folder}/mlruns"
        words = ("-m", "+retriever=bm25,tfidf", "window.k=1,2,3,4,5,6,7,8", *BASE, root)
        assert program.run(tmp_path, "+retriever=bm25", *BASE, root).code == 0
        filler = disk / "filler"
        with filler.open("wb") as file:
            file.write(bytes(max(0, disk.free - 400_000)))
        said = program.run(tmp_path, *words)
        assert said.code == 4, said
        number = {
            state: int(found[1])
            for state in ("done", "failed", "not run")
            if (found := re.search(rf"cells: .*?(\d+) {state}", said.out))
        }
        assert number["failed"] == 1, said.out
        assert number["not run"] == 16 - number.get("done", 0) - 1
        (left,) = re.findall(r"✗ not run: (.*?) the store took", " ".join(said.out.split()))
        assert len(left.split("; ")) == number["not run"]  # each by its name
        assert "the store took no more results; type the command again to go on" in said.out
        assert "Traceback" not in said.out + said.err
        filler.unlink()
        done = number.get("done", 0)
        said = program.run(tmp_path, *words, "sweep.dry_run=true")
        assert f"{done} were finished before" in said.out or done == 0, said

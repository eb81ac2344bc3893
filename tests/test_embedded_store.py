"""The store that rageval keeps itself: its first start may be killed, its folder may move."""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from desk import LOCAL, QUICK, TINY, Desk
from mlflow import MlflowClient
from sqlalchemy.exc import OperationalError
from tmpfs import mounted

import rageval
from rageval.errors import UnreachableError
from rageval.tracking.settings import TrackingConfig
from rageval.tracking.store import locate, open_store

KILLS = 50 if os.environ.get("RAGEVAL_NIGHTLY") == "1" else 2
OPENING = """
import sys
from rageval.tracking.settings import TrackingConfig
from rageval.tracking.store import locate, open_store

config = TrackingConfig(enabled=True, uri=None, experiment="e", root=sys.argv[1])
open_store(locate(config, {}), "e")
"""


def opened(root):
    config = TrackingConfig(enabled=True, uri=None, experiment="e", root=str(root))
    return open_store(locate(config, {}), "e")


def usable(store):
    run = store.client.create_run(store.experiment)
    store.client.set_terminated(run.info.run_id, "FINISHED")
    store.client.create_registered_model("m")
    return [found.info.status for found in store.client.search_runs([store.experiment])]


# --- the first start


def killed_while_made(root, delay):
    """Start a program that makes a store, and kill it so many seconds after it has begun."""
    path = str(Path(rageval.__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, "-c", OPENING, str(root)],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + 60
    while not list(root.glob(".mlflow.db.*")) and process.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.005)
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.wait()


@pytest.mark.thorough
def test_a_kill_while_the_store_is_made_leaves_one_that_the_next_command_can_use(tmp_path):
    draw = random.Random(0)
    for number in range(KILLS):
        root = tmp_path / str(number)
        root.mkdir()
        killed_while_made(root, draw.uniform(0, 0.8))
        assert usable(opened(root)) == ["FINISHED"]
        assert list(root.glob(".mlflow.db.*")) == []  # nothing is left of the one that was killed


def test_a_store_that_was_left_half_made_is_made_again(tmp_path):
    # What a kill between two steps of MLflow's migration leaves: tables, and none of them noted.
    file = tmp_path / "mlflow.db"
    opened(tmp_path)
    with closing(sqlite3.connect(file)) as base, base:
        for table in ("experiments", "alembic_version", "workspaces"):
            base.execute(f"DELETE FROM {table}")
        base.execute("DROP TABLE webhooks")
    spoilt = tmp_path / "spoilt.db"
    shutil.copy(file, spoilt)
    with pytest.raises(OperationalError, match="duplicate column|already exists"):
        MlflowClient(f"sqlite:///{spoilt}").search_experiments()  # for good, as MLflow sees it
    (tmp_path / "half").mkdir()
    file.replace(tmp_path / "half" / "mlflow.db")
    assert usable(opened(tmp_path / "half")) == ["FINISHED"]


def test_an_empty_file_in_the_place_of_the_store_becomes_one(tmp_path):
    (tmp_path / "mlflow.db").touch()
    assert usable(opened(tmp_path)) == ["FINISHED"]


def test_a_database_with_a_row_of_somebody_else_is_never_made_again(tmp_path):
    file = tmp_path / "mlflow.db"
    with closing(sqlite3.connect(file)) as base, base:
        base.execute("CREATE TABLE notes (text)")
        base.execute("INSERT INTO notes VALUES ('mine')")
    opened(tmp_path)  # MLflow adds its tables
    with closing(sqlite3.connect(file)) as base:
        assert base.execute("SELECT text FROM notes").fetchall() == [("mine",)]


# --- a folder that moves


def settled(folder):
    """Return a project with a champion, its data beside it so that all of it can move."""
    shutil.copytree(Path(__file__).parent / "data" / "tiny", folder / "tiny")
    desk = Desk(folder)
    run = desk.evaluate("+retriever=bm25", dataset=LOCAL)
    assert desk.promote(run).code == 0
    return desk, run


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return settled(tmp_path_factory.mktemp("original") / "project")


@pytest.fixture
def project(original, tmp_path):
    """A copy of the project in its first place, as it was, and nothing else that knows of it."""
    desk, run = original
    kept = tmp_path / "kept"
    shutil.copytree(desk.folder, kept)
    yield desk.folder, run
    shutil.rmtree(desk.folder, ignore_errors=True)
    shutil.copytree(kept, desk.folder)


def paths(folder):
    """Return every place that the database of a project names."""
    with closing(sqlite3.connect(folder / "mlruns" / "mlflow.db")) as base:
        return [
            place
            for table, column in (
                ("experiments", "artifact_location"), ("runs", "artifact_uri"),
                ("model_versions", "source"), ("model_versions", "storage_location"),
            )
            for (place,) in base.execute(f"SELECT {column} FROM {table}")
        ]  # fmt: skip


def below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.parametrize("name", ["renamed", "50% off?", "a #1 & b", "größer"])
def test_a_renamed_project_goes_on_with_its_champion(project, tmp_path, name):
    folder, run = project
    there = tmp_path / name
    shutil.move(folder, there)
    desk = Desk(there)
    said = desk.type("+retriever=tfidf", *LOCAL, *QUICK)
    told = f"note: this store was moved from {folder / 'mlruns'}: the paths of its 2 runs lead to"
    assert (said.code, said.out.count(told)) == (0, 1), said
    said = desk.type("gate", "dataset.name=tiny")
    assert (said.code, "against the champion bm25" in said.out) == (0, True), said
    assert "this store was moved" not in said.out  # once is enough
    assert not folder.exists()
    assert {place.startswith((there / "mlruns").as_uri()) for place in paths(there)} == {True}
    assert (there / "mlruns" / "mlflow.db.before-move").exists()
    assert not [path for path in tmp_path.iterdir() if path.name not in {name, "kept"}]


def test_a_copied_project_leaves_the_original_alone(project, tmp_path):
    folder, run = project
    copy = Desk(tmp_path / "copy")
    shutil.copytree(folder, copy.folder)
    before = below(folder)
    said = copy.type("+retriever=tfidf", *LOCAL, *QUICK)
    assert (said.code, f"copied from {folder / 'mlruns'}" in said.out) == (0, True), said
    assert copy.type("gate", "dataset.name=tiny").code == 0
    assert copy.type("prune", "dataset.name=tiny", "prune.keep=0", "prune.what=text",
                     "prune.apply=true").code == 0  # fmt: skip
    assert below(folder) == before
    said = Desk(folder).type("gate", f"gate.run={run}", "dataset.name=tiny")
    assert (said.code, "is the baseline's own run" in said.err) == (3, True)  # it reads its own


def test_artifacts_that_are_in_the_old_place_alone_are_fetched(project, tmp_path):
    # What a version before this one wrote after the folder was moved went to the old place.
    folder, run = project
    there = tmp_path / "there"
    shutil.copytree(folder, there)
    shutil.rmtree(there / "mlruns" / "artifacts" / "tiny" / run)
    said = Desk(there).type("report", f"run={run}", "dataset.name=tiny", "open=false")
    assert said.code == 0, said
    assert (there / "mlruns" / "artifacts" / "tiny" / run / "artifacts" / "report.html").exists()


def test_a_store_that_is_reached_by_a_link_is_where_it_lies(project, tmp_path):
    folder, run = project
    link = tmp_path / "link"
    link.mkdir()
    (link / "mlruns").symlink_to(folder / "mlruns")
    before = paths(folder)
    said = Desk(link).type("report", f"run={run}", "dataset.name=tiny", "open=false")
    assert (said.code, "moved" in said.out) == (0, False)
    assert paths(folder) == before


@pytest.mark.parametrize("root", ["file:///C:/Users/eva/my%20project/mlruns", "/srv/eva/mlruns"])
def test_a_store_of_another_machine_is_taken_over(project, root):
    folder, run = project
    here = (folder / "mlruns").as_uri()
    with closing(sqlite3.connect(folder / "mlruns" / "mlflow.db")) as base, base:
        for table, column in (("experiments", "artifact_location"), ("runs", "artifact_uri")):
            base.execute(f"UPDATE {table} SET {column} = replace({column}, ?, ?)", (here, root))
    said = Desk(folder).type("report", f"run={run}", "dataset.name=tiny", "open=false")
    assert (said.code, "this store was moved from" in said.out) == (0, True), said


def test_an_experiment_that_keeps_its_artifacts_elsewhere_by_choice_goes_on_doing_so(tmp_path):
    elsewhere = tmp_path / "disk" / "artifacts" / "mine"
    elsewhere.mkdir(parents=True)
    root = tmp_path / "mlruns"
    client = opened(root).client
    client.create_experiment("mine", artifact_location=elsewhere.as_uri())
    assert opened(root).notes == ()
    assert client.get_experiment_by_name("mine").artifact_location == elsewhere.as_uri()


def test_a_moved_store_that_cannot_be_written_is_one_sentence(project, tmp_path):
    folder, run = project
    with mounted(tmp_path / "disk", "16m") as disk:
        shutil.copytree(folder / "mlruns", disk / "mlruns")
        disk.remount("ro")
        config = TrackingConfig(
            enabled=True, uri=None, experiment="tiny", root=str(disk / "mlruns")
        )
        with pytest.raises(UnreachableError, match=r"cannot be used: .*[Rr]ead-only file system"):
            open_store(locate(config, {}), "tiny", make=False)
    said = Desk(folder).type("report", f"run={run}", *TINY[-1:], "open=false")
    assert said.code == 0

"""Runs whose program was killed: the next command closes them, and takes none for a result."""

import time

import pytest
from desk import QUICK, TINY, Desk

from rageval.schema.process import Process
from rageval.tracking.run import PROCESS

pytestmark = pytest.mark.thorough

SLOW = """
import pathlib, time

class Slow:
    def index(self, passages):
        pathlib.Path("begun").touch()
        time.sleep(60)

    def retrieve(self, question, limit, groups):
        return []
"""


def statuses(desk):
    known = [found.experiment_id for found in desk.client.search_experiments()]
    return {run.info.run_id: run.info.status for run in desk.client.search_runs(known)}


def killed(program, folder, *words):
    """Kill a program while it evaluates."""
    (folder / "slow.py").write_text(SLOW)
    slow = ("+retriever=custom", "retriever._target_=slow.Slow")
    process = program.start(folder, *words, *slow, *TINY, *QUICK)
    end = time.monotonic() + 60
    while not (folder / "begun").exists() and time.monotonic() < end:
        time.sleep(0.05)
    process.kill()
    process.communicate()


@pytest.fixture(scope="module")
def desk(tmp_path_factory, program):
    found = Desk(tmp_path_factory.mktemp("desk"))
    found.first = found.evaluate("+retriever=bm25")
    killed(program, found.folder)
    return found


def test_a_run_whose_program_was_killed_is_closed_by_the_next_command(desk):
    assert sorted(statuses(desk).values()) == ["FINISHED", "RUNNING"]
    said = desk.type("report", "run=latest", "dataset.name=tiny", "open=false")
    assert (said.code, desk.first in said.out) == (0, True)  # the newest finished run is meant
    assert sorted(statuses(desk).values()) == ["FINISHED", "KILLED"]


def test_a_run_whose_program_is_at_work_or_on_another_machine_is_left_alone(desk):
    experiment = desk.client.get_experiment_by_name("tiny").experiment_id
    elsewhere = Process("elsewhere", 1, "1").text
    runs = [
        desk.client.create_run(experiment, tags=tags).info.run_id
        for tags in ({PROCESS: Process.this().text}, {PROCESS: elsewhere}, {}, {PROCESS: "x"})
    ]
    assert desk.type("report", "dataset.name=tiny", "open=false").code == 0
    assert {statuses(desk)[run] for run in runs} == {"RUNNING"}
    for run in runs:
        desk.client.set_terminated(run, "FAILED")


def test_a_number_that_the_system_has_given_to_another_program_does_not_keep_a_run_open(desk):
    now = Process.this()
    tags = {PROCESS: Process(now.host, now.pid, "1").text}  # this number, begun at another time
    experiment = desk.client.get_experiment_by_name("tiny").experiment_id
    run = desk.client.create_run(experiment, tags=tags).info.run_id
    assert desk.type("report", "dataset.name=tiny", "open=false").code == 0
    assert statuses(desk)[run] == "KILLED"

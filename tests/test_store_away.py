"""A store that is down, hangs, refuses or answers rubbish: one sentence in time, nothing lost."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from desk import QUICK, TINY, Desk
from faulty import MODES, Proxy
from postgres import Postgres, programs
from server import Server

from rageval.tracking import delivery
from rageval.tracking import run as runs_of
from rageval.tracking.outbox import folders

NIGHTLY = os.environ.get("RAGEVAL_NIGHTLY") == "1"
# They hold a real server to seconds, which a machine that is busy with other tests cannot keep.
pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not NIGHTLY, reason="takes a quiet machine: RAGEVAL_NIGHTLY=1"),
]

SAMPLE = MODES if NIGHTLY else ("hang", "403", "rubbish", "half")
TIMEOUT = 6  # seconds, as given by tracking.timeout
SOON = 30  # seconds: that, and all the rest of a command on a busy machine; MLflow's own is minutes


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    found = Server(tmp_path_factory.mktemp("server"))
    yield found
    found.kill()


@pytest.fixture(scope="module")
def proxy(server):
    found = Proxy(server.uri)
    yield found
    found.close()


def wait_until_idle(uri):
    """Let the server get over what an earlier test left hanging, and over its cold start."""
    end, quick = time.monotonic() + 60, 0
    while quick < 3 and time.monotonic() < end:
        begun = time.monotonic()
        try:
            place = f"{uri}/api/2.0/mlflow/experiments/search?max_results=1"
            with urllib.request.urlopen(place, timeout=10):
                quick = quick + 1 if time.monotonic() - begun < 0.5 else 0
        except OSError:
            quick = 0
            time.sleep(0.2)


@pytest.fixture
def desk(proxy, tmp_path):
    proxy.behave()
    wait_until_idle(proxy.uri)
    found = Desk(tmp_path, proxy.uri)
    found.store = (*found.store, f"tracking.timeout={TIMEOUT}")
    yield found
    proxy.behave()


def evaluate(desk, *words):
    begun = time.monotonic()
    said = desk.type("+retriever=bm25", *TINY, *QUICK, *words)
    return said, time.monotonic() - begun


def lose(desk, proxy, experiment, times=1):
    """Make runs whose results the store does not take."""
    for _ in range(times):
        proxy.misbehave("rubbish", "log-batch")
        said, _ = evaluate(desk, f"tracking.experiment={experiment}")
        assert (said.code, "its results are kept in" in said.err) == (4, True), said
        proxy.behave()


def kept(desk):
    return folders(desk.folder / "mlruns" / "outbox")


def finished(desk, experiment):
    found = desk.client.get_experiment_by_name(experiment)
    runs = desk.client.search_runs([found.experiment_id])
    return [run.info.run_id for run in runs if run.info.status == "FINISHED"]


@pytest.mark.parametrize("mode", MODES)
def test_a_store_that_misbehaves_at_the_start_is_one_sentence_in_time(desk, proxy, mode):
    proxy.misbehave(mode)
    said, seconds = evaluate(desk)
    assert said.code == 4, said
    assert said.err.startswith(f"tracking store {proxy.uri} ")
    assert (said.err.count("\n"), said.out) == (1, "")
    assert seconds < SOON
    assert ("refuses access" in said.err) == (mode == "403")
    assert kept(desk) == []


@pytest.mark.parametrize("mode", SAMPLE)
def test_a_store_that_misbehaves_when_results_are_written_loses_none(desk, proxy, mode):
    name = f"mode-{mode.replace(' ', '-')}"
    experiment = f"tracking.experiment={name}"
    proxy.misbehave(mode, "log-batch")
    said, seconds = evaluate(desk, experiment)
    assert said.code == 4, said
    (folder,) = kept(desk)
    shown = folder.relative_to(desk.folder)
    assert said.err.count("\n") == 1, said.err
    assert f"its results are kept in {shown}, and `python -m rageval sync` delivers" in said.err
    assert "went away" not in said.err
    assert "hit@1" in said.out  # they are shown all the same
    assert "next: python -m rageval sync tracking" in said.out
    assert seconds < SOON
    proxy.behave()
    said = desk.type("sync")
    assert (said.code, "1 result delivered" in said.out) == (0, True), said
    (run,) = finished(desk, name)
    assert kept(desk) == []
    assert (
        desk.type("report", f"run={run}", "open=false", "dataset.name=tiny", experiment).code == 0
    )


def test_what_is_delivered_is_what_a_run_would_have_been(desk, proxy):
    straight = desk.evaluate("+retriever=bm25", "tracking.experiment=straight")
    proxy.misbehave("rubbish", "artifacts")  # half of it has been written by then
    evaluate(desk, "tracking.experiment=late")
    proxy.behave()
    assert desk.type("sync").code == 0
    (late,) = finished(desk, "late")
    one, two = desk.client.get_run(straight), desk.client.get_run(late)
    loose = re.compile(r"rageval\.(command|process|seals)|mlflow.note|tracking\.experiment")

    def same(values):
        return {key: value for key, value in values.items() if not loose.match(key)}

    assert same(one.data.params) == same(two.data.params)
    assert one.data.metrics == two.data.metrics
    assert same(one.data.tags) == same(two.data.tags)
    assert len(desk.client.get_metric_history(late, "all/n")) == 1  # not doubled
    assert len(two.inputs.dataset_inputs) == len(one.inputs.dataset_inputs) == 2
    gate = ("gate", f"gate.run={late}", "dataset.name=tiny", "tracking.experiment=late")
    assert desk.type(*gate).code == 0  # its seals are whole


def test_results_that_wait_are_mentioned_by_the_next_command(desk, proxy):
    lose(desk, proxy, "tiny")
    said, _ = evaluate(desk)
    assert "note: 1 result waits to be delivered: python -m rageval sync tracking.uri=" in said.out
    assert desk.type("sync").code == 0
    said = desk.type("sync")
    assert (said.code, "nothing waits in mlruns/outbox" in said.out) == (0, True)


def test_a_store_that_goes_away_while_results_are_delivered_gets_them_the_next_time(desk, proxy):
    lose(desk, proxy, "three", 2)
    proxy.misbehave("hang", "log-batch")
    said = desk.type("sync")
    assert (said.code, "does not answer within 4 s" in said.err) == (4, True), said
    assert len(kept(desk)) == 2
    proxy.behave()
    assert desk.type("sync").code == 0
    assert len(finished(desk, "three")) == 2


def test_a_refusal_is_not_a_store_that_went_away(desk, proxy, monkeypatch):
    # A key that MLflow does not take, as a bug of ours would send it.
    monkeypatch.setattr(runs_of, "parameter_key", lambda path: f"{path}^3")
    said, _ = evaluate(desk, "tracking.experiment=refused")
    assert said.code == 4
    assert f"tracking store {proxy.uri} refuses to keep what run" in said.err
    assert not re.search("went away|does not answer", said.err)
    said = desk.type("sync")  # refused again: it stays, and says so
    assert (said.code, "✗ mlruns/outbox/" in said.out, len(kept(desk))) == (4, True, 1)
    monkeypatch.undo()
    assert desk.type("sync").code == 0


def test_an_entry_that_cannot_be_read_or_is_for_another_store_stays_and_is_named(desk, proxy):
    lose(desk, proxy, "mixed", 3)
    first, second, _ = kept(desk)
    (first / "entry.json").write_text("{")
    facts = json.loads((second / "entry.json").read_text())
    (second / "entry.json").write_text(json.dumps({**facts, "store": "http://elsewhere"}))
    said = desk.type("sync")
    assert said.code == 4
    assert f"✗ {first.relative_to(desk.folder)} cannot be read: JSONDecodeError" in said.out
    assert "is for the store http://elsewhere: name that by tracking.uri" in said.out
    assert "1 result delivered, 2 left in mlruns/outbox" in said.out
    assert len(finished(desk, "mixed")) == 1


def test_a_run_that_the_store_has_lost_is_made_again_once(desk, proxy, monkeypatch):
    lose(desk, proxy, "lost")
    (folder,) = kept(desk)
    facts = json.loads((folder / "entry.json").read_text())
    (folder / "entry.json").write_text(json.dumps({**facts, "run": "0" * 32}))
    monkeypatch.setattr(delivery, "write", lambda *words: 1 / 0)  # a kill, once the run is made
    assert desk.type("sync").code == 70
    monkeypatch.undo()
    assert desk.type("sync").code == 0
    assert len(finished(desk, "lost")) == 1
    found = desk.client.get_experiment_by_name("lost").experiment_id
    assert len(desk.client.search_runs([found])) == 2  # with the one that was begun and lost


KILLED = """
import os, random, signal, sys, threading, time
from rageval.cli.main import run_command
from rageval.cli.commands import sync

def soon(number):
    def kill(*words):
        time.sleep(random.Random(number).uniform(0, 0.25))
        os.kill(os.getpid(), signal.SIGKILL)
    return kill

real, number = sync.deliver, int(sys.argv.pop(1))

def deliver(*words):
    threading.Thread(target=soon(number), daemon=True).start()
    return real(*words)

sync.deliver = deliver
words, sys.argv = sys.argv[1:], ["rageval"]
sys.exit(run_command(words))
"""


def test_a_kill_while_results_are_delivered_doubles_nothing(desk, proxy, program):
    lose(desk, proxy, "killed", 2)
    for number in range(2):
        subprocess.run(
            [sys.executable, "-c", KILLED, str(number), "sync", *desk.store],
            cwd=desk.folder, env=program.environment, capture_output=True, check=False,
        )  # fmt: skip
    assert desk.type("sync").code == 0
    runs = finished(desk, "killed")
    assert (len(runs), kept(desk)) == (2, [])
    for run in runs:
        assert len(desk.client.get_metric_history(run, "all/n")) == 1
        assert len(desk.client.get_run(run).inputs.dataset_inputs) == 2


def test_held_out_values_that_were_paid_for_are_not_lost(desk, proxy):
    words = ("dataset=markdown", *TINY[1:], "dataset.split.dev_share=0.5")
    run = desk.evaluate("+retriever=bm25", dataset=words)
    proxy.misbehave("rubbish", "log-batch")
    said = desk.type("holdout", f"run={run}", "reason=why", "dataset.name=tiny")
    assert (said.code, "its results are kept in" in said.err) == (4, True), said
    proxy.behave()
    assert desk.type("sync").code == 0
    (entry,) = finished(desk, "tiny-holdout")
    assert "gap/recall" in desk.client.get_run(entry).data.metrics


# --- PostgreSQL


@pytest.fixture(scope="module")
def postgres():
    if programs() is None:
        pytest.skip("PostgreSQL is not installed (initdb and pg_ctl)")
    found = Postgres(programs())
    yield found
    found.stop()
    shutil.rmtree(found.folder, ignore_errors=True)


def test_postgresql_that_is_stopped_in_the_middle_loses_nothing(postgres, tmp_path, monkeypatch):
    desk = Desk(tmp_path, postgres.url)
    desk.store = (*desk.store, "tracking.timeout=5")
    desk.evaluate("+retriever=bm25")
    real = runs_of._log_values

    def stopped_first(*words):
        postgres.stop()
        return real(*words)

    monkeypatch.setattr(runs_of, "_log_values", stopped_first)
    said, seconds = evaluate(desk)
    monkeypatch.undo()
    try:
        assert (said.code, len(kept(desk))) == (4, 1), said
        assert said.err.startswith("tracking store postgresql+psycopg://(secret)@127.0.0.1:")
        assert "s3cret" not in said.err
        said, seconds = evaluate(desk)  # and one that is down before
        assert (said.code, said.err.count("\n"), said.out) == (4, 1, ""), said
        assert seconds < SOON
    finally:
        postgres.start()
    assert desk.type("sync").code == 0
    assert len(finished(desk, "tiny")) == 2


def test_postgresql_that_hangs_is_given_up_in_time(postgres, tmp_path):
    desk = Desk(tmp_path, postgres.url)
    desk.store = (*desk.store, f"tracking.timeout={TIMEOUT}")
    (main,) = Path(postgres.data).glob("postmaster.pid")
    number = main.read_text().split()[0]
    subprocess.run(["pkill", "-STOP", "-P", number], check=False)
    subprocess.run(["kill", "-STOP", number], check=True)
    try:
        said, seconds = evaluate(desk)
        assert said.code == 4
        assert f"does not answer within {TIMEOUT} s (tracking.timeout)" in said.err
        assert seconds < SOON
    finally:
        subprocess.run(["kill", "-CONT", number], check=True)
        subprocess.run(["pkill", "-CONT", "-P", number], check=False)

"""Sweeps as users run them: parent and children, again, broken off, failing in part."""

import json
import re
import signal
import sqlite3
import time
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock
from mlflow import MlflowClient
from rich.console import Console

from rageval.evaluation.subsets import Summary
from rageval.sweep.leaderboard import best_by_subset, leaderboard, main_effects
from rageval.sweep.result import DONE, CellResult
from rageval.sweep.session import Session

BASE = ["latency.sample=0"]
GRID = ["-m", "+retriever=bm25,tfidf", "window.k=1,2"]


def client(folder="."):
    return MlflowClient(f"sqlite:///{Path(folder).resolve()}/mlruns/mlflow.db")


def runs(folder=".", kind=None):
    found = client(folder).search_runs(["1"], max_results=1000)
    return [run for run in found if kind is None or run.data.tags.get("rageval.kind") == kind]


def table(run, name):
    path = Path(run.info.artifact_uri.removeprefix("file://")) / name
    content = json.loads(path.read_text())
    return [dict(zip(content["columns"], row, strict=True)) for row in content["data"]]


def told(said):
    return next(line for line in said.out.splitlines() if re.match(r"\d+ cells: ", line))


@pytest.mark.thorough
def test_the_parent_holds_what_its_children_found(typed, tiny):
    first = typed(*GRID, *tiny, *BASE)
    assert first.code == 0, first.err
    assert told(first) == "4 cells: 4 done"
    (parent,) = runs(kind="sweep")
    cells = runs(kind="cell")
    assert parent.info.status == "FINISHED"
    assert {run.data.tags["mlflow.parentRunId"] for run in cells} == {parent.info.run_id}
    params = {(run.data.params["retriever"], run.data.params["window.k"]) for run in cells}
    assert params == {(name, k) for name in ("bm25", "tfidf") for k in "12"}
    assert parent.data.params == {"sweep.retriever": "bm25, tfidf", "sweep.window.k": "1, 2"}
    assert parent.data.metrics["sweep/cells"] == parent.data.metrics["sweep/done"] == 4
    assert parent.data.metrics["cache/rankings_computed"] == 2

    board = table(parent, "leaderboard.json")
    assert [row["place"] for row in board] == [1, 2, 3, 4]
    values = {run.info.run_id: run.data.metrics["all/hit_rate_at_3"] for run in cells}
    assert {row["run"]: row["hit_rate_at_3"] for row in board} == values
    assert board[0]["hit_rate_at_3"] == max(values.values())
    for row in table(parent, "main_effects.json"):
        inside = [values[r.info.run_id] for r in cells if r.data.params[row["key"]] == row["value"]]
        assert (row["cells"], row["mean hit_rate_at_3"]) == (2, pytest.approx(np.mean(inside)))
    for row in table(parent, "best_by_subset.json"):
        key = f"{row['subset']}/hit_rate_at_3"
        assert row["hit_rate_at_3"] == max(run.data.metrics[key] for run in cells)
    assert table(parent, "failures.json") == []
    folder = Path(parent.info.artifact_uri.removeprefix("file://"))
    for picture in ("pareto", "heatmap"):
        assert (folder / f"plots/{picture}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.thorough
def test_the_same_again_runs_nothing_and_a_grown_grid_what_is_new(typed, tiny):
    assert typed(*GRID, *tiny, *BASE).code == 0
    again = typed(*GRID, *tiny, *BASE, "output.questions=none")
    assert told(again) == "4 cells: 4 resumed"
    assert len(runs()) == 5

    grown = typed(GRID[0], GRID[1], "window.k=2,1,3", *tiny, *BASE)
    assert told(grown) in {"6 cells: 4 resumed, 2 done", "6 cells: 2 done, 4 resumed"}
    assert len(runs(kind="cell")) == 6

    forced = typed(*GRID, *tiny, *BASE, "sweep.resume=false")
    assert told(forced) == "4 cells: 4 done"
    assert len(runs(kind="sweep")) == 2  # the same cells are the same sweep

    gate = typed("gate", tiny[0], "tracking.experiment=tiny", "dataset.name=tiny")
    assert gate.code != 0  # no single run: a cell is no candidate


def test_the_order_of_a_grid_names_no_other_sweep():
    def name(*grid):
        return Session(list(grid), Console()).id

    one, two = ("retriever=bm25", "window.k=1"), ("retriever=bm25", "window.k=2")
    assert name(one, two) == name(two, one)
    assert name(one, two) == name((*one, "sweep.resume=false"), (*two, "cache=disk"))
    assert name(one) != name(two)


@pytest.mark.thorough
def test_a_lost_table_is_made_anew(typed, tiny):
    words = ["-m", "+retriever=bm25", "window.k=1,2", *tiny, *BASE]
    assert typed(*words).code == 0
    for file in Path("mlruns/artifacts").rglob("questions.json"):
        file.unlink()
    assert told(typed(*words)) == "2 cells: 2 done"


def test_a_dry_run_writes_nothing(typed, tiny):
    said = typed(*GRID, *tiny, "sweep.dry_run=true")
    assert said.code == 0
    assert told(said) == "4 cells: 4 planned"
    assert "1 chunkings and 2 retrievers on them are needed" in said.out
    assert not list(Path.cwd().iterdir())


def test_a_misspelt_choice_stops_everything_before_any_work(typed, tiny):
    said = typed("-m", "+retriever=bm25,bm52", *tiny, *BASE)
    assert said.code == 2
    assert "retriever=bm52: no such choice, did you mean bm25? there are: bm25" in said.err
    assert not list(Path.cwd().iterdir())


def test_an_impossible_cell_is_skipped_and_said(typed, tiny):
    said = typed("-m", "+retriever=bm25,tfidf", "retriever.k1=1,2", *tiny, "tracking=off", *BASE)
    assert said.code == 0
    assert told(said) == "4 cells: 2 done, 2 skipped"
    assert "✗ skipped: retriever=tfidf retriever.k1=1; retriever=tfidf" in said.out
    assert "retriever.k1: unknown key" in said.out


def test_a_value_out_of_range_fails_its_cells_alone(typed, tiny):
    said = typed("-m", "+retriever=bm25", "window.k=1,0", *tiny, "tracking=off", *BASE)
    assert said.code == 2
    assert told(said) == "2 cells: 1 done, 1 failed"
    assert "window.k: should be greater than or equal to 1, got 0" in said.out


@pytest.mark.parametrize("launcher", ["rageval", "basic"])
def test_the_cells_of_a_sweep_are_not_registered(typed, tiny, launcher):
    said = typed(*GRID, *tiny, "register=true", f"hydra/launcher={launcher}")
    assert said.code == 2
    assert "register=true is for a run of its own" in said.err
    assert not Path("mlruns/mlflow.db").exists()


BROKEN = """
class Broken:
    def index(self, passages):
        raise ZeroDivisionError("the index broke")

    def retrieve(self, question, limit, groups):
        return []
"""


@pytest.fixture
def broken(typed, monkeypatch):
    Path("broken_retriever.py").write_text(BROKEN)
    Path("conf/retriever").mkdir(parents=True)
    Path("conf/retriever/broken.yaml").write_text("_target_: broken_retriever.Broken\n")
    monkeypatch.syspath_prepend(str(Path.cwd()))
    return ["-m", "--config-dir", "conf", "+retriever=bm25,broken,tfidf"]


def test_a_failing_cell_stops_no_other(typed, tiny, broken):
    said = typed(*broken, *tiny, *BASE)
    assert said.code == 2  # a user's class that cannot index is the user's to mend
    assert told(said) == "3 cells: 2 done, 1 failed"
    assert "✗ failed: retriever=broken" in said.out
    assert "ZeroDivisionError: the index broke" in said.out
    (parent,) = runs(kind="sweep")
    (row,) = table(parent, "failures.json")
    assert (row["state"], "the index broke" in row["cause"]) == ("failed", True)
    assert "retriever=broken" in row["cell"]
    assert parent.data.metrics["sweep/failed"] == 1
    states = sorted(run.info.status for run in runs())
    assert states == ["FAILED", "FINISHED", "FINISHED", "FINISHED"]
    again = typed(*broken, *tiny, *BASE)
    assert told(again) == "3 cells: 2 resumed, 1 failed"


def test_what_breaks_a_cell_unforeseen_leaves_it_unfinished(typed, tiny, monkeypatch):
    Path("broken_chunker.py").write_text(
        "class Broken:\n    def spans(self, document):\n        raise ZeroDivisionError('cut')\n"
    )
    Path("conf/chunking").mkdir(parents=True)
    Path("conf/chunking/broken.yaml").write_text("_target_: broken_chunker.Broken\n")
    monkeypatch.syspath_prepend(str(Path.cwd()))
    words = ["-m", "--config-dir", "conf", "+retriever=bm25", "chunking=broken,whole"]
    said = typed(*words, *tiny, *BASE, "tracking=off")
    assert said.code == 4
    assert told(said) == "2 cells: 1 failed, 1 done"
    assert "ZeroDivisionError: cut" in said.out


def test_on_error_stop_leaves_the_others(typed, tiny, broken):
    said = typed(*broken, *tiny, *BASE, "sweep.on_error=stop", "tracking=off")
    assert said.code == 4
    assert told(said) == "3 cells: 1 done, 1 failed, 1 not run"
    assert "✗ not run: retriever=tfidf" in said.out
    assert "a cell failed before, and sweep.on_error=stop" in said.out


def test_a_store_that_is_away_stops_all_cells_at_once(typed, tiny):
    said = typed(*GRID, *tiny, "tracking.uri=http://127.0.0.1:9")
    assert said.code == 4
    assert told(said) == "4 cells: 1 failed, 3 not run"


SLOW = """
import time

class Slow:
    def __init__(self, number=0):
        self.number = number

    def retrieve(self, question, limit, groups):
        time.sleep(0.15)
        return []
"""


@pytest.fixture
def slow(tmp_path):
    """A sweep of five cells of about a second each, in a folder of its own."""
    (tmp_path / "slow_retriever.py").write_text(SLOW)
    return [
        "-m", "+retriever=custom", "retriever._target_=slow_retriever.Slow",
        "+retriever.number=0,1,2,3,4", *BASE,
    ]  # fmt: skip


def started(program, folder, words, cells=2):
    """Start a sweep and return it after some cells are finished."""
    process = program.start(folder, *words)
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        if _finished(folder) >= cells:
            return process
        time.sleep(0.05)
    raise AssertionError(process.communicate())


def _finished(folder):
    database = folder / "mlruns" / "mlflow.db"
    if not database.exists():
        return 0
    link = sqlite3.connect(database)
    try:
        rows = link.execute("select count(*) from runs where status = 'FINISHED'").fetchone()
    except sqlite3.Error:
        return 0
    finally:
        link.close()
    return rows[0]


@pytest.mark.thorough
def test_kill_loses_the_cell_in_flight_alone_and_ctrl_c_ends_well(program, tmp_path, tiny, slow):
    words = [*slow, *tiny]
    killed = started(program, tmp_path, words, cells=1)
    killed.kill()
    killed.communicate()
    before = _finished(tmp_path)
    assert [run.info.status for run in runs(tmp_path, "sweep")] == ["RUNNING"]

    ended = started(program, tmp_path, words, cells=before + 1)
    ended.send_signal(signal.SIGINT)
    out, err = ended.communicate()
    assert ended.returncode == 130, err
    assert re.search(r"5 cells: .*resumed, .*not begun", out)
    (parent,) = runs(tmp_path, "sweep")
    assert parent.info.status == "KILLED"

    done = program.run(tmp_path, *words)
    assert done.code == 0, done.err
    assert re.search(r"5 cells: [2-4] resumed, [1-3] done", done.out)
    (parent,) = runs(tmp_path, "sweep")
    assert parent.info.status == "FINISHED"
    states = [run.info.status for run in runs(tmp_path) if run is not parent]
    assert "RUNNING" not in states
    cells = [r for r in runs(tmp_path, "cell") if r.info.status == "FINISHED"]
    assert sorted(run.data.params["retriever.number"] for run in cells) == list("01234")


def test_one_sweep_is_not_run_twice_at_a_time(typed, tiny, monkeypatch):
    monkeypatch.setattr(Session, "id", "known")
    Path("mlruns").mkdir()
    with FileLock("mlruns/.sweep-known.lock"):  # as another process holds it
        said = typed(*GRID, *tiny, *BASE)
    assert said.code == 4
    assert "another process is running this very sweep" in " ".join(said.out.split())
    assert told(said) == "4 cells: 1 failed, 3 not run"
    assert runs() == []


# The leaderboard, against values worked out apart from it.


def cell(number, values, mrr=0.0, **more):
    mean = float(np.mean(values))
    whole = {"hit": Summary(len(values), mean, 0.0, 1.0), "mrr": Summary(len(values), mrr, 0, 1)}
    words = tuple(f"{key}={value}" for key, value in more.items())
    return CellResult(number, words, DONE, whole=whole, values=tuple(values), benchmark="b")


def test_one_cell_is_flattered_by_nothing():
    rng = np.random.default_rng(1)
    board = leaderboard([cell(0, rng.integers(0, 2, 100))], "hit")
    assert board.bias == 0  # the cell that is best on one half is best on the other, both ways
    assert board.alike == {0}


def test_the_selection_bias_of_two_equal_cells_is_that_of_the_larger_of_two_means():
    # 200 questions; 50 only the one finds, 50 only the other. The larger of two means lies
    # E|D| / 2 above their middle, D being normal with deviation √(100 / 200) / √200 = 0.05:
    # 0.05 × √(2 / π) / 2 = 0.01995. Halves of one sample are drawn without replacement, so that
    # the other half falls by as much as the one rises: the fall over √2 is 0.05 × √(2 / π) / √2.
    one = [1] * 50 + [0] * 50 + [1] * 50 + [0] * 50
    other = [0] * 50 + [1] * 50 + [1] * 50 + [0] * 50
    board = leaderboard([cell(0, one), cell(1, other)], "hit")
    assert board.bias == pytest.approx(0.0282, abs=0.002)
    assert board.alike == {0, 1}


def test_a_cell_that_is_clearly_worse_is_not_like_the_best():
    good, near, bad = [1] * 80 + [0] * 20, [1] * 79 + [0] * 21, [1] * 40 + [0] * 60
    board = leaderboard([cell(0, bad), cell(1, near), cell(2, good)], "hit")
    assert [c.number for c in board.cells] == [2, 1, 0]
    assert board.alike == {2, 1}


def test_mrr_decides_ties_and_another_benchmark_has_no_pairs():
    values = [1, 0, 1, 1]
    stranger = CellResult(
        2, (), DONE, whole=cell(0, values).whole, values=(1, 0, 1, 1), benchmark="c"
    )
    board = leaderboard([cell(0, values, mrr=0.4), cell(1, values, mrr=0.5), stranger], "hit")
    assert [c.number for c in board.cells] == [1, 0, 2]
    assert board.alike == {0, 1}


def test_effects_and_subsets_are_those_of_the_cells():
    one = cell(0, [1, 0], retriever="a", k=1)
    two = cell(1, [1, 1], retriever="b", k=1)
    one = CellResult(**{**one.__dict__, "subsets": {"all": 0.5, "form.GAP": 0.9}})
    two = CellResult(**{**two.__dict__, "subsets": {"all": 1.0, "form.GAP": 0.2}})
    board = leaderboard([one, two], "hit")
    assert main_effects(board) == [("retriever", "b", 1, 1.0), ("retriever", "a", 1, 0.5)]
    assert best_by_subset(board) == [
        ("all", "retriever=b k=1", 1.0),
        ("form.GAP", "retriever=a k=1", 0.9),
    ]


@pytest.mark.thorough
def test_an_equal_single_run_finds_what_the_cell_found(typed, tiny):
    grid = [
        "-m", "+retriever=hybrid,bm25", "chunking=sentence,heading", "window.min_score=0,0.2",
        "window.k=2,5",
    ]  # fmt: skip
    assert typed(*grid, *tiny, *BASE).code == 0
    cells = runs(kind="cell")
    assert len(cells) == 16
    for cell in cells:
        kept = cell.data.params
        words = [f"{key}={kept[key]}" for key in ("chunking", "window.min_score", "window.k")]
        alone = [f"+retriever={kept['retriever']}", *words, "tracking.experiment=alone"]
        assert typed(*alone, *tiny, *BASE, "cache=off").code in {0, 1}
    singles = {
        run.data.tags["rageval.variant"]: run
        for run in client().search_runs(["2"], max_results=100)
    }
    for cell in cells:
        single = singles[cell.data.tags["rageval.variant"]]
        assert cell.data.metrics == single.data.metrics
        names = ("questions.json", "subsets.json")
        assert [table(cell, name) for name in names] == [table(single, name) for name in names]


@pytest.mark.thorough
def test_the_last_sweep_is_what_report_shows(typed, tiny):
    here = ["dataset.name=tiny", "open=false"]
    assert typed("+retriever=bm25", *tiny, *BASE).code == 0
    assert typed("report", *here).code == 0
    assert "Sweep of" not in Path("report.html").read_text()
    grid = ["-m", "+retriever=bm25,tfidf", "retriever.k1=1,2", *tiny, "latency.sample=3"]
    assert typed(*grid).code == 0
    said = typed("report", *here)
    (parent,) = runs(kind="sweep")
    assert f"html of sweep {parent.info.run_id}: report.html" in said.out
    page = Path("report.html").read_text()
    assert "Sweep of 4 cells: retriever (2) × retriever.k1 (2)" in page
    for heading in ("Leaderboard", "Main effects", "Best by subset", "Failures"):
        assert f">{heading}</h2>" in page
    assert "retriever.k1: unknown key" in page  # of the cells that were skipped
    named = typed("report", *here, f"run={parent.info.run_id}", "output=named.html")
    assert named.code == 0
    assert Path("named.html").read_text() == page
    refused = typed("report", *here, f"run={parent.info.run_id}", "format=baseline")
    assert refused.code == 2
    assert "is a sweep" in refused.err


@pytest.mark.thorough
def test_a_latency_that_was_not_measured_now_is_marked(typed, tiny):
    words = ["-m", "+retriever=bm25", "window.k=1,2", "window.depth=24", *tiny, "latency.sample=3"]
    first = typed(*words)
    (parent,) = runs(kind="sweep")
    recorded = [row["p95 recorded"] for row in table(parent, "leaderboard.json")]
    assert sorted(recorded) == [False, True]  # the second has the index of the first
    assert "* recorded by an earlier cell or run" in first.out
    typed(*words)
    (parent,) = runs(kind="sweep")
    assert [row["p95 recorded"] for row in table(parent, "leaderboard.json")] == [True, True]


@pytest.mark.thorough
def test_a_dry_run_estimates_by_an_earlier_sweep_or_says_that_nothing_is_known(typed, tiny):
    words = ["-m", "+retriever=bm25", "window.k=1,2,3", *tiny, *BASE]
    before = typed(*words, "sweep.dry_run=true")
    assert "how long that takes is not known" in before.out
    assert not list(Path.cwd().iterdir())
    assert typed(*words).code == 0
    after = typed(*words, "window.min_score=0,1", "sweep.dry_run=true")
    assert re.search(r"about \d+ s: 1 chunkings × [\d.]+ s, 1 retrievers × ", after.out)
    assert "6 cells × " in after.out
    assert "rests on an earlier sweep of this experiment (3 cells)" in after.out


@pytest.mark.thorough
def test_a_dry_run_knows_what_was_finished_and_what_the_sweep_took(typed, tiny):
    words = ["-m", "+retriever=bm25", *tiny, *BASE]
    assert typed(*words, "window.k=1,2").code == 0
    assert typed(*words, "window.k=1,2").code == 0  # nothing is run, and its times stay known
    half = typed(*words, "window.k=1,2,3", "sweep.dry_run=true")
    assert "2 were finished before, 1 are to be run" in half.out
    assert half.out.count("(finished before)") == 2
    assert "rests on an earlier sweep of this experiment (2 cells)" in half.out
    again = typed(*words, "window.k=1,2,3", "sweep.dry_run=true", "sweep.resume=false")
    assert "finished before" not in again.out
    assert "sweep." not in again.out.partition("estimate")[0]


@pytest.mark.thorough
def test_cells_with_errors_are_named_and_count_the_next_time_too(typed, tiny, monkeypatch):
    Path("moody_retriever.py").write_text(
        "class Moody:\n    def __init__(self, number=0):\n        self.number = number\n\n"
        "    def retrieve(self, question, limit, groups):\n"
        "        if self.number == 2:\n            raise ValueError('no')\n        return []\n"
    )
    monkeypatch.syspath_prepend(Path.cwd())
    words = [
        "-m", "+retriever=custom", "retriever._target_=moody_retriever.Moody",
        "+retriever.number=1,2", *tiny, *BASE,
    ]  # fmt: skip
    first = typed(*words)
    again = typed(*words)  # from what the parent keeps
    (parent,) = runs(kind="sweep")
    (row,) = table(parent, "failures.json")
    for file in Path("mlruns/artifacts").rglob("cells.json"):
        file.unlink()
    for said in (first, again, typed(*words)):  # the last from the runs themselves
        assert said.code == 1, said.err
        assert re.search(r"✗ (done|resumed): retriever.number=2\n +evaluated with [1-9]", said.out)
        assert said.out.count("evaluated with") == 2  # its line, and the summary
    assert row["cause"].startswith("evaluated with")


def test_a_sweep_that_is_not_recorded_names_no_gate(typed, tiny):
    said = typed(*GRID, *tiny, *BASE, "tracking=off")
    assert "next: python -m rageval retriever=" in said.out
    assert "rageval gate" not in said.out


def test_an_address_that_is_no_store_is_wrong_input(typed, tiny):
    said = typed(*GRID, *tiny, *BASE, "tracking.uri=nonsense")
    assert said.code == 2, said.err
    assert "'nonsense' is not the address of a store" in said.out


def test_verdicts_among_the_values_are_refused_before_any_cell_is_run(typed, tiny):
    said = typed("-m", "+retriever=bm25", "register=false,true", *tiny, *BASE)
    assert said.code == 2, said.err
    assert "register=true is for a run of its own" in said.err
    said = typed("-m", "+retriever=bm25", "gate.enabled=false,true", *tiny, *BASE, "tracking=off")
    assert said.code == 2, said.err
    assert "gate.enabled=true needs the tracking store" in said.err
    assert not list(Path.cwd().iterdir())


def _refuse(*_):
    raise AssertionError("no run is to be read")


@pytest.mark.thorough
def test_a_finished_sweep_is_taken_up_without_reading_its_runs(typed, tiny, monkeypatch):
    assert typed(*GRID, *tiny, *BASE).code == 0
    (parent,) = runs(kind="sweep")
    before = table(parent, "leaderboard.json")
    with monkeypatch.context() as patched:
        patched.setattr("rageval.sweep.cell.fetch", _refuse)
        assert told(typed(*GRID, *tiny, *BASE)) == "4 cells: 4 resumed"
        grown = typed(GRID[0], GRID[1], "window.k=1,2,3", *tiny, *BASE)
        assert told(grown) in {"6 cells: 4 resumed, 2 done", "6 cells: 2 done, 4 resumed"}
    assert table(client().get_run(parent.info.run_id), "leaderboard.json") == before

    Path(parent.info.artifact_uri.removeprefix("file://"), "cells.json").write_text("[{]")
    assert told(typed(*GRID, *tiny, *BASE)) == "4 cells: 4 resumed"  # the other sweep's file
    for file in Path("mlruns/artifacts").rglob("cells.json"):
        file.unlink()
    again = typed(*GRID, *tiny, *BASE)  # the runs themselves
    assert told(again) == "4 cells: 4 resumed"
    assert table(client().get_run(parent.info.run_id), "leaderboard.json") == before


@pytest.mark.thorough
def test_a_cell_whose_run_was_deleted_is_run_again(typed, tiny):
    assert typed(*GRID, *tiny, *BASE).code == 0
    client().delete_run(runs(kind="cell")[0].info.run_id)
    found = told(typed(*GRID, *tiny, *BASE))
    assert sorted(re.findall(r"\d+ \w+", found)) == ["1 done", "3 resumed", "4 cells"]

"""Searches: trials are cells of one sweep, told to the study, taken up where they were left."""

import importlib.util
import json
import re
import sqlite3
import time
from pathlib import Path

import numpy as np
import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from mlflow import MlflowClient

from rageval.errors import InputError
from rageval.measures.catalogue import Cutoffs
from rageval.sweep.goals import checked, undominated
from rageval.sweep.space import Choice, Space, Span

pytestmark = pytest.mark.thorough

if importlib.util.find_spec("optuna") is None:
    pytest.skip("optuna is not installed: pip install 'rageval[optuna]'", allow_module_level=True)

BASE = ["latency.sample=0"]
SEARCH = ["-m", "hydra/sweeper=optuna", "+retriever=bm25,tfidf", "window.k=range(1,9)"]
FLOOR = "window.min_score=interval(0,1)"
TEN = "hydra.sweeper.n_trials=10"


def runs(kind, folder="."):
    client = MlflowClient(f"sqlite:///{Path(folder).resolve()}/mlruns/mlflow.db")
    found = client.search_runs(["1"], max_results=1000)
    return [run for run in found if run.data.tags.get("rageval.kind") == kind]


def told(said):
    return next(line for line in said.out.splitlines() if re.match(r"\d+ cells: ", line))


def table(run, name):
    path = Path(run.info.artifact_uri.removeprefix("file://")) / name
    content = json.loads(path.read_text())
    return [dict(zip(content["columns"], row, strict=True)) for row in content["data"]]


def space(*words):
    return Space.of(OverridesParser.create().parse_overrides(list(words)))


def test_the_space_is_what_hydras_grammar_says():
    found = space(
        "a=x,y", "b=range(1,9)", "c=range(1,9,3)", "d=interval(0,1)", "e=int(interval(1,9))",
        "f=tag(log,interval(0.01,1))", "+g=1.5,2", "h=range(0,1,0.25)", "i=3", "j=choice(4)",
    )  # fmt: skip
    assert found.dimensions == {
        "a": Choice(("x", "y")),
        "b": Span(1, 8, 1, whole=True, log=False),  # the end of a range is not in it
        "c": Span(1, 7, 3, whole=True, log=False),
        "d": Span(0, 1, None, whole=False, log=False),
        "e": Span(1, 9, 1, whole=True, log=False),
        "f": Span(0.01, 1, None, whole=False, log=True),
        "+g": Choice(("1.5", "2")),
        "h": Span(0, 0.75, 0.25, whole=False, log=False),
    }
    assert found.fixed == ("i=3", "j=4")
    assert space("a=x,y", "b=range(1,9)", "c=range(1,9,3)").size == 2 * 8 * 3


@pytest.mark.parametrize(
    ("word", "fault"),
    [
        ("a=1", "nothing to search"),
        ("a=interval(1,0)", "must go from a number to a larger one"),
        ("a=tag(log,interval(0,1))", "numbers above 0"),
        ("a=tag(lgo,interval(0.1,1))", "tag 'lgo' means nothing"),
    ],
)
def test_a_space_that_means_nothing_is_refused(word, fault):
    with pytest.raises(InputError, match=fault):
        space(word)


def test_objectives_are_known_and_one_may_rank():
    cutoffs = Cutoffs(hit_at=(1, 3), ndcg_at=10)
    assert checked({"mrr": "maximize", "p95_ms": "minimize"}, cutoffs)
    with pytest.raises(InputError, match="'mmr' is no measure; known: .*mrr.*p95_ms"):
        checked({"mmr": "maximize"}, cutoffs)
    with pytest.raises(InputError, match="one must be a measure to maximize"):
        checked({"p95_ms": "maximize"}, cutoffs)


def test_the_front_is_what_comparing_every_pair_gives():
    rows = np.random.default_rng(1).integers(0, 6, (60, 2)).tolist()
    beaten = {
        place
        for place, (high, low) in enumerate(rows)
        for a, b in rows
        if (a > high and b <= low) or (a >= high and b < low)
    }
    assert undominated(rows, ["maximize", "minimize"]) == [
        place for place in range(60) if place not in beaten
    ]


@pytest.mark.parametrize("sampler", ["tpe", "random", "nsga2"])
def test_trials_are_children_and_the_same_again_runs_none(typed, tiny, sampler):
    words = [*SEARCH, FLOOR, f"hydra.sweeper.sampler={sampler}", *tiny, *BASE]
    said = typed(*words, "hydra.sweeper.n_trials=4")
    assert said.code == 0, said.err
    assert told(said) == "4 cells: 4 done"
    assert "best of 4 cells" in said.out
    assert "selection bias: expect about " in said.out
    (parent,), cells = runs("sweep"), runs("cell")
    assert {run.data.tags["mlflow.parentRunId"] for run in cells} == {parent.info.run_id}
    assert parent.data.params["sweep.window.min_score"] == "interval(0,1)"
    board = {row["run"] for row in table(parent, "leaderboard.json")}
    assert board == {run.info.run_id for run in cells}
    assert len({json.dumps(run.data.params, sort_keys=True) for run in cells}) == 4

    assert told(typed(*words, "hydra.sweeper.n_trials=4")) == "4 cells: 4 resumed"
    assert told(typed(*words, "hydra.sweeper.n_trials=6")) == "6 cells: 4 resumed, 2 done"
    assert (len(runs("sweep")), len(runs("cell"))) == (1, 6)


def test_a_search_of_several_objectives_leaves_its_front_on_the_parent(typed, tiny):
    goals = "hydra.sweeper.objectives={hit_rate_at_3: maximize, window_characters: minimize}"
    said = typed(*SEARCH, FLOOR, TEN, goals, *tiny, *BASE)
    assert said.code == 0, said.err
    (parent,) = runs("sweep")
    cells = {run.info.run_id: run.data.metrics for run in runs("cell")}
    assert len(cells) == 10
    pairs = {r: (m["all/hit_rate_at_3"], -m["all/window_characters"]) for r, m in cells.items()}
    best = {
        run
        for run, pair in pairs.items()
        if not any(o != pair and o[0] >= pair[0] and o[1] >= pair[1] for o in pairs.values())
    }
    assert {row["run"] for row in table(parent, "pareto.json")} == best


def test_a_search_looks_for_what_it_is_told(typed, tiny):
    # A higher floor can only take answers away, so the best of them are the low ones.
    goals = "hydra.sweeper.objectives={recall: maximize}"
    words = ["-m", "hydra/sweeper=optuna", "+retriever=bm25", "window.min_score=interval(0,10)"]
    said = typed(*words, goals, "hydra.sweeper.n_trials=20", *tiny, *BASE, "tracking=off")
    assert said.code == 0, said.err
    values = [float(v) for v in re.findall(r"/20  recall ([\d.]+) ", said.out)]
    assert len(values) == 20
    assert np.mean(values[10:]) > np.mean(values[:10])  # ten are drawn by chance


def test_a_space_that_is_exhausted_ends_the_search(typed, tiny):
    words = ["-m", "hydra/sweeper=optuna", "+retriever=bm25", "window.k=1,2,3", *tiny, *BASE]
    said = typed(*words, "hydra.sweeper.n_trials=50", "tracking=off")
    assert said.code == 0, said.err
    assert told(said) == "3 cells: 3 done"


def test_failed_trials_are_told_and_stop_nothing(typed, tiny, monkeypatch):
    Path("own.py").write_text(
        "class Half:\n"
        "    def __init__(self, number=0):\n"
        "        if number % 2:\n"
        "            raise ZeroDivisionError('odd')\n"
        "    def retrieve(self, question, limit, groups):\n"
        "        return []\n"
    )
    monkeypatch.syspath_prepend(str(Path.cwd()))
    words = [
        "-m", "hydra/sweeper=optuna", "+retriever=custom", "retriever._target_=own.Half",
        "+retriever.number=range(0,6)", *tiny, *BASE,
    ]  # fmt: skip
    said = typed(*words)
    assert said.code in {2, 4}
    assert sorted(told(said).partition(": ")[2].split(", ")) == ["3 done", "3 failed"]
    again = typed(*words)
    assert sorted(told(again).partition(": ")[2].split(", ")) == ["3 failed", "3 resumed"]


def test_a_space_in_a_file_is_searched(typed, tiny):
    Path("conf/experiment").mkdir(parents=True)
    Path("conf/experiment/mine.yaml").write_text(
        "# @package _global_\n"
        "defaults:\n  - override /retriever: bm25\n"
        "hydra:\n  mode: MULTIRUN\n  sweeper:\n    n_trials: 3\n"
        "    params:\n      window.k: range(1,9)\n      retriever.b: interval(0.1,0.9)\n"
    )
    words = ["--config-dir", "conf", "hydra/sweeper=optuna", "+experiment=mine"]
    said = typed(*words, *tiny, *BASE, "tracking=off")
    assert said.code == 0, said.err
    assert told(said) == "3 cells: 3 done"


def test_a_dry_run_says_what_it_would_do_and_makes_nothing(typed, tiny):
    said = typed(*SEARCH, FLOOR, TEN, *tiny, *BASE, "sweep.dry_run=true")
    assert said.code == 0, said.err
    assert "10 trials by tpe, seed 42: 0 finished before, 10 to run; nothing was run" in said.out
    assert "maximize hit_rate_at_3, on the development questions" in said.out
    assert not list(Path.cwd().iterdir())
    assert typed(*SEARCH, FLOOR, "hydra.sweeper.n_trials=3", *tiny, *BASE).code == 0
    after = typed(*SEARCH, FLOOR, TEN, *tiny, *BASE, "sweep.dry_run=true")
    assert "3 finished before, 7 to run" in after.out


def test_what_optuna_keeps_is_kept_once(typed, tiny):
    words = [*SEARCH, FLOOR, *tiny, *BASE, "hydra.sweeper.storage=sqlite:///optuna.db"]
    assert typed(*words, "hydra.sweeper.n_trials=2").code == 0
    assert told(typed(*words, "hydra.sweeper.n_trials=3")) == "3 cells: 2 resumed, 1 done"
    with sqlite3.connect("optuna.db") as base:
        states = base.execute("select state from trials").fetchall()
    base.close()
    assert states == [("COMPLETE",)] * 3


def test_what_does_not_go_with_a_search_is_said(typed, tiny):
    for word, fault in (
        ("hydra/launcher=joblib", "leave out hydra/launcher"),
        ("hydra.sweeper.objectives={mmr: maximize}", "'mmr' is no measure"),
        ("hydra.sweeper.sampler=gp", "'tpe', 'random' or 'nsga2'"),
    ):
        said = typed(*SEARCH, *tiny, *BASE, word)
        assert said.code == 2, said.err
        assert fault in said.err
    assert not Path("mlruns/mlflow.db").exists()


@pytest.mark.parametrize(
    ("words", "code", "fault"),
    [
        (["windw.k=1,2"], 2, "windw: unknown key; did you mean 'window'?"),
        (["chunking=heading,sentense"], 2, "chunking=sentense: no such choice"),
        (["gate.enabled=true", "tracking=off"], 2, "gate.enabled=true needs the tracking store"),
        (["windw.k=1,2", "hydra.sweeper.storage=sqlite:///o.db"], 2, "windw: unknown key"),
        (["register=false,true"], 2, "register=true is for a run of its own"),
        (["hydra.sweeper.n_trials=0"], 2, "hydra.sweeper.n_trials: should be greater than"),
        (["hydra.sweeper.storage=optuna.db"], 2, "hydra.sweeper.storage=optuna.db cannot be used"),
        (["hydra.sweeper.storage=sqlite:///no/o.db"], 4, "unable to open database file"),
    ],
)
def test_a_search_that_cannot_be_is_refused_before_anything_is_made(
    typed, tiny, words, code, fault
):
    said = typed(*SEARCH, *words, *tiny, *BASE)
    assert said.code == code, said.err
    assert fault in said.err
    assert "Traceback" not in said.err
    assert not list(Path.cwd().iterdir())


def test_a_search_whose_first_choice_lacks_a_key_goes_on_with_the_others(typed, tiny):
    words = ["-m", "hydra/sweeper=optuna", "+retriever=tfidf,bm25", "retriever.k1=1,2"]
    said = typed(*words, *tiny, *BASE, "tracking=off")
    assert said.code == 0, said.err
    assert sorted(told(said).partition(": ")[2].split(", ")) == ["2 done", "2 skipped"]


def test_a_study_is_not_put_into_another_programs_database(typed, tiny):
    assert typed("-m", "+retriever=bm25", "window.k=1,2", *tiny, *BASE).code == 0
    said = typed(*SEARCH, *tiny, *BASE, "hydra.sweeper.storage=sqlite:///mlruns/mlflow.db")
    assert said.code == 2, said.err
    assert "another program keeps its tables there" in said.err
    with sqlite3.connect("mlruns/mlflow.db") as base:
        tables = {name for (name,) in base.execute("select name from sqlite_master")}
    base.close()
    assert "studies" not in tables


def test_a_killed_search_loses_the_trial_in_flight_alone(program, tmp_path, tiny):
    (tmp_path / "slow_retriever.py").write_text(
        "import time\n\nclass Slow:\n    def __init__(self, number=0.0):\n        pass\n\n"
        "    def retrieve(self, question, limit, groups):\n        time.sleep(0.1)\n"
        "        return []\n"
    )
    words = [
        "-m", "hydra/sweeper=optuna", "+retriever=custom",
        "retriever._target_=slow_retriever.Slow", "+retriever.number=interval(0,1)",
        "hydra.sweeper.n_trials=5", *tiny, *BASE,
    ]  # fmt: skip
    process = program.start(tmp_path, *words)
    end = time.monotonic() + 120
    while _noted(tmp_path) < 2 and time.monotonic() < end and process.poll() is None:
        time.sleep(0.05)
    process.kill()
    process.communicate()
    done = _noted(tmp_path)
    assert 2 <= done < 5
    said = program.run(tmp_path, *words)
    assert said.code == 0, said.err
    assert told(said) == f"5 cells: {done} resumed, {5 - done} done"
    (parent,) = runs("sweep", tmp_path)
    assert parent.info.status == "FINISHED"


def _noted(folder):
    database = folder / "mlruns" / "mlflow.db"
    if not database.exists():
        return 0
    link = sqlite3.connect(database)
    try:
        query = "select count(*) from tags where key like 'rageval.trial.%'"
        return link.execute(query).fetchone()[0]
    except sqlite3.Error:
        return 0
    finally:
        link.close()

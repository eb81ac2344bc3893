"""Retention: what is old goes, and nothing that a champion rests on, on a real store."""

from datetime import UTC, datetime, timedelta

import pytest
from desk import TINY, Desk

from rageval.tracking.retention import Past, PruneConfig, due

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def past(run, days, parent="", running=False, stripped=False):
    return Past(run, parent, run, NOW - timedelta(days=days), running, stripped)


def gone(runs, protected=(), older_than=None, keep=None, what="runs"):
    rules = PruneConfig(older_than=older_than, keep=keep, what=what, apply=True)
    return [one.run for one in due(runs, protected, rules, NOW)]


RUNS = [past("a", 1), past("b", 10), past("c", 20), past("d", 30)]


def test_nothing_goes_by_default():
    assert gone(RUNS) == []


def test_age_and_number_each_alone_and_both_together():
    assert gone(RUNS, older_than=10) == ["d", "c"]  # b is exactly 10 days old: not older
    assert gone(RUNS, keep=3) == ["d"]
    assert gone(RUNS, keep=0) == ["d", "c", "b", "a"]
    assert gone(RUNS, older_than=15, keep=3) == ["d"]
    assert gone(RUNS, older_than=25, keep=1) == ["d"]


def test_what_is_protected_or_running_stays_and_does_not_count_as_new():
    assert gone([*RUNS, past("e", 40, running=True)], {"d"}, keep=1) == ["c", "b"]


def test_a_sweep_goes_with_its_cells_or_not_at_all():
    sweep = [past("s", 20), past("s1", 20, "s"), past("s2", 20, "s")]
    assert gone([past("new", 1), *sweep], older_than=10) == ["s", "s1", "s2"]
    assert gone([past("new", 1), *sweep], {"s2"}, older_than=10) == []
    assert gone([past("new", 1), *sweep], keep=2) == []  # its cells count with it


def test_text_is_dropped_once():
    assert gone([past("a", 9), past("b", 8, stripped=True)], keep=0, what="text") == ["a"]


# --- on a store


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    desk = Desk(tmp_path_factory.mktemp("prune"))
    desk.first = desk.evaluate("+retriever=bm25")
    assert desk.promote(desk.first).code == 0
    desk.second = desk.evaluate("+retriever=tfidf")
    assert desk.promote(desk.second, "force=true", "reason=a try").code == 0
    assert desk.type("-m", "+retriever=bm25", "window.k=1,2", *TINY).code == 0
    desk.third = desk.evaluate("+retriever=dense")
    return desk


def prune(desk, *words):
    return desk.type("prune", "dataset.name=tiny", *words)


def active(desk):
    known = desk.client.get_experiment_by_name("tiny").experiment_id
    return {run.info.run_id for run in desk.client.search_runs([known])}


@pytest.mark.thorough
def test_it_is_off_and_says_how_to_turn_it_on(desk):
    said = prune(desk)
    assert (said.code, "none goes: set prune.older_than=DAYS" in said.out) == (0, True)


@pytest.mark.parametrize(
    "wrong",
    ["prune.older_than=0", "prune.older_than=1000000000", "prune.keep=-1", "prune.what=all"],
)
def test_a_wrong_rule_is_refused_before_anything_goes(desk, wrong):
    before = active(desk)
    said = prune(desk, wrong, "prune.apply=true")
    assert (said.code, wrong.partition("=")[0] in said.err) == (2, True)
    assert active(desk) == before


def test_the_ledger_is_never_pruned(desk):
    said = prune(desk, "tracking.experiment=tiny-holdout", "prune.keep=0", "prune.apply=true")
    assert (said.code, "is a ledger; it stays" in said.err) == (2, True)


def test_text_goes_while_values_stay_and_baselines_are_whole(desk):
    listed = prune(desk, "prune.keep=0", "prune.what=text")
    assert "would be stripped" in listed.out
    assert desk.file(desk.third, "questions.json").exists()
    said = prune(desk, "prune.keep=0", "prune.what=text", "prune.apply=true")
    assert said.code == 0, said
    kept = {item.path for item in desk.client.list_artifacts(desk.third)}
    assert kept == {"config.yaml", "subsets.json"}
    assert desk.client.get_run(desk.third).data.metrics["all/recall"] > 0
    for run in (desk.first, desk.second):  # the champion, and the one before it
        assert desk.file(run, "questions.json").exists()
    said = desk.gate(desk.third)
    assert (said.code, "its questions were taken out by prune.what=text" in said.err) == (3, True)
    told = [p for p in desk.folder.rglob("*.json") if b"days of leave does" in p.read_bytes()]
    runs = {part for path in told for part in path.parts}
    assert desk.third not in runs
    assert {desk.first, desk.second} <= runs


def test_whole_runs_go_and_what_a_champion_rests_on_stays(desk):
    said = prune(desk, "prune.keep=0", "prune.apply=true")
    assert said.code == 0, said
    assert "mlflow gc --backend-store-uri" in said.out
    assert active(desk) == {desk.first, desk.second}
    assert desk.gate(desk.second).code == 3  # the champion's own run: the baseline is still read
    assert desk.type("rollback", "dataset.name=tiny").code == 0
    assert len(desk.type("holdout", "dataset.name=tiny", "ledger=true").out.splitlines()) > 3
    desk.client.restore_run(desk.third)
    assert desk.third in active(desk)

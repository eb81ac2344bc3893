"""`power`: what the gate of a set can see; held against formulas and cases worked out by hand."""

import json
import math
from dataclasses import replace

import pytest
from desk import TINY, Desk
from results import result_of, row

from rageval.gate.power import Power, Simulation, estimated_churn, power
from rageval.gate.thresholds import GateThresholds


def found(n, of, subset="tag.a", groups=None):
    """Return a result of which the first n questions are found at rank 1, the others missed."""
    rows = [row(f"q{i}", 1 if i < n else None, subsets=[subset]) for i in range(of)]
    if groups:
        rows = [replace(one, group=group) for one, group in zip(rows, groups, strict=True)]
    return result_of(*rows)


def limit(power, path):
    return next(one for one in power.limits if one.path == path)


def test_without_churn_no_harmless_change_fails():
    limits = GateThresholds(
        floors={"all": {"recall": 0.8}}, max_drop={"all": {"recall": 0.0}}, no_tolerance=("tag.a",)
    )
    assert power(found(8, 10), limits, Simulation(churn=0.0, draws=200)).alarms == 0.0


@pytest.mark.parametrize(("n", "churn"), [(16, 0.04), (30, 0.02), (5, 0.1)])
def test_a_policy_fails_as_often_as_its_formula_says(n, churn):
    limits = GateThresholds(no_tolerance=("tag.a",))
    simulated = power(found(n, n + 4), limits, Simulation(churn=churn, draws=4000)).alarms
    formula = 1 - (1 - churn) ** n  # docs/gate-power.md
    assert simulated == pytest.approx(formula, abs=4 * math.sqrt(formula * (1 - formula) / 4000))


def test_the_loss_that_a_limit_sees_is_the_one_that_its_counts_give():
    # Without churn 20 of 20 found: a floor of 0.85 breaks with the fourth lost question, a drop of
    # 0.1 with the third, and no tolerance with the first.
    limits = GateThresholds(
        floors={"all": {"recall": 0.85}}, max_drop={"all": {"recall": 0.1}}, no_tolerance=("tag.a",)
    )
    simulated = power(found(20, 20), limits, Simulation(churn=0.0, draws=200))
    assert [(one.path, one.n, one.seen) for one in simulated.limits] == [
        ("floors.all.recall", 20, 4),
        ("max_drop.all.recall", 20, 3),
        ("no_tolerance.tag.a", 20, 1),
    ]


def test_a_limit_that_nothing_can_break_says_so():
    limits = GateThresholds(max_drop={"all": {"recall": 1.0}})
    simulated = power(found(20, 20), limits, Simulation(churn=0.0, draws=200))
    assert simulated.limits[0].seen is None


def test_questions_of_a_group_are_lost_together():
    # One group of ten is one coin: a drop of more than a half fails as often as the group is lost.
    limits = GateThresholds(max_drop={"all": {"recall": 0.5}})
    alone = power(found(10, 10), limits, Simulation(churn=0.3, draws=2000)).alarms
    together = power(found(10, 10, groups=["g"] * 10), limits, Simulation(churn=0.3, draws=2000))
    assert together.alarms == pytest.approx(0.3, abs=0.05)
    assert alone == pytest.approx(0.047, abs=0.03)  # P(X > 5), X ~ Binomial(10, 0.3)
    assert together.groups == 1


def test_many_candidates_raise_many_alarms():
    # The issue's own figure: 20 harmless candidates at 5 % raise an alarm in 64 %.
    assert round(Power(1, 1, 0.04, 0.05, 0.05, ()).any_of(20), 2) == 0.64


def test_churn_is_the_smaller_of_what_a_pair_lost_and_gained():
    before = result_of(*(row(f"q{i}", 1 if i < 8 else None) for i in range(10)))
    # Lost two of eight, gained one: one of eight is churn, the other a change for the worse.
    after = result_of(*(row(f"q{i}", 1 if 2 <= i < 9 else None) for i in range(10)), variant="w")
    assert estimated_churn([before, after]) == (1 / 8, 1)
    assert estimated_churn([before]) is None
    assert estimated_churn([before, before]) is None  # one variant twice says nothing


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    found = Desk(tmp_path_factory.mktemp("power"))
    found.evaluate("+retriever=bm25")
    found.evaluate("+retriever=tfidf")
    return found


def test_it_starts_from_the_newest_run_where_nothing_was_promoted(desk):
    said = desk.type("power", "dataset.name=tiny", "draws=100")
    assert said.code == 0, said
    assert said.out.startswith("tiny · tfidf, heading, k=6\n")
    assert "of 20 harmless candidates at least one is refused in" in said.out
    assert "(the median of 1 pair of runs in the store)" in said.out


def test_programs_are_answered_in_json(desk):
    said = desk.type("power", "dataset.name=tiny", "draws=100", "churn=0", "output.format=json")
    facts = json.loads(said.out)
    assert (facts["churn"], facts["churn_from"], facts["false_alarms"]) == (0.0, "given", 0.0)
    assert {one["path"] for one in facts["limits"]} >= {"max_drop.all.recall", "max_drop.all.mrr"}


def test_before_there_is_a_run_the_golden_set_is_enough(tmp_path):
    said = Desk(tmp_path).type("power", *TINY, "found=0.8", "draws=100")
    assert said.code == 0, said
    assert said.out.startswith("tiny · 80 % found\n")
    assert not (tmp_path / "mlruns").exists()
    assert not (tmp_path / "split.lock").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["threshold.floors.tag.nothing.recall=0.5"], "the set has no subset 'tag.nothing'"),
        (["draws=3"], "draws: "),
        (["churn=2"], "churn: "),
        (["run=nobody"], "'nobody' is no run id, version or alias"),
    ],
)
def test_what_is_wrong_is_one_sentence(desk, words, sentence):
    said = desk.type("power", "dataset.name=tiny", *words)
    assert said.code in (2, 3)
    assert (said.err.count("\n"), sentence in said.err) == (1, True), said


def test_nothing_was_run_yet(tmp_path):
    said = Desk(tmp_path).type("power", "dataset.name=tiny")
    assert (said.code, said.err.count("\n")) == (3, 1), said

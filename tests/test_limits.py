"""Limits: how they are written, what a pass could see, and what a suggestion leaves."""

import json
import re
import shutil

import pytest
from desk import DATA, LOCAL, QUICK, Desk
from results import hits, result_of, row
from scipy.stats import binom

from rageval.comparison.changes import compare
from rageval.gate.decision import Terms, decide
from rageval.gate.suggestion import suggest
from rageval.gate.thresholds import GateThresholds
from rageval.gate.verdict import Outcome
from rageval.report.comparison import verdict_lines
from rageval.report.junit import junit
from rageval.report.markdown import verdict_page
from rageval.statistics.churn import unluckiest
from rageval.statistics.detectable import least_lost_beside


@pytest.fixture
def desk(tmp_path):
    shutil.copytree(DATA, tmp_path / "tiny")
    return Desk(tmp_path)


def test_a_subset_is_the_same_with_dots_and_nested_and_the_typed_form_counts():
    dotted = GateThresholds(floors={"tag.negation": {"recall": 0.7}})
    nested = GateThresholds(floors={"tag": {"negation": {"recall": 0.7}}})
    assert dotted == nested
    both = {"tag": {"negation": {"recall": 0.8}}, "tag.negation": {"recall": 0.7, "mrr": 0.1}}
    assert GateThresholds(floors=both).floors == {"tag.negation": {"recall": 0.8, "mrr": 0.1}}


def test_comparing_finds_what_the_slow_rule_finds():
    before = result_of(*(row(f"q{i}", i % 5 or None) for i in range(60)))
    after = result_of(
        *(row(f"q{i}", i % 4 or None, labels="new" if i % 7 == 0 else f"labels of q{i}")
          for i in range(10, 70))
    )  # fmt: skip
    found = compare(before, after)
    same = [
        name for name in after.rows
        if name in before.rows and before.rows[name].labels == after.rows[name].labels
    ]  # fmt: skip
    assert [change.after.id for change in found.changes] == same
    assert list(found.relabelled) == [
        name for name in after.rows if name in before.rows and name not in same
    ]
    assert list(found.added) == [name for name in after.rows if name not in before.rows]
    assert list(found.removed) == [name for name in before.rows if name not in after.rows]


@pytest.mark.parametrize("gained", range(6))
def test_the_fewest_losses_that_are_noticed_are_those_of_the_binomial_test(gained):
    for level, tests in ((0.05, 1), (0.05, 3), (0.01, 2)):
        lost = gained
        while binom.sf(lost - 1, lost + gained, 0.5) > level / tests:
            lost += 1
        assert least_lost_beside(gained, level, tests) == lost


@pytest.mark.parametrize("found", [1, 5, 13, 40, 77, 400])
def test_the_most_that_churn_loses_is_a_quantile_of_the_binomial_distribution(found):
    for level in (0.05, 0.01):
        assert unluckiest(found, 0.04, level) == binom.ppf(1 - level, found, 0.04)


EITHER = {"evidence": "either", "negligible": 0.01}


@pytest.mark.parametrize(
    ("n", "tolerance", "evidence", "lost"),
    [
        (34, 0.1, "counts", 4),  # 3.4 may be lost
        (100, 0.1, "either", 5),  # 11 by counts; the test notices 5 of 5
        (34, 1.0, "either", 5),  # counts never fail, the test does
        (34, 0.1, "significant", 5),  # both are needed: 4 by counts, 5 by the test
        (1000, 0.1, "either", 11),  # 5 are noticed, up to 10 are negligible
    ],
)
def test_a_pass_says_from_which_drop_it_would_have_failed_and_it_does(n, tolerance, evidence, lost):
    limits = GateThresholds(
        max_drop={"all": {"recall": tolerance}}, **EITHER | {"evidence": evidence}
    )
    passed = decide(hits(n, n), hits(n, n), limits)
    assert passed.checks[-1].seen == pytest.approx(lost / n)
    assert f"would have failed from a drop of {lost / n:.3f} ({lost} of {n} questions)" in (
        "\n".join(verdict_lines(passed))
    )
    assert decide(hits(n - lost + 1, n), hits(n, n), limits).passed
    assert not decide(hits(n - lost, n), hits(n, n), limits).passed


def test_a_gate_that_cannot_see_what_it_must_is_inconclusive_and_says_so_everywhere():
    limits = GateThresholds(max_drop={"all": {"recall": 0.1}})
    for fail in (False, True):
        verdict = decide(
            hits(10, 10), hits(10, 10), limits, terms=Terms(must_see=0.05, fail_blind=fail)
        )
        assert (verdict.outcome, verdict.passed) == (Outcome.INCONCLUSIVE, not fail)
        lines = list(verdict_lines(verdict))
        assert lines[0].startswith("gate INCONCLUSIVE: tiny")
        # Two lost questions of ten are more than 0.1.
        assert lines[-2] == "3 of 3 limits kept"
        assert any("from a drop of 0.200 (2 of 10 questions); gate.must_see asks for 0.05" in x
                   for x in lines)  # fmt: skip
        assert verdict_page(verdict).startswith("### ⚠️ gate INCONCLUSIVE")
        assert f'<{"error" if fail else "skipped"} message="inconclusive: would' in junit(verdict)
    enough = decide(hits(10, 10), hits(10, 10), limits, terms=Terms(must_see=0.2))
    assert enough.outcome is Outcome.PASSED
    other = decide(hits(10, 10), hits(10, 10), limits, terms=Terms(must_see={"all": {"mrr": 0.01}}))
    assert other.outcome is Outcome.PASSED


def test_a_suggested_floor_survives_what_churn_loses_and_no_more():
    found = hits(13, 16)
    (floor,) = {limits["recall"] for limits in suggest(found, {}, False).values()}
    # Of 13 found questions a harmless change loses at most 3, 99 % sure: 10/16 = 0.625.
    assert floor == 0.62
    limits = GateThresholds(floors={"all": {"recall": floor}})
    assert decide(hits(10, 16), None, limits).passed
    assert not decide(hits(9, 16), None, limits).passed


def test_a_suggestion_never_lowers_a_floor_unless_it_may():
    high = {"all": dict.fromkeys(("hit_rate_at_1", "hit_rate_at_3", "recall", "mrr"), 0.9)}
    assert suggest(hits(13, 16), high, allow_lower=False) == {}
    assert suggest(hits(13, 16), high, allow_lower=True)["all"]["recall"] == 0.62


FILE = """\
# Ours, agreed on in May.
defaults:
  - default

floors:
  all: {hit_rate_at_3: 0.2} # from the first week
  tag.negation:
    recall: 0.99 # high on purpose
max_drop:
  form.GAP:
    recall: 0.5
"""


@pytest.mark.thorough
def test_a_suggestion_keeps_the_file_and_works_right_after_a_promotion(desk):
    file = desk.folder / "conf" / "threshold" / "tiny.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(FILE)
    run = desk.evaluate("+retriever=bm25", dataset=LOCAL)
    assert desk.promote(run).code == 0
    said = desk.gate(run, "suggest=true")
    assert said.code == 0, said
    text = file.read_text()
    kept = [line for line in FILE.splitlines() if "0.2" not in line]
    assert [line for line in text.splitlines() if line in kept] == kept
    found = float(re.search(r"all: \{hit_rate_at_3: ([\d.]+)", text)[1])
    assert 0.2 < found < 1
    assert desk.gate(run, "suggest=true").code == 0
    assert file.read_text() == text
    # And Hydra reads it.
    again = desk.evaluate("+retriever=bm25", dataset=LOCAL)
    said = desk.gate(again, "threshold=tiny", "--config-dir", "conf")
    assert "threshold.floors.tag.negation" not in said.err, said


def test_the_sample_brings_its_limits_a_typed_choice_wins_and_another_set_has_the_default(desk):
    def limits(*words):
        return desk.type(*words, "--cfg", "job", "--package", "threshold").out

    assert "tag.permission_narrow" in limits("gate")
    assert "tag.permission_narrow" in limits("+retriever=bm25")
    assert "tag.permission_narrow" not in limits("gate", "threshold=default")
    assert "tag.permission_narrow" not in limits("gate", "dataset.name=faq")
    assert "tag.permission_narrow" not in limits("promote", "gate.sets=[faq]")
    assert "recall: 0.08" in limits("gate", *LOCAL)
    assert "tag." not in limits("gate", *LOCAL)


def test_report_only_tells_a_failed_limit_and_ends_with_0(desk):
    run = desk.evaluate("+retriever=bm25", dataset=LOCAL)
    limit = "threshold.floors.all.hit_rate_at_1=1.0"
    bad = desk.gate(run, limit, "threshold.floors.all.precision=1.0")
    said = desk.gate(run, limit, "threshold.floors.all.precision=1.0", "gate.report_only=true")
    assert (bad.code, said.code) == (1, 0)
    assert "gate FAILED" in said.out
    assert desk.verdict(run)["outcome"] == "failed"


@pytest.mark.thorough
def test_every_cell_of_a_sweep_gets_its_verdict_without_another_retrieval(desk):
    assert desk.promote(desk.evaluate("+retriever=bm25", dataset=LOCAL)).code == 0
    grid = ["-m", "+retriever=bm25", "window.min_score=null,99", *LOCAL, *QUICK]
    plain = desk.type(*grid)
    assert plain.code == 0
    said = desk.type(*grid, "gate.enabled=true")
    assert said.code == 1, said
    assert "2 cells: 2 resumed" in said.out
    (parent,) = [
        run for run in desk.client.search_runs(["1"]) if run.data.tags["rageval.kind"] == "sweep"
    ]
    board = json.loads(desk.file(parent.info.run_id, "leaderboard.json").read_text())
    verdicts = [row[board["columns"].index("verdict")] for row in board["data"]]
    assert verdicts[0] == "passed"
    assert verdicts[1].startswith("failed: all hit_rate_at_1, all hit_rate_at_3, all recall")
    swept = ["threshold.max_drop.all.recall=0.05,1.0", "window.min_score=99", "gate.enabled=true"]
    said = desk.type("-m", "+retriever=bm25", *swept, "gate.report_only=true", *LOCAL, *QUICK)
    assert said.code == 0, said
    first, second = re.findall(r"gate failed: (.*)", said.out)[:2]
    assert ("all recall" in first, "all recall" in second) == (True, False)

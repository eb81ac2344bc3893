"""What a gate makes of evidence; counts, p and Holm's corrections are worked out by hand."""

import json
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from pydantic import ValidationError
from results import hits, result_of, row

from rageval.comparison.result import result
from rageval.errors import NoVerdictError
from rageval.gate.decision import decide
from rageval.gate.thresholds import GateThresholds
from rageval.report.comparison import as_json, verdict_lines
from rageval.report.junit import junit
from rageval.report.markdown import verdict_page

ROOT = Path(__file__).parents[1]
MODES = ("counts", "significant", "non_inferior", "either")


def gated(before, after, evidence, tolerance=0.1, **facts):
    limits = {"all": {"recall": tolerance}}
    return decide(after, before, GateThresholds(max_drop=limits, evidence=evidence, **facts))


def changed(n, lost, gained, **facts):
    """Results of n questions, of which so many are lost and so many gained; half are found."""
    found = [1] * (n // 2 + lost) + [None] * (n - n // 2 - lost)
    then = list(found)
    now = [None] * lost + found[lost : n - gained] + [1] * gained
    assert sum(map(bool, then)) >= lost
    assert n - sum(map(bool, then)) >= gained
    rows = lambda ranks: [row(f"q{i}", rank, **facts) for i, rank in enumerate(ranks)]  # noqa: E731
    return result_of(*rows(then)), result_of(*rows(now))


def used(verdict):
    return [check.shown.used for check in verdict.checks if check.shown is not None]


@pytest.mark.parametrize(
    ("lost", "gained", "passes"),
    [
        # 100 questions at a tolerance of 0.1; one-sided exact p in brackets.
        (10, 0, dict(counts=True, significant=True, non_inferior=False, either=False)),  # [.001]
        (11, 0, dict(counts=False, significant=False, non_inferior=False, either=False)),  # [.0005]
        (25, 14, dict(counts=False, significant=True, non_inferior=False, either=False)),  # [.054]
        (5, 0, dict(counts=True, significant=True, non_inferior=True, either=False)),  # [.031]
        (4, 0, dict(counts=True, significant=True, non_inferior=True, either=True)),  # [.063]
        (0, 9, dict(counts=True, significant=True, non_inferior=True, either=True)),
        # Tango: Z = (20 − 14 − 10) / √(100 (2 × 0.134 + 0.09)) = −0.66, p = .25: not shown.
        (20, 14, dict(counts=True, significant=True, non_inferior=False, either=True)),  # [.196]
    ],
)
def test_each_kind_of_evidence_has_its_own_say(lost, gained, passes):
    before, after = changed(100, lost, gained)
    assert {mode: gated(before, after, mode).passed for mode in MODES} == passes


def test_a_drop_of_ten_in_a_hundred_passes_counts_and_fails_the_test():
    verdict = gated(*changed(100, 10, 0), "either")
    (failed,) = verdict.failures
    assert failed.shown.sentence.endswith("p 0.001: a significant drop")
    assert failed.sentence.endswith("; fell: q0, q1, q2, q3, q4, q5, q6, q7 and 2 more")


def test_a_negligible_drop_is_no_alarm_however_sure_it_is():
    before, after = changed(1000, 9, 0)  # p = 2⁻⁹
    assert not gated(before, after, "either").passed
    assert gated(before, after, "either", negligible=0.009).passed
    assert not gated(before, after, "either", negligible=0.0089).passed


def test_measures_that_tell_the_same_are_one_test():
    before, after = changed(100, 5, 0)  # p = 2⁻⁵ alone, and both hit rates tell the same
    limits = {"all": dict.fromkeys(("recall", "hit_rate_at_1", "hit_rate_at_3"), 0.1)}
    verdict = decide(after, before, GateThresholds(max_drop=limits, evidence="either"))
    assert not verdict.passed
    assert {check.shown.p for check in verdict.checks if check.shown} == {2**-5}


def test_limits_on_different_questions_are_corrected_for_each_other():
    rows = [
        [row(f"{name}{i}", None if i < lost else 1, subsets=[f"tag.{name}"]) for i in range(50)]
        for lost in (0, 5)
        for name in "ab"
    ]
    before, after = result_of(*rows[0], *rows[1]), result_of(*rows[2], *rows[3])
    limits = {f"tag.{name}": {"recall": 0.2} for name in "ab"}
    verdict = decide(after, before, GateThresholds(max_drop=limits, evidence="either"))
    assert verdict.passed
    # Ten coins: the chance that the five of either subset fall alike.
    p = 1 - (1 - 2**-5) ** 2
    assert [check.shown.p for check in verdict.checks if check.shown] == pytest.approx([p, p])


def test_a_limit_that_no_test_could_reach_costs_the_others_nothing():
    # Four questions cannot reach 5 %: they stay out of the family, and recall is tested alone.
    before, after = changed(100, 5, 0)
    few = [row(f"few{i}", 1, subsets=["tag.few"]) for i in range(4)]
    before = result_of(*before.rows.values(), *few)
    after = result_of(*after.rows.values(), *few)
    limits = {"all": {"recall": 0.1}, "tag.few": {"recall": 0.5}}
    verdict = decide(after, before, GateThresholds(max_drop=limits, evidence="either", level=0.07))
    assert used(verdict) == ["either", "counts"]
    assert not verdict.passed


@pytest.mark.parametrize("mode", ["significant", "non_inferior", "either"])
def test_five_questions_are_judged_by_counts_since_no_test_can_see_them(mode):
    # All five lost: p = 1/32 is the least that five can reach, and it must not forgive four.
    for lost, passes in ((0, True), (1, False), (4, False)):
        verdict = gated(hits(5, 5), hits(5 - lost, 5), mode, level=0.03)
        assert (verdict.passed, used(verdict)) == (passes, ["counts"])
        assert verdict.checks[-1].shown.sentence.endswith(
            "too few questions for a test at 0.03: counts decide"
        )


@pytest.mark.parametrize(
    ("n", "tolerance", "by"),
    [
        (34, 0.1, "significant"),  # fails from 4; the test needs 5, no more than twice that
        (34, 0.05, "counts"),  # fails from 2; the test would forgive up to 4
        (100, 0.05, "significant"),  # fails from 6
        (400, 0.0, "counts"),  # no tolerance is no tolerance
    ],
)
def test_significance_may_forgive_no_more_than_twice_what_counts_allow(n, tolerance, by):
    assert used(gated(*changed(n, 1, 0), "significant", tolerance)) == [by]


@pytest.mark.parametrize(("n", "by"), [(24, "counts"), (25, "non_inferior")])
def test_what_unchanged_results_cannot_show_is_judged_by_counts(n, by):
    verdict = gated(hits(20, n), hits(20, n), "non_inferior")
    assert (verdict.passed, used(verdict)) == (True, [by])


@pytest.mark.parametrize("mode", MODES)
def test_no_evidence_softens_floors_errors_leaks_or_no_tolerance(mode):
    before = result_of(row("a", 1, subsets=["tag.x"]), *[row(f"q{i}", 1) for i in range(99)])
    lost = result_of(row("a", None, subsets=["tag.x"]), *[row(f"q{i}", 1) for i in range(99)])
    broken = result_of(row("a", 1, failed=True, leaks=1), *[row(f"q{i}", 1) for i in range(99)])
    facts = {"evidence": mode, "max_drop": {"all": {"recall": 1.0}}}
    untouchable = GateThresholds(no_tolerance=("tag.x",), **facts)
    assert not decide(lost, before, untouchable).passed
    assert not decide(lost, before, GateThresholds(floors={"all": {"recall": 1.0}}, **facts)).passed
    assert len(decide(broken, before, GateThresholds(**facts)).failures) == 2


@pytest.mark.parametrize("mode", MODES)
def test_an_identical_rerun_passes_whatever_is_asked(mode):
    for n in (1, 5, 34, 400):
        assert gated(hits(n // 2, n), hits(n // 2, n), mode).passed


@pytest.mark.parametrize("level", [0, -0.05, 0.51, 1, float("nan"), "much", True])
def test_a_level_is_above_0_and_at_most_a_half(level):
    with pytest.raises(ValidationError):
        GateThresholds(level=level)


@pytest.mark.parametrize(
    "words", ["threshold.evidence=both", "threshold.level=0", "threshold.negligible=2"]
)
def test_the_command_line_refuses_such_evidence_before_any_work(typed, tmp_path, words):
    said = typed("gate", words)
    assert (said.code, said.err.startswith(words.partition("=")[0])) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_paraphrases_of_one_question_are_one_voice():
    # Ten lost paraphrases of two questions are two coins: p = 1/4, not 1/1024.
    def side(rank):
        lost = [row(f"p{i}", rank) for i in range(10)]
        return result_of(*lost, *[row(f"q{i}", 1) for i in range(90)])

    def grouped(found):
        from dataclasses import replace

        rows = [
            replace(one, group=f"g{int(one.id[1]) % 2}") if one.id[0] == "p" else one
            for one in found.rows.values()
        ]
        return result_of(*rows)

    apart = gated(side(1), side(None), "either", 0.2).checks[-1].shown
    together = gated(grouped(side(1)), grouped(side(None)), "either", 0.2).checks[-1].shown
    assert (apart.paired.worse, apart.paired.groups) == (2**-10, 100)
    assert (together.paired.worse, together.paired.groups) == (2**-2, 92)
    assert "(92 groups)" in together.sentence


TAGS = {
    f"rageval.{name}": name
    for name in ("set", "split", "benchmark", "variant", "chunking", "retrieval")
}
CELLS = {
    "id": "q", "question": "?", "labels": "l", "subsets": ["all"], "recall": 1.0,
    "target_rank": 1, "evidence_rank": 1, "answer_rank": 1, "distractor_rank": None,
    "diagnosis": "found", "documents": [], "error": None, "leaks": 0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("cells", "group"), [({}, None), ({"group": None}, None), ({"group": "g"}, "g")]
)
def test_a_table_without_groups_reads_as_before(cells, group):
    kept = CELLS | cells
    read = result("r", TAGS, {"columns": list(kept), "data": [list(kept.values())]}).rows["q"]
    assert (read.group, "group" in read.values) == (group, False)


def test_a_group_that_is_no_name_is_no_verdict():
    kept = CELLS | {"group": 7}
    with pytest.raises(NoVerdictError, match="no name of a group"):
        result("r", TAGS, {"columns": list(kept), "data": [list(kept.values())]})


def test_every_report_shows_p_interval_and_what_decided():
    verdict = gated(*changed(100, 10, 0), "either")
    sentence = verdict.failures[0].shown.sentence
    assert f"    {sentence}" in list(verdict_lines(verdict))
    assert "a significant drop" in verdict_page(verdict)
    cases = {c.get("name"): c for c in Xml.fromstring(junit(verdict)).iter("testcase")}
    assert cases["drop all recall"].find("failure").text == sentence
    (found,) = [check for check in as_json(verdict)["checks"] if check["rule"] == "drop"]
    shown = found["statistics"]
    facts = ("either", 2**-10, 100, True)
    assert tuple(shown[key] for key in ("evidence", "p", "n", "exact")) == facts
    assert -0.18 < shown["low"] < shown["difference"] == -0.1 < shown["high"] < -0.04
    passed = gated(*changed(100, 1, 0), "either")
    cases = {c.get("name"): c for c in Xml.fromstring(junit(passed)).iter("testcase")}
    assert "no significant drop" in cases["drop all recall"].find("system-out").text


def test_the_statistics_of_a_verdict_have_exactly_the_published_keys():
    schema = json.loads((ROOT / "docs" / "reference" / "verdict.schema.json").read_text())
    keys = schema["$defs"]["statistics"]
    found = as_json(gated(hits(2, 2), hits(1, 2), "counts"))["checks"][-1]
    assert list(found["statistics"]) == keys["required"] == list(keys["properties"])
    assert keys["properties"]["evidence"]["enum"] == list(MODES)
    others = as_json(decide(hits(1, 1), None, GateThresholds()))["checks"]
    assert {check["statistics"] for check in others} == {None}

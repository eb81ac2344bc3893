"""The gate's decision on results that are written down; counts and tolerances by hand."""

import json
from pathlib import Path

import pytest
from pydantic import ValidationError
from results import hits, result_of, row, silent

from rageval.gate.decision import Terms, decide
from rageval.gate.thresholds import GateThresholds
from rageval.gate.verdict import Outcome, Rule, State
from rageval.report.comparison import as_json, verdict_lines

ROOT = Path(__file__).parents[1]


def drop(before, after, tolerance, measure="hit_rate_at_1", subset="all"):
    limits = GateThresholds(max_drop={subset: {measure: tolerance}})
    return decide(after, before, limits)


@pytest.mark.parametrize(
    ("before", "after", "n", "tolerance", "passes"),
    [
        (1, 0, 2, 0.5, True),  # a drop of 0.5: equal passes
        (1, 0, 2, 0.0, False),
        (8, 7, 10, 0.1, True),  # in floats 0.8 − 0.7 > 0.1
        (8, 6, 10, 0.1, False),
        (7, 8, 10, 0.0, True),  # an improvement never fails
        (9, 6, 10, 0.3, True),  # Fraction(0.3) of the float is below 3/10
        (1, 0, 1, 1.0, True),
        (29, 0, 100, 0.29, True),  # 0.29 in floats is above 29/100
    ],
)
def test_a_drop_fails_only_beyond_the_tolerance_that_was_written(
    before, after, n, tolerance, passes
):
    assert drop(hits(before, n), hits(after, n), tolerance).passed is passes


@pytest.mark.thorough
def test_an_identical_rerun_at_tolerance_zero_passes_for_every_hit_count():
    found, lost = [row(f"q{i}", 1) for i in range(60)], [row(f"q{i}", None) for i in range(60)]
    limits = GateThresholds(max_drop={"all": {"hit_rate_at_1": 0.0, "recall": 0.0}})
    for n in range(1, 61):
        for count in range(n + 1):
            measured = result_of(*found[:count], *lost[count:n])
            assert decide(measured, measured, limits).passed, (count, n)


def test_shares_of_an_identical_rerun_are_equal_at_tolerance_zero():
    rows = [row(f"q{i}", 1, completeness=i / 7, ndcg_at_10=1 / (i + 1.7)) for i in range(8)]
    for measure in ("completeness", "ndcg_at_10"):
        assert drop(result_of(*rows), result_of(*rows), 0.0, measure).passed


def test_every_two_decimal_tolerance_lets_an_equal_drop_pass_and_the_next_question_fail():
    for hundredths in range(100):
        tolerance = hundredths / 100
        assert drop(hits(100, 100), hits(100 - hundredths, 100), tolerance).passed
        assert not drop(hits(100, 100), hits(99 - hundredths, 100), tolerance).passed


def test_one_measure_alone_is_enough_to_fail():
    before = result_of(row("a", 1), row("b", 1))
    after = result_of(row("a", 3), row("b", 1))  # hit@1 2/2 → 1/2; hit@3 stays
    limits = {"all": {"hit_rate_at_1": 0.1, "hit_rate_at_3": 0.1}}
    verdict = decide(after, before, GateThresholds(max_drop=limits))
    assert [check.measure for check in verdict.failures] == ["hit_rate_at_1"]
    assert verdict.failures[0].sentence == (
        "2/2 (1.000) → 1/2 (0.500), allowed drop 0.1 (fails at 1 or more lost questions); fell: a"
    )


def test_a_failure_says_what_the_tolerance_means_in_questions():
    verdict = drop(hits(31, 34), hits(27, 34), 0.1)  # 0.1 of 34 is 3.4: the fourth fails
    assert verdict.failures[0].sentence == (
        "31/34 (0.912) → 27/34 (0.794), allowed drop 0.1 (fails at 4 or more lost questions); "
        "fell: q27, q28, q29, q30"
    )
    assert "gate FAILED: tiny, candidate (run candidate)" in verdict_lines(verdict)
    assert drop(hits(31, 34), hits(28, 34), 0.1).passed


@pytest.mark.parametrize(
    "tolerance",
    [-0.0001, 1.0001, float("nan"), float("inf"), float("-inf"), 1e309, "", "typo", True, None],
    ids=str,
)
@pytest.mark.parametrize("kind", ["max_drop", "floors"])
def test_a_limit_is_a_finite_number_in_0_to_1(kind, tolerance):
    with pytest.raises(ValidationError):
        GateThresholds(**{kind: {"all": {"recall": tolerance}}})


@pytest.mark.parametrize("words", ["-0.0001", "1.0001", "nan", "inf", "-inf", "1e309", "", "typo"])
@pytest.mark.parametrize("verb", ["gate", "evaluate"])
def test_the_command_line_refuses_such_a_tolerance_before_any_work(typed, tmp_path, verb, words):
    chosen = ["+retriever=bm25"] if verb == "evaluate" else ["gate"]
    said = typed(*chosen, f"threshold.max_drop.all.recall={words}")
    assert said.code == 2
    assert said.err.startswith("threshold.max_drop.all.recall: ")
    assert list(tmp_path.iterdir()) == []  # no store was made, nothing was retrieved


def test_a_negative_zero_is_zero():
    assert (
        str(GateThresholds(max_drop={"all": {"recall": -0.0}}).max_drop["all"]["recall"]) == "0.0"
    )
    verdict = drop(hits(2, 2), hits(1, 2), -0.0)
    assert verdict.failures[0].sentence.endswith(
        "allowed drop 0 (fails at 1 or more lost questions); fell: q1"
    )


@pytest.mark.parametrize(("floor", "passes"), [(0.7, True), (0.71, False), (0.69, True)])
def test_a_value_below_its_floor_fails_and_one_at_it_passes(floor, passes):
    verdict = decide(hits(7, 10), None, GateThresholds(floors={"all": {"recall": floor}}))
    assert verdict.passed is passes


def test_a_floor_on_a_subset_without_cases_fails():
    limits = GateThresholds(floors={"tag.rights": {"recall": 0.0}})
    (failed,) = decide(hits(3, 3), None, limits).failures
    assert (failed.subset, failed.sentence) == ("tag.rights", "has a floor and no question")


def test_a_floor_on_a_measure_that_applies_to_no_question_of_the_subset_fails():
    quiet = result_of(row("a", 1), silent("b", True, subsets=["answerable.false"]))
    limits = GateThresholds(floors={"answerable.false": {"recall": 0.0}})
    assert not decide(quiet, None, limits).passed


def test_without_a_baseline_drops_and_no_tolerance_are_not_judged():
    limits = GateThresholds(max_drop={"all": {"recall": 0}}, no_tolerance=("all",))
    verdict = decide(hits(0, 3), None, limits)
    assert (verdict.state, verdict.passed) == (State.BASELINE, True)
    assert [check.rule for check in verdict.checks] == [Rule.ERRORS, Rule.LEAKS]


def test_no_tolerance_fails_on_one_lost_question_whatever_the_rest_gains():
    narrow = ["tag.permission_narrow"]
    before = result_of(row("right", 2, subsets=narrow), *[row(f"q{i}", None) for i in range(9)])
    after = result_of(row("right", None, subsets=narrow), *[row(f"q{i}", 1) for i in range(9)])
    limits = GateThresholds(
        max_drop={"all": {"recall": 0.05}}, no_tolerance=("tag.permission_narrow",)
    )
    (failed,) = decide(after, before, limits).failures
    assert failed.rule is Rule.NO_TOLERANCE
    assert failed.sentence == "1 of 1 questions lost, none is allowed: right"


def test_a_found_question_that_only_moved_inside_the_window_is_not_lost():
    before, after = row("q", 1, subsets=["tag.x"]), row("q", 3, subsets=["tag.x"])
    assert decide(result_of(after), result_of(before), GateThresholds(no_tolerance=("all",))).passed


def test_a_document_that_leaves_the_deepest_hit_rate_is_lost_though_its_chunk_is_in_the_window():
    # Rank 3 → 4: in the window of six, but no longer among the three best documents.
    verdict = decide(
        result_of(row("q", 4)), result_of(row("q", 3)), GateThresholds(no_tolerance=("all",))
    )
    assert not verdict.passed


@pytest.mark.parametrize("measure", ["hit", "denied_pass"])
def test_lost_silence_and_lost_withholding_are_regressions_like_any_other(measure):
    before = result_of(silent("q", True, measure, subsets=["tag.x"]), row("a", 1))
    after = result_of(silent("q", False, measure, subsets=["tag.x"]), row("a", 1))
    verdict = decide(after, before, GateThresholds(no_tolerance=("tag.x",)))
    assert verdict.failures[0].sentence == "1 of 1 questions lost, none is allowed: q"
    judged = "hit_rate_at_1" if measure == "hit" else "denied_pass"
    assert not drop(before, after, 0.1, judged).passed


@pytest.mark.parametrize(("allowed", "passes"), [(0, False), (1, True), (None, True)])
def test_distractors_that_newly_rank_above_the_answer_are_counted(allowed, passes):
    before = result_of(
        row("a", 1, distractor_above_answer=0.0), row("b", 1, distractor_above_answer=1.0)
    )
    after = result_of(
        row("a", 2, distractor_above_answer=1.0), row("b", 1, distractor_above_answer=1.0)
    )
    verdict = decide(after, before, GateThresholds(new_distractors=allowed))
    assert verdict.passed is passes
    if allowed == 0:
        assert verdict.failures[0].sentence == (
            "1 questions newly have a distractor above the answer, 0 are allowed: a"
        )


def test_an_error_or_a_leak_fails_without_any_tolerance_and_without_a_baseline():
    (failed,) = decide(
        result_of(row("a", 1), row("b", None, failed=True)), None, GateThresholds()
    ).failures
    assert failed.rule is Rule.ERRORS
    (leak,) = decide(result_of(row("a", 1, leaks=2)), None, GateThresholds()).failures
    assert (leak.rule, leak.sentence) == (
        Rule.LEAKS,
        "2 candidates that their asker may not see, 0 are allowed",
    )


def test_across_chunkings_only_what_does_not_depend_on_the_cut_is_judged_and_a_note_says_so():
    before = result_of(row("a", 1, precision=1.0, distractor_above_answer=0.0), chunking="heading")
    after = result_of(row("a", 1, precision=0.1, distractor_above_answer=1.0), chunking="fixed")
    limits = GateThresholds(
        floors={"all": {"precision": 0.5, "recall": 0.5}},
        max_drop={"all": {"precision": 0.1, "hit_rate_at_1": 0.1}},
        new_distractors=0,
    )
    assert len(decide(after, before, limits).checks) == 4  # errors, leaks, recall, hit_rate_at_1
    (note,) = decide(after, before, limits).notes
    assert note.endswith("left out: floors.all.precision, max_drop.all.precision, new_distractors")
    same = result_of(*before.rows.values(), chunking="fixed")
    assert len(decide(after, same, limits).failures) == 3  # with one chunking all of them count


def test_limits_that_found_no_question_are_told():
    limits = GateThresholds(max_drop={"tag.mispelt": {"recall": 0}}, no_tolerance=("tag.rights",))
    verdict = decide(hits(1, 1), hits(1, 1), limits)
    assert verdict.notes == (
        "no question to compare with the champion: max_drop.tag.mispelt.recall, no_tolerance: "
        "tag.rights",
    )


def test_the_verdict_as_data_names_every_question_that_changed():
    before = result_of(row("a", 1), row("b", None), row("gone", 1), run="champion")
    after = result_of(row("a", None), row("b", 1), row("new", 1))
    terms = Terms(allow_removed=1)
    found = as_json(decide(after, before, GateThresholds(), State.RESCORED, terms))
    assert (found["passed"], found["state"]) == (True, "rescored")
    assert (found["improved"], found["regressed"]) == (["b"], ["a"])
    assert (found["added"], found["removed"]) == (["new"], ["gone"])
    assert (found["candidate"]["run"], found["baseline"]["run"]) == ("candidate", "champion")


def test_a_limit_on_a_measure_that_is_not_taken_lists_those_that_are():
    limits = GateThresholds(max_drop={"all": {"hitrate": 0.1}})
    with pytest.raises(ValueError, match="no such measure; there are: recall, mrr"):
        limits.require_known(["recall", "mrr"])


def test_the_verdict_has_exactly_the_keys_and_words_of_its_published_schema():
    schema = json.loads((ROOT / "docs" / "reference" / "verdict.schema.json").read_text())
    limits = GateThresholds(
        floors={"all": {"recall": 0}},
        max_drop={"all": {"recall": 0}},
        no_tolerance=("all",),
        new_distractors=0,
    )
    found = as_json(decide(hits(1, 2), hits(2, 3), limits))
    check, run = schema["$defs"]["check"], schema["$defs"]["run"]
    assert list(found) == schema["required"] == list(schema["properties"])
    assert list(found["checks"][0]) == check["required"] == list(check["properties"])
    assert list(found["candidate"]) == list(found["baseline"]) == run["required"]
    assert {one["rule"] for one in found["checks"]} == set(check["properties"]["rule"]["enum"])
    assert {state.value for state in State} == set(schema["properties"]["state"]["enum"])
    assert {one.value for one in Outcome} == set(schema["properties"]["outcome"]["enum"])


@pytest.mark.parametrize("words", ['registry.model="o\'b"', 'gate.sets=["o\'b"]'])
def test_a_name_that_would_end_a_query_of_the_store_is_refused_before_any_work(
    typed, tmp_path, words
):
    said = typed("gate", words)
    assert (said.code, said.err.startswith(words.partition("=")[0])) == (2, True)
    assert list(tmp_path.iterdir()) == []

"""What a comparison says of two results; the expected turns are worked out from the ranks."""

from fractions import Fraction

import pytest
from results import result_of, row, silent

from rageval.comparison.changes import Turn, compare
from rageval.comparison.paired import headlines
from rageval.comparison.result import result
from rageval.errors import NoVerdictError
from rageval.report import certainty
from rageval.report import comparison as words
from rageval.report.comparison_page import comparison_page


def turn(before, after):
    (change,) = compare(result_of(before), result_of(after)).changes
    return change.turn


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, 6, Turn.IMPROVED),  # recall 0 → 1
        (6, None, Turn.REGRESSED),
        (7, None, Turn.MISSED),  # both below the window of 6: recall 0 and 0
        (3, 2, Turn.IMPROVED),  # mrr 1/3 → 1/2, up by 0.167
        (2, 3, Turn.REGRESSED),
        (3, 4, Turn.KEPT),  # mrr 1/3 → 1/4: 0.083 is inside the dead band of 0.1
        (5, 6, Turn.KEPT),
        (1, 1, Turn.KEPT),
    ],
)
def test_recall_decides_and_then_the_reciprocal_rank_beyond_a_tenth(before, after, expected):
    assert turn(row("q", before), row("q", after)) is expected


def test_a_drop_of_exactly_a_tenth_stays_inside_the_dead_band():
    # Ranks 2 and 2.5 do not exist, so the border is met with 1/5 → 1/10 in a window of ten chunks.
    before, after = row("q", 5), row("q", 5, mrr=1 / 10)
    after.ranks["evidence"] = 10
    assert before.exact("mrr") - after.exact("mrr") == Fraction(1, 10)
    assert turn(before, after) is Turn.KEPT


def test_a_move_inside_the_dead_band_is_shown_by_its_ranks():
    (change,) = compare(result_of(row("q", 3)), result_of(row("q", 4))).changes
    assert (change.turn, change.moved) == (Turn.KEPT, True)
    told = words.questions(compare(result_of(row("q", 3)), result_of(row("q", 4))))
    shown = dict(zip(told.columns, told.data[0], strict=True))
    assert (shown["evidence rank before"], shown["evidence rank after"]) == (3, 4)


@pytest.mark.parametrize("measure", ["hit", "denied_pass"])
@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (True, False, Turn.REGRESSED),
        (False, True, Turn.IMPROVED),
        (True, True, Turn.KEPT),
        (False, False, Turn.MISSED),
    ],
)
def test_silence_and_withholding_are_won_and_lost_like_answers(measure, before, after, expected):
    assert turn(silent("q", before, measure), silent("q", after, measure)) is expected


def test_only_the_hit_decides_where_nothing_answers():
    # A table may hold any other measure for such a question; it must not make it a regression.
    before, after = silent("q", True, ndcg_at_10=0.9), silent("q", True, ndcg_at_10=0.1)
    assert turn(before, after) is Turn.KEPT


def test_added_removed_and_relabelled_questions_are_listed_and_not_compared():
    before = result_of(row("kept", 1), row("gone", 1), row("changed", 1, labels="old"))
    after = result_of(row("new", None), row("kept", None), row("changed", None, labels="new"))
    found = compare(before, after)
    assert (found.added, found.removed, found.relabelled) == (("new",), ("gone",), ("changed",))
    assert [change.after.id for change in found.changes] == ["kept"]
    assert list(words.overview(found)) == [
        "comparison: candidate → candidate",
        "improved   (0): –",
        "regressed  (1): kept",
        "net: -1 of 1 paired questions",
        "added (1): new",
        "removed (1): gone",
        "relabelled (1): changed",
    ]


def test_net_is_improved_less_regressed():
    before = result_of(row("a", 1), row("b", 1), row("c", None), row("d", None))
    after = result_of(row("a", None), row("b", None), row("c", 1), row("d", None))
    assert compare(before, after).net == -1  # c improved; a and b regressed; d is still missed


def test_a_regression_says_what_stands_in_the_answers_place():
    before = row("q", 1, documents=["leave", "pump"])
    after = row("q", None, documents=["leave-2020", "pump"], diagnosis="not in the ranking")
    (change,) = compare(result_of(before), result_of(after)).changes
    told = words.told(change)
    assert told.question == "question q?"
    assert told.values == "recall 1.00 → 0.00, mrr 1.00 → 0.00"
    assert told.ranks == (
        "first evidence 1 → absent, best document 1 → absent; leave-2020 stands in its place"
    )
    assert told.diagnosis == "not in the ranking"


def test_subsets_count_each_question_in_each_of_its_own():
    before = result_of(row("a", 1, subsets=["tag.x", "tag.y"]), row("b", 1, subsets=["tag.y"]))
    after = result_of(row("a", 9, subsets=["tag.x", "tag.y"]), row("b", 1, subsets=["tag.y"]))
    found = compare(before, after)
    counts = {name: len(found.of(Turn.REGRESSED, name)) for name in found.subsets}
    assert counts == {"all": 1, "tag.x": 1, "tag.y": 1}
    table = {line[0]: line for line in words.subsets(found).data}
    assert table["tag.y"][:4] == ["tag.y", 2, 0, 1]
    assert table["tag.y"][5:7] == [1.0, 0.5]  # recall before and after


def test_a_comparison_tells_how_sure_it_is_in_every_form():
    # Of ten questions six are lost and none won: two-sided p = 2 / 2⁶ = 0.031.
    before = result_of(*[row(f"q{i}", 1) for i in range(10)], name="old")
    after = result_of(*[row(f"q{i}", None if i < 6 else 1) for i in range(10)], name="new")
    found = compare(before, after)
    sure = headlines(found)
    assert list(sure) == ["hit_rate_at_1", "hit_rate_at_3", "recall", "mrr"]
    shown = {line[0]: line for line in certainty.short(found, sure).data}["recall"]
    assert shown[:4] == ["recall", 10, "1.000", "0.400"]
    assert (shown[4].split(" [")[0], shown[5]) == ("−0.600", "0.031")
    (told,) = certainty.lines(sure)
    assert told == (
        "with 10 questions one question is 10.0 points; a drop under 5 questions cannot be told "
        "from chance"
    )
    page = certainty.page(found, sure)
    assert "| recall | 10 | 1.000 | 0.400 | −0.600 " in page
    assert "<b>q0</b>" in page
    html = comparison_page([(found, sure)])[""].decode()
    assert '<th scope="row">recall</th><td class="num">10</td><td class="num">1.000</td>' in html
    assert told in html
    numbers = certainty.table(sure)
    line = dict(zip(numbers.columns, numbers.data[2], strict=True))
    assert (line["measure"], line["worse"], line["either"]) == ("recall", 2**-6, 2**-5)


def test_two_results_without_a_common_question_have_no_statistics():
    found = compare(result_of(row("a", 1)), result_of(row("b", 1)))
    assert headlines(found) == {}
    assert certainty.lines({}) == []
    assert certainty.page(found, {}).startswith("```")


TAGS = {
    f"rageval.{name}": name
    for name in ("set", "split", "benchmark", "variant", "chunking", "retrieval")
}
CELLS = {
    "id": "q", "question": "?", "labels": "l", "subsets": ["all"],
    "target_rank": 1, "evidence_rank": 3, "answer_rank": 1, "distractor_rank": None,
    "recall": 1.0, "mrr": 1 / 3, "denied_pass": None,
    "diagnosis": "found", "documents": ["d"], "error": None, "leaks": 0,
}  # fmt: skip


def table(**changed):
    cells = CELLS | changed
    return {"columns": list(cells), "data": [list(cells.values())]}


def test_a_kept_table_reads_back_as_exact_fractions():
    read = result("r", TAGS, table(completeness=2 / 3)).rows["q"]
    assert (read.exact("mrr"), read.exact("completeness")) == (Fraction(1, 3), Fraction(2, 3))
    assert read.exact("denied_pass") is None


@pytest.mark.parametrize("missing", TAGS)
def test_a_run_that_lacks_a_fingerprint_has_unknown_provenance(missing):
    tags = {name: value for name, value in TAGS.items() if name != missing}
    with pytest.raises(NoVerdictError, match=f"its provenance is unknown, it lacks {missing}"):
        result("r", tags, table())


@pytest.mark.parametrize(
    "content",
    [
        None, [], 7, "text", {}, {"columns": []}, {"columns": ["id"], "data": [["q"]]},
        {"columns": None, "data": None}, {"columns": list(CELLS), "data": [[1]]},
        {"columns": list(CELLS), "data": []}, {"columns": list(CELLS), "data": [None]},
        table(recall="much"), table(recall=float("nan")), table(recall=1.5), table(mrr=[1]),
        table(evidence_rank="first"), table(target_rank=0), table(target_rank=1.5),
        table(leaks=None), table(leaks=-1), table(subsets="all"), table(documents=[None]),
    ],
)  # fmt: skip
def test_a_malformed_table_is_no_verdict_and_never_a_traceback(content):
    with pytest.raises(NoVerdictError, match="run r: its table of questions"):
        result("r", TAGS, content)


def test_a_table_that_holds_a_question_twice_is_no_result():
    twice = table()
    twice["data"] *= 2
    with pytest.raises(NoVerdictError, match="holds a question twice"):
        result("r", TAGS, twice)

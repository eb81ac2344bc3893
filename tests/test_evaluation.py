"""One evaluation: which questions count where, and why each went as it did."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_pipeline import Spy, pipeline_of

from rageval.chunking.sentence import Sentences
from rageval.evaluation.diagnosis import Cause
from rageval.evaluation.evaluation import evaluate
from rageval.evaluation.judgements import Benchmark
from rageval.golden.question import Answerable, GoldenSet, Question, Reference
from rageval.judging.resolution import resolve
from rageval.measures.catalogue import Cutoffs, catalogue
from rageval.retrieval.retrievers.foreign import Foreign
from rageval.retrieval.window import Window

LETTERS = "abcdefgh"


class Answers:
    """A retriever that knows its answer to each question: a word of documents, or a fault."""

    def __init__(self, answers):
        self.answers = answers

    def retrieve(self, question, limit, groups):
        answer = self.answers[question]
        if isinstance(answer, Exception):
            raise answer
        scored = [(name, 1 - place / 100) for place, name in enumerate(answer)]
        return scored[:limit]


def question(name, **labels):
    return Question(name, name, **labels)


def evaluated(answers, questions, cutoffs=None, pipeline=None, **settings):
    """Evaluate given answers on documents a..h of one chunk each."""
    window = settings.pop("window", None) or Window(k=3, depth=8)
    pipeline = pipeline or pipeline_of(
        *(f"text {name}" for name in LETTERS),
        retriever=Foreign(Answers(answers)),
        window=window,
        **settings,
    )
    golden = GoldenSet("test", tuple(questions))
    evidence = resolve(golden, pipeline.chunks.corpus)
    benchmark = Benchmark(golden.questions, evidence, cutoffs or Cutoffs(), 0.5)
    return evaluate(pipeline, benchmark, lambda n: None)


def one(answer, window=None, groups=None, askers=None, **labels):
    """Evaluate a single question."""
    found = evaluated(
        {"q": answer}, [question("q", **labels)], window=window, groups=groups, askers=askers
    )
    return {name: values.at(0) for name, values in found.values.items()}, found.diagnoses[0]


def test_every_measure_of_the_catalogue_is_there_and_no_other():
    values, _ = one("a", expected=("a",))
    assert set(values) == {measure.name for measure in catalogue(Cutoffs())}


def test_the_measures_of_one_question_by_hand():
    # targets b (grade 1) and d; window (k = 3): a b c; ranking: a b c d
    values, _ = one("abcd", expected=("b", "d"), distractors=(Reference("c"),))
    assert values == {
        "hit_rate_at_1": 0.0,
        "hit_rate_at_3": 1.0,
        "recall": 1.0,
        "mrr": 0.5,
        "precision": pytest.approx(1 / 3),
        "completeness": 1.0,  # either of the two suffices
        "chunk_completeness": 1.0,
        "evidence_coverage": 1.0,
        "evidence_precision": pytest.approx(1 / 3),  # three texts of equal length
        # (1/log2(3) + 1/log2(5)) / (1/log2(2) + 1/log2(3)) = (.63093 + .43068) / 1.63093
        "ndcg_at_10": pytest.approx(0.650921, abs=1e-6),
        "judged_at_1": 0.0,
        "judged_at_3": pytest.approx(2 / 3),  # b and c have a label, a has none
        "distractor_above_answer": 0.0,
        "denied_pass": None,
    }


def test_supporting_documents_are_all_needed():
    need = ((Reference("a"),), (Reference("f"),))
    values, _ = one("abc", supporting=need)
    assert (values["recall"], values["completeness"]) == (1.0, 0.5)


def test_document_hits_look_at_distinct_documents_of_the_ranking_and_recall_at_the_window():
    # distinct: a b d → d is third; as chunks it is fourth, outside the window of 3
    values, _ = one("aabd", window=Window(k=2, depth=8), expected=("d",))
    assert (values["hit_rate_at_3"], values["recall"], values["mrr"]) == (1.0, 0.0, 0.0)


def test_an_erroring_retriever_is_a_miss_that_counts_and_an_error():
    answers = {"one": "a", "two": OSError("down")}
    found = evaluated(answers, [question(name, expected=("a",)) for name in answers])
    assert found.errors == 1
    summary = found.subsets["all"]["hit_rate_at_1"]
    assert (summary.n, summary.value) == (2, 0.5)
    for measure in ("recall", "mrr", "precision", "completeness", "ndcg_at_10"):
        assert found.values[measure].at(1) == 0.0


def test_an_empty_answer_is_a_miss_that_counts():
    found = evaluated({"q": ""}, [question("q", expected=("a",))])
    assert (found.errors, found.subsets["all"]["recall"].value) == (0, 0.0)


UNANSWERABLE = {"answerable": Answerable.NO}
DENIED = {"answerable": Answerable.DENIED, "forbidden": ("d", "e")}
OUTSIDE = [
    "recall", "mrr", "precision", "completeness", "chunk_completeness", "evidence_coverage",
    "evidence_precision", "ndcg_at_10", "judged_at_1", "distractor_above_answer",
]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "hit"), [("", 1.0), ("a", 0.0), ("abc", 0.0), (OSError("down"), 0.0)]
)
def test_an_unanswerable_question_is_a_hit_only_if_the_ranking_is_empty_and_nothing_failed(
    answer, hit
):
    values, _ = one(answer, **UNANSWERABLE)
    assert (values["hit_rate_at_1"], values["hit_rate_at_3"]) == (hit, hit)
    assert all(values[name] is None for name in [*OUTSIDE, "denied_pass"])


def test_a_floor_that_empties_the_ranking_wins_an_unanswerable_question_and_loses_the_others():
    floor = Window(k=3, depth=8, min_score=5.0)
    questions = [question("no", **UNANSWERABLE), question("yes", expected=("a",))]
    found = evaluated({"no": "abc", "yes": "abc"}, questions, window=floor)
    assert found.values["hit_rate_at_1"].value.tolist() == [1.0, 0.0]
    assert found.values["recall"].mean() == 0.0


@pytest.mark.parametrize(
    ("answer", "passes"),
    [("", 1.0), ("abc", 1.0), ("abcd", 0.0), ("ae", 0.0), (OSError("down"), 0.0)],
)
def test_a_denied_question_passes_if_nothing_failed_and_no_forbidden_document_came_back(
    answer, passes
):
    # d is beyond the window of three and still returned
    values, _ = one(answer, **DENIED)
    assert values["denied_pass"] == passes
    assert all(values[name] is None for name in [*OUTSIDE, "hit_rate_at_1", "hit_rate_at_3"])


def test_a_floor_does_not_hide_a_forbidden_candidate():
    values, _ = one("abcd", window=Window(k=3, depth=8, min_score=5.0), **DENIED)
    assert values["denied_pass"] == 0.0


def test_only_questions_with_distractors_count_for_the_inversion():
    answers = {"above": "ba", "below": "ab", "none": "ab", "lost": "b", "neither": "c"}
    trap = {"expected": ("a",), "distractors": (Reference("b"),)}
    questions = [question(n, **(trap if n != "none" else {"expected": ("a",)})) for n in answers]
    found = evaluated(answers, questions).values["distractor_above_answer"]
    assert [found.at(row) for row in range(5)] == [1.0, 0.0, None, 1.0, 0.0]


def test_leaks_are_counted_over_all_questions():
    found = evaluated(
        {"q": "ab", "r": "a"},
        [question("q", expected=("b",)), question("r", expected=("b",))],
        groups={"a": ["hr"]},
    )
    assert found.leaks == 2


def test_subsets_hold_the_questions_that_name_them_and_their_sizes():
    answers = {"q": "a", "r": "b", "s": ""}
    questions = [
        question("q", expected=("a",), tags=("code",)),
        question("r", expected=("a",), tags=("code", "negation")),
        question("s", **UNANSWERABLE),
    ]
    found = evaluated(answers, questions)
    assert found.subsets["tag.code"]["hit_rate_at_1"].value == 0.5
    assert found.subsets["answerable.false"]["recall"].n == 0
    assert found.subsets["answerable.false"]["recall"].value is None
    assert found.sizes["all"] == 3
    assert found.sizes["tag.negation"] == 1


def diagnosis(answer, **settings):
    return one(answer, **settings)[1]


def test_found_says_at_which_rank():
    assert str(diagnosis("bca", expected=("a",))) == "found: rank 3"


def test_not_in_the_ranking_says_what_stands_first_instead():
    found = diagnosis("bc", expected=("a",))
    assert (found.cause, found.detail) == (Cause.NOT_RANKED, "a (first is b)")
    assert diagnosis("", expected=("a",)).detail == "a (nothing came back)"


def test_below_k_says_at_which_rank():
    found = diagnosis("bcdea", expected=("a",))
    assert (found.cause, found.detail) == (Cause.BELOW_K, "a at rank 5 (first is b)")


def test_removed_by_the_floor():
    # scores 1, .99, .98
    floor = Window(k=3, depth=8, min_score=0.985)
    assert diagnosis("bca", window=floor, expected=("a",)).cause is Cause.FLOORED


def test_removed_by_the_per_document_cap():
    text = "One is red. Two is blue."
    pipeline = pipeline_of(
        text,
        "x",
        retriever=Foreign(Spy(("a#0-11", 0.9), ("a#12-24", 0.8))),
        chunker=Sentences(per_chunk=1),
        window=Window(k=3, depth=8, per_document=1),
    )
    second = question("q", supporting=((Reference("a", quote="Two is blue."),),))
    found = evaluated({}, [second], pipeline=pipeline)
    assert found.diagnoses[0].cause is Cause.CAPPED


def test_outranked_by_a_distractor_though_the_answer_is_in_the_window():
    found = diagnosis("cba", expected=("a",), distractors=(Reference("b"),))
    assert (found.cause, found.detail) == (Cause.OUTRANKED, "rank 2, the answer 3")
    assert diagnosis("ab", expected=("a",), distractors=(Reference("b"),)).cause is Cause.FOUND


def test_not_indexed_is_evidence_that_no_chunk_holds_well_enough():
    class Nothing:
        def spans(self, document):
            return [(0, 4)]  # "text", without the letter

    pipeline = pipeline_of("text abcdefghij", retriever=Foreign(Spy()), chunker=Nothing())
    needed = question("q", supporting=((Reference("a", quote="abcdefghij"),),))
    found = evaluated({}, [needed], pipeline=pipeline)
    assert found.diagnoses[0].cause is Cause.NOT_INDEXED


def test_outside_the_askers_scope():
    found = diagnosis("b", expected=("a",), groups={"a": ["hr"]})
    assert (found.cause, found.detail) == (Cause.OUT_OF_SCOPE, "a")
    inside = diagnosis(
        "a", expected=("a",), asker="eva", groups={"a": ["hr"]}, askers={"eva": ["hr"]}
    )
    assert inside.cause is Cause.FOUND


def test_a_retriever_error_is_told_in_its_own_words():
    found = diagnosis(OSError("timeout after 3 s"), expected=("a",))
    # Its own words, and the line of its own code.
    assert str(found).startswith("retriever error: OSError: timeout after 3 s (test_evaluation.py:")


def test_rightly_silent_and_not_silent():
    assert diagnosis("", **UNANSWERABLE).cause is Cause.SILENT
    assert str(diagnosis("c", **UNANSWERABLE)) == (
        "returned something though nothing answers: first is c"
    )


def test_rightly_withheld_and_disclosed():
    assert diagnosis("abc", **DENIED).cause is Cause.WITHHELD
    assert str(diagnosis("aed", **DENIED)) == "returned what the asker may not see: d, e"


def test_of_several_missing_pieces_the_one_furthest_from_the_window_is_told():
    needs = tuple((Reference(name),) for name in "aeh")
    found = diagnosis("abcde", supporting=needs)
    assert (found.cause, found.detail) == (Cause.NOT_RANKED, "1 of 3 found, without h (first is a)")


rankings = st.text(LETTERS, max_size=8)
labels = st.sets(st.sampled_from(LETTERS), min_size=1, max_size=3).map(sorted)
CASES = st.lists(st.tuples(rankings, labels, labels), min_size=1, max_size=4)
WRONG = "h"  # stands in no label below


def cases(rows):
    """Return answers and questions; a document is never both target and distractor."""
    answers = {f"q{n}": ranking for n, (ranking, _, _) in enumerate(rows)}
    questions = [
        question(
            f"q{n}",
            expected=tuple(right),
            distractors=tuple(Reference(name) for name in wrong if name not in right),
        )
        for n, (_, right, wrong) in enumerate(rows)
    ]
    return answers, questions


def columns(found):
    return {name: values.value for name, values in found.values.items()}


@settings(max_examples=60)
@given(CASES)
def test_no_measure_leaves_zero_to_one_and_hits_grow_with_k(rows):
    found = evaluated(*cases(rows), Cutoffs(hit_at=(1, 2, 3, 5, 8)))
    for name, column in columns(found).items():
        assert np.isfinite(column).all(), name
        assert ((column >= 0) & (column <= 1)).all(), name
    hits = np.array([found.values[f"hit_rate_at_{k}"].value for k in (1, 2, 3, 5, 8)])
    assert (np.diff(hits, axis=0) >= 0).all()


@settings(max_examples=60)
@given(CASES, st.randoms(use_true_random=False))
def test_permuting_the_questions_changes_nothing(rows, random):
    answers, questions = cases(rows)
    there = evaluated(answers, questions)
    order = list(range(len(questions)))
    random.shuffle(order)
    back = evaluated(answers, [questions[n] for n in order])
    for name, column in columns(there).items():
        assert column[order].tolist() == back.values[name].value.tolist()
    assert there.subsets["all"] == back.subsets["all"]
    assert [there.diagnoses[n] for n in order] == back.diagnoses


@settings(max_examples=60)
@given(st.text("abcdefg", max_size=7), st.sets(st.sampled_from("abcdefg"), min_size=1).map(sorted))
def test_a_wrong_document_at_the_end_never_raises_a_measure(ranking, right):
    answers, questions = cases([(ranking, right, [])])
    before = columns(evaluated(answers, questions))
    after = columns(evaluated({"q0": ranking + WRONG}, questions))
    for name in before:
        assert after[name][0] <= before[name][0] + 1e-12, name


@settings(max_examples=60)
@given(rankings, labels)
def test_repeating_what_came_first_at_the_end_changes_nothing(ranking, right):
    answers, questions = cases([(ranking, right, [])])
    once = evaluated(answers, questions)
    twice = evaluated({"q0": ranking + ranking[:1] * 3}, questions, window=Window(k=3, depth=12))
    for name, column in columns(once).items():
        assert column.tolist() == twice.values[name].value.tolist(), name


@settings(max_examples=60)
@given(rankings, labels, st.integers(1, 8))
def test_a_larger_window_never_loses_evidence(ranking, right, k):
    answers, questions = cases([(ranking, right, [])])
    small = columns(evaluated(answers, questions, window=Window(k=k, depth=8)))
    large = columns(evaluated(answers, questions, window=Window(k=8, depth=8)))
    for name in ("recall", "mrr", "completeness", "chunk_completeness", "evidence_coverage"):
        assert large[name][0] >= small[name][0]

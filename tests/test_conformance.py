"""The rules of the two sources and the faults of other tools, a line of the list a test.

The letters and numbers are those of the list: A golden questions, B scoring, C6 labels digest,
D the harness, E faults seen in other tools.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted import LETTERS, Script, evaluated, letters, question, scored

from rageval.chunking.chunks import cut
from rageval.chunking.fixed import FixedSize
from rageval.chunking.heading import Headings
from rageval.chunking.recursive import Recursive
from rageval.chunking.sentence import Sentences
from rageval.chunking.whole import WholeDocument
from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError
from rageval.evaluation.diagnosis import Cause
from rageval.formats.canonical.golden import GoldenFile
from rageval.golden.question import Answerable, GoldenSet, Question, Reference
from rageval.judging.qrels import judge
from rageval.judging.resolution import resolve
from rageval.measures.distractors import distractor_above_answer
from rageval.measures.ranks import ABSENT

NO = {"answerable": Answerable.NO}


def refused(folder: Path, fields: str, name: str = "g.yaml") -> str:
    """Return why a golden file with one question of these fields is refused."""
    path = folder / name
    path.write_text(f"set: s\nquestions:\n- {{{fields}}}\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        GoldenFile(str(path)).load(letters())
    return str(error.value)


# A. Golden questions


@pytest.mark.parametrize(
    "fields",
    [
        "id: '', question: x, expected: [a]",
        "id: q, question: '', expected: [a]",
        "id: q, question: x, expected: ['']",
        "id: q, question: x, hard_class: '', expected: [a]",
        "id: ' ', question: x, expected: [a]",
        "id: q, question: ' ', expected: [a]",
        "id: q, question: x, expected: [a, a]",
        "id: q, question: x, form: BOTH, expected: [a]",
        "id: ' q', question: x, expected: [a]",
        "id: q, question: x, expected: [a], extra: 1",
        "id: q, id: r, question: x, expected: [a]",
        "id: q, question: x, expected: [a], distractors: [{document: a}]",
        "id: q, question: x, expected: [a], answerable: false",
        "id: q, question: x",
        "id: q, question: x, expected: []",
    ],
)
def test_rule_a_what_is_refused(tmp_path, fields):
    assert refused(tmp_path, fields).startswith(f"{tmp_path}/g.yaml:3: question ")


@pytest.mark.parametrize("written", ["no", "012", "1e3", "2024-01-01", "7", "null", "1.5", "true"])
def test_rule_a_ids_that_yaml_reads_as_other_types_are_refused(tmp_path, written):
    assert "text is needed" in refused(tmp_path, f"id: {written}, question: x, expected: [a]")
    assert "text is needed" in refused(tmp_path, f"id: q, question: x, expected: [{written}]")


def test_rule_a_any_of_the_hard_classes_and_both_forms_are_accepted(tmp_path):
    classes = [
        "near-duplicate",
        "specific-vs-general",
        "prose-free",
        "boilerplate",
        "normal",
        "x y",
    ]
    rows = [
        f"- {{id: q{n}, question: x, form: {form}, hard_class: '{name}', expected: [a], gist: g}}\n"
        for n, (name, form) in enumerate(zip(classes, ["MATCH", "GAP"] * 3, strict=True))
    ]
    path = tmp_path / "g.yaml"
    path.write_text("set: s\nquestions:\n" + "".join(rows), encoding="utf-8")
    assert [q.hard_class for q in GoldenFile(str(path)).load(letters())] == classes


# B. Scoring


@pytest.mark.parametrize(
    ("rule", "ranking", "targets", "top1", "top3"),
    [
        ("b1", "abcd", "a", 1, 1),
        ("b1", "bcad", "a", 0, 1),
        ("b1", "bcda", "a", 0, 0),
        ("b2", "cbda", "ba", 0, 1),
        ("b3", "aaab", "b", 0, 1),
        ("b3", "aabc", "c", 0, 1),
        ("b3", "aabcd", "d", 0, 0),
        ("b6", "", "a", 0, 0),
    ],
)
def test_rules_b1_b2_b3_b6_hits_of_a_ranking(rule, ranking, targets, top1, top3):
    values = scored(list(ranking), expected=tuple(targets))
    assert (values["hit_rate_at_1"], values["hit_rate_at_3"]) == (top1, top3), rule


@pytest.mark.parametrize(
    ("ranking", "targets", "top1"), [(["", "a"], ("a",), 1), (["", " "], ("a",), 0)]
)
def test_rule_b4_blank_ids_are_dropped(ranking, targets, top1):
    assert scored(ranking, expected=targets)["hit_rate_at_1"] == top1


def test_rule_b4_a_ranking_of_blanks_is_an_empty_one():
    assert scored(["", " "], **NO)["hit_rate_at_1"] == 1


def test_rule_b5_the_distinct_documents_are_recorded_in_order():
    found = evaluated({"q": list("aabcd")}, [question("q", expected=("a",))])
    assert [n for n in found.retrieved.documents[0].tolist() if n >= 0] == [0, 1, 2, 3]


@pytest.mark.parametrize(("ranking", "hit"), [("", 1), ("a", 0), ("abc", 0)])
def test_rule_b6_a_question_that_expects_nothing_is_hit_by_nothing(ranking, hit):
    values = scored(list(ranking), **NO)
    assert (values["hit_rate_at_1"], values["hit_rate_at_3"]) == (hit, hit)


def test_rule_b7_each_question_is_asked_as_written_in_order_with_the_overfetched_depth():
    script = Script({})
    texts = ["  two  spaces ", "UPPER?", "ünïcode\n"]
    questions = [Question(f"q{n}", text, expected=("a",)) for n, text in enumerate(texts)]
    evaluated(script, questions, depth=7)
    assert [(text, depth) for text, depth, _ in script.asked] == [(text, 7) for text in texts]


def test_rule_b8_an_empty_set_is_refused_and_an_empty_subset_has_no_value(tmp_path):
    path = tmp_path / "g.yaml"
    path.write_text("set: s\nquestions: []\n")
    with pytest.raises(InputError, match="the set holds no question"):
        GoldenFile(str(path)).load(letters())
    found = evaluated({}, [question("q", **NO)])
    summary = found.subsets["all"]["recall"]
    assert (summary.n, summary.value, summary.low) == (0, None, None)


def test_rule_b9_tables_hold_only_forms_and_classes_that_occur():
    rows = [
        question("p", expected=("a",), form="GAP", hard_class="normal"),
        question("q", expected=("a",)),
    ]
    found = evaluated({}, rows)
    kinds = [name for name in found.subsets if name.startswith(("form.", "class."))]
    assert kinds == ["form.GAP", "class.normal"]
    assert found.sizes["class.normal"] == 1


# C6. The labels digest

FULL = Question(
    "q", "x", form="GAP", hard_class="c", tags=("t",), asker="maria", history=("h",),
    expected=("a",), supporting=((Reference("a", heading=("H",)), Reference("b", quote="u")),),
    distractors=(Reference("d", span=(1, 2)),), grades={"a": 2}, group="g",
)  # fmt: skip
CHANGES = {
    "id": "r", "text": "y", "form": "MATCH", "hard_class": "k", "tags": ("t", "u"),
    "asker": "tom", "history": ("h", "i"), "expected": ("b",),
    "supporting": ((Reference("a", heading=("H",)),), (Reference("b", quote="u"),)),
    "distractors": (Reference("d", span=(1, 3)),), "answerable": Answerable.NO,
    "forbidden": ("f",), "grades": {"a": 1}, "group": None,
}  # fmt: skip


def digest_of(*questions: Question) -> str:
    return GoldenSet("s", questions).digest


@pytest.mark.parametrize("field", CHANGES)
def test_rule_c6_every_scoring_field_changes_the_digest(field):
    assert digest_of(FULL) != digest_of(replace(FULL, **{field: CHANGES[field]}))


def test_rule_c6_order_gist_notes_source_date_and_place_do_not():
    other = question("r", expected=("a",))
    told = replace(FULL, gist="g", notes="n", source="s", added="2024-01-01", where="f:1")
    assert digest_of(FULL, other) == digest_of(other, told)


def test_rule_c6_neighbouring_strings_are_kept_apart_and_distinct_bytes_stay_distinct():
    assert digest_of(question("a"), question("xb")) != digest_of(question("ax"), question("b"))
    pairs = [("é", "e\u0301"), ("a", "a\u200b"), ("\ud800", "\udc00"), ("1", "１")]
    for one, other in pairs:
        assert digest_of(Question("q", one)) != digest_of(Question("q", other))


# D. The harness


def test_rule_d_measures_of_one_window_by_hand():
    # Window a b c of a ranking a b c d; b and d support, both are needed.
    values = scored(list("abcd"), supporting=((Reference("b"),), (Reference("d"),)))
    assert (values["recall"], values["mrr"]) == (1, 1 / 2)
    assert values["precision"] == pytest.approx(1 / 3)
    assert (values["completeness"], values["chunk_completeness"]) == (1 / 2, 1 / 2)


def test_rule_d_an_empty_window_has_precision_zero():
    values = scored([], expected=("a",))
    assert (values["precision"], values["mrr"], values["recall"]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("distractor", "answer", "above"),
    [(1, 2, True), (2, 1, False), (ABSENT, 1, False), (3, ABSENT, True), (ABSENT, ABSENT, False)],
)
def test_rule_d_an_absent_rank_is_later_than_every_rank(distractor, answer, above):
    found = distractor_above_answer(np.array([distractor]), np.array([answer]))
    assert found.tolist() == [above]


def test_rule_d_inversions_are_looked_for_beyond_the_window():
    values = scored(list("abcdef"), expected=("f",), distractors=(Reference("e"),))
    assert values["distractor_above_answer"] == 1


def cause_of(answer, corpus=None, **settings):
    labels = settings.pop("labels", {"expected": ("a",)})
    found = evaluated({"q": answer}, [question("q", **labels)], corpus, **settings)
    return found.diagnoses[0].cause


def test_rule_d_every_cause_of_a_failure_is_named():
    hidden = letters(groups={"a": ["hr"]})
    trap = {"expected": ("a",), "distractors": (Reference("b"),)}
    floored = [("b", 0.9), ("a", 0.1)]
    sentences = Corpus((Document("a", "One is red. Two is blue."),), "s")
    second = {"supporting": ((Reference("a", quote="Two is blue."),),)}

    class Beginnings:
        def spans(self, document):
            return [(0, 4)]

    capped = [("a#0-11", 0.9), ("a#12-24", 0.8)]
    assert cause_of(["a"]) is Cause.FOUND
    assert cause_of(["b"], hidden) is Cause.OUT_OF_SCOPE
    assert cause_of(["b"]) is Cause.NOT_RANKED
    assert cause_of(list("bcda")) is Cause.BELOW_K
    assert cause_of(floored, min_score=0.5) is Cause.FLOORED
    assert cause_of(["b", "a"], labels=trap) is Cause.OUTRANKED
    assert cause_of(OSError("down")) is Cause.ERROR
    assert cause_of([], sentences, labels=second, chunker=Beginnings()) is Cause.NOT_INDEXED
    found = cause_of(
        capped, sentences, labels=second, chunker=Sentences(per_chunk=1), per_document=1
    )
    assert found is Cause.CAPPED


def test_rule_d_a_question_with_several_tags_counts_in_each_subset():
    found = evaluated({"q": ["a"]}, [question("q", expected=("a",), tags=("x", "y"))])
    assert found.subsets["tag.x"]["recall"].n == found.subsets["tag.y"]["recall"].n == 1


def test_rule_d_an_unresolved_reference_is_an_error_that_names_document_and_heading():
    corpus = Corpus((Document("leave", "# Leave\n## Sick\nx\n"),), "c")
    lost = question("q", supporting=((Reference("leave", heading=("Paid",)),),))
    with pytest.raises(InputError, match="unresolved: leave / Paid"):
        resolve(GoldenSet("s", (lost,)), corpus)


def test_rule_d_each_question_is_asked_inside_its_askers_scope():
    script = Script({})
    rows = [question("p", expected=("a",), asker="eva"), question("q", expected=("a",))]
    evaluated(script, rows, askers={"eva": ["hr", "it"]})
    assert [groups for _, _, groups in script.asked] == [frozenset({"hr", "it"}), frozenset()]


def test_rule_d_duplicates_push_completeness_no_higher_than_one():
    values = scored(["a", "a", "a"], supporting=((Reference("a"),), (Reference("b"),)))
    assert (values["completeness"], values["precision"]) == (1 / 2, 1)


# E. ErrorCollector seen in other tools


def test_rule_e_a_question_without_a_ranking_is_a_miss_that_counts():
    found = evaluated({"p": ["a"]}, [question(n, expected=("a",)) for n in ("p", "q")])
    for measure in ("hit_rate_at_1", "recall", "mrr", "ndcg_at_10"):
        assert (found.subsets["all"][measure].n, found.subsets["all"][measure].value) == (2, 0.5)


def test_rule_e_an_error_is_a_miss_that_counts_and_is_told():
    answers = {"p": ["a"], "q": OSError("down")}
    found = evaluated(answers, [question(n, expected=("a",)) for n in answers])
    assert (found.errors, found.subsets["all"]["recall"].value) == (1, 0.5)


def test_rule_e_duplicates_in_a_ranking_count_once():
    values = scored(["b", "a", "a", "b", "a"], expected=("a",), grades={"a": 3, "b": 1})
    # ideal a b: 3 + 1/log2(3); found b a: 1 + 3/log2(3) = 2.892789; 2.892789 / 3.630930
    assert values["ndcg_at_10"] == pytest.approx(0.796708, abs=1e-6)
    assert values["recall"] == 1


def test_rule_e_tied_scores_keep_the_order_in_which_a_users_retriever_gave_them():
    tied = [(name, 0.5) for name in "cab"]
    assert scored(tied, expected=("c",))["hit_rate_at_1"] == 1
    assert scored(tied, expected=("a",))["hit_rate_at_1"] == 0


@pytest.mark.parametrize("score", [float("nan"), float("inf"), "high"])
def test_rule_e_a_score_that_is_no_number_is_an_error_of_its_question(score):
    found = evaluated({"q": [("a", score)]}, [question("q", expected=("a",))])
    assert found.errors == 1
    assert "returned 'a" in found.diagnoses[0].detail or "'a'" in found.diagnoses[0].detail


def test_rule_e_integer_ids_of_a_retriever_are_an_error_and_not_a_crash():
    found = evaluated({"q": [(1, 0.5)]}, [question("q", expected=("a",))])
    assert "an id is a string" in found.diagnoses[0].detail


def test_rule_e_a_document_named_like_its_question_is_kept():
    found = evaluated({"a": ["a"]}, [question("a", expected=("a",))])
    assert found.values["hit_rate_at_1"].at(0) == 1


def test_rule_e_one_option_among_alternatives_is_enough():
    either = ((Reference("a"), Reference("b")),)
    for labels in ({"expected": ("a", "b")}, {"supporting": either}):
        values = scored(["b"], **labels)
        shares = ("recall", "completeness", "chunk_completeness", "evidence_coverage")
        assert {values[name] for name in shares} == {1.0}


def test_rule_e_values_are_not_rounded_before_the_mean():
    # 1/3 of the window supports in each: the mean is 1/3 to the last digit, not .33
    answers = {name: list("abc") for name in "pqr"}
    found = evaluated(answers, [question(name, expected=("a",)) for name in answers])
    assert found.subsets["all"]["precision"].value == pytest.approx(1 / 3, abs=1e-15)


def test_rule_e_a_quote_that_occurs_twice_is_an_error_that_lists_the_places():
    corpus = Corpus((Document("d", "ten days\nnine\nten days\n"),), "c")
    twice = question("q", supporting=((Reference("d", quote="ten days"),),))
    with pytest.raises(InputError, match="several times, on lines 1, 3"):
        resolve(GoldenSet("s", (twice,)), corpus)


def test_rule_e_touching_spans_do_not_overlap():
    corpus = Corpus((Document("d", "x" * 20),), "c")
    touching = question("q", supporting=((Reference("d", span=(10, 20)),),))
    evidence = resolve(GoldenSet("s", (touching,)), corpus)
    chunks = cut(corpus, FixedSize(size=10, overlap=0, unit="characters"))
    assert judge(evidence, chunks).chunk.tolist() == [1]


# Properties

CHUNKERS = [
    WholeDocument(), Headings(), Sentences(per_chunk=2),
    FixedSize(size=5, overlap=2), Recursive(size=4, overlap=1),
]  # fmt: skip
TEXTS = {
    name: f"# Page {name}\n\nIt is about {name}. It has two.\n\n## Part {name}\n\nMore of it.\n"
    for name in LETTERS
}
PAGES = Corpus(tuple(Document(name, text) for name, text in TEXTS.items()), "pages")


class Documents:
    """Returns documents in an order of their own, each by all its chunks."""

    def __init__(self, order):
        self.order, self.chunks = order, {}

    def index(self, passages):
        for passage in passages:
            self.chunks.setdefault(passage.document, []).append(passage.id)

    def retrieve(self, question, limit, groups):
        return [chunk for name in self.order for chunk in self.chunks[name]][:limit]


@settings(max_examples=40)
@given(
    st.permutations(LETTERS),
    st.sets(st.sampled_from(LETTERS), min_size=1, max_size=3).map(sorted),
    st.integers(min_value=0, max_value=len(CHUNKERS) - 1),
)
def test_labels_mean_the_same_documents_under_any_chunking(order, right, chosen):
    needs = tuple((Reference(name, heading=(f"Part {name}",)),) for name in right)
    rows = [
        question("whole", expected=tuple(right)),
        question("parts", supporting=needs, distractors=(Reference("h", heading=("Part h",)),)),
    ]
    rows = [row for row in rows if "h" not in right or row.id == "whole"]
    names = ("hit_rate_at_1", "hit_rate_at_3", "ndcg_at_10", "judged_at_3")
    found = [
        evaluated(Documents(order), rows, PAGES, depth=500, chunker=chunker)
        for chunker in (WholeDocument(), CHUNKERS[chosen])
    ]
    for name in names:
        assert found[0].values[name].value.tolist() == found[1].values[name].value.tolist()


@settings(max_examples=60)
@given(st.text(LETTERS, max_size=8), st.sets(st.sampled_from(LETTERS), min_size=1, max_size=3))
def test_no_measure_leaves_0_to_1_and_hits_grow_with_k(ranking, right):
    cutoffs = (1, 2, 3, 5, 8)
    rows = [question("q", expected=tuple(sorted(right)))]
    found = evaluated({"q": list(ranking)}, rows, hit_at=cutoffs)
    for name, values in found.values.items():
        assert 0 <= values.value[0] <= 1, name
    hits = [found.values[f"hit_rate_at_{k}"].value[0] for k in cutoffs]
    assert hits == sorted(hits)

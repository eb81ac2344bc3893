"""What one side of the split gives away about the other."""

from tiny import corpus_of

from rageval.golden.access import PublicOnly
from rageval.golden.question import GoldenSet, Question, Reference
from rageval.judging.labelled import Labelled
from rageval.judging.leakage import leakage
from rageval.judging.resolution import resolve

DOCUMENTS = ("One two three four five six seven eight nine ten.", "Other words.")


def leaks(questions, sides, near=0.8, bridging=()):
    corpus = corpus_of(*DOCUMENTS)
    golden = GoldenSet("s", tuple(questions))
    labelled = Labelled(golden, resolve(golden, corpus), corpus, PublicOnly())
    found = leakage(labelled, dict(zip("pqr", sides, strict=False)), bridging, near)
    return [(doubt.question.id, doubt.kind, doubt.sentence) for doubt in found]


def quoting(name, quote, text=None):
    reference = Reference("a", quote=quote)
    return Question(name, text or f"text of {name}", supporting=((reference,),))


def test_a_near_same_question_on_the_other_side_is_leakage_whoever_asks():
    one = Question("p", "How many days of leave?", expected=("a",), asker="tom")
    other = Question("q", "how many days of LEAVE", expected=("b",))
    assert leaks([one, other], ["dev", "holdout"]) == [
        ("q", "leakage", "nearly the same question as 'p', which is on the dev side")
    ]
    assert leaks([one, other], ["dev", "dev"]) == []
    assert leaks([one, other], ["dev", "holdout"], near=None) == []


def test_a_twin_on_the_same_side_does_not_hide_the_one_on_the_other():
    rows = [Question(name, "How many days of leave?", expected=("a",)) for name in "pqr"]
    found = leaks(rows, ["holdout", "dev", "dev"])
    told = "nearly the same question as 'p', which is on the holdout side"
    assert found == [("q", "leakage", told), ("r", "leakage", told)]


def test_overlapping_answer_passages_are_leakage_and_touching_ones_are_not():
    one, other = quoting("p", "One two three"), quoting("q", "two three four")
    assert leaks([one, other], ["dev", "holdout"]) == [
        ("q", "leakage", "answered by the same passage as 'p', which is on the dev side")
    ]
    touching = quoting("q", " four five")
    assert leaks([one, touching], ["dev", "holdout"]) == []
    whole = Question("q", "all of it?", expected=("a",))  # documents do not tie questions together
    assert leaks([one, whole], ["dev", "holdout"]) == []


def test_a_short_passage_within_a_long_one_is_found_though_another_lies_between():
    rows = [quoting("p", "One two three four five six seven"), quoting("q", "two three"),
            quoting("r", "six seven")]  # fmt: skip
    assert [name for name, *_ in leaks(rows, ["holdout", "dev", "dev"])] == ["q", "r"]


def test_a_group_on_both_sides_is_leakage():
    rows = [Question("p", "one?", expected=("a",)), Question("q", "two?", expected=("b",))]
    assert leaks(rows, ["dev", "holdout"], bridging=[("p", "q")]) == [
        ("q", "leakage", "of one group with 'p', which is on the dev side")
    ]

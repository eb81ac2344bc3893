"""What became of a golden set, told from the labels that two runs kept."""

from datetime import date

import pytest
from results import result_of, row

from rageval.comparison.set_changes import set_changes
from rageval.errors import InputError
from rageval.gate.decision import Terms, decide
from rageval.gate.exceptions import read_exceptions
from rageval.gate.thresholds import GateThresholds
from rageval.golden.question import Question, Reference, judgements

A, B = Reference("a"), Reference("b", heading=("H",))


def labelled(question, rank=1, **facts):
    found = row(question.id, rank, labels=repr(question), **facts)
    kept = tuple(tuple(label) for label in judgements(question))
    return type(found)(
        **{name: getattr(found, name) for name in found.__slots__}
        | {"judgements": kept, "text": question.text}
    )


def kind(before, after):
    found = set_changes(result_of(labelled(before)), result_of(labelled(after)))
    names = ("changed", "extended", "regrouped")
    return next((name for name in names if getattr(found, name)), "same")


def of(**facts):
    return Question("q", facts.pop("text", "?"), **facts)


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        (of(expected=("a",)), of(expected=("a",)), "same"),
        (of(expected=("a",)), of(expected=("a", "b")), "extended"),
        (of(expected=("a", "b")), of(expected=("a",)), "changed"),
        (of(supporting=((A,), (B,))), of(supporting=((B,),)), "changed"),
        (of(supporting=((A,),)), of(supporting=((A, B),), expected=("a",)), "extended"),
        (of(supporting=((A,), (B,))), of(supporting=((A, B),)), "changed"),
        (of(supporting=((A,),)), of(supporting=((B,),), expected=("a",)), "changed"),
        (of(expected=("a",)), of(expected=("a",), distractors=(B,)), "extended"),
        (of(expected=("a",), distractors=(B,)), of(expected=("a",)), "changed"),
        (of(expected=("a",), grades={"a": 2}), of(expected=("a",), grades={"a": 3}), "changed"),
        (of(expected=("a",)), of(expected=("a",), text="easier?"), "changed"),
        (of(expected=("a",)), of(expected=("a",), asker="maria"), "changed"),
        (of(expected=("a",), history=("x",)), of(expected=("a",), history=("x", "y")), "changed"),
        (of(expected=("a",), form="GAP"), of(expected=("a",), form="MATCH"), "regrouped"),
        (of(expected=("a",)), of(expected=("a",), group="g"), "regrouped"),
    ],
)
def test_a_question_is_told_by_what_became_of_its_labels(before, after, what):
    assert kind(before, after) == what


def test_labels_that_an_older_run_did_not_keep_count_as_changed():
    before, after = row("q", 1, labels="then"), row("q", 1, labels="now")
    assert set_changes(result_of(before), result_of(after)).changed == ("q",)


def test_removed_questions_fail_beyond_what_is_allowed_and_added_ones_do_not():
    before = result_of(row("a", 1), row("b", 1), row("c", None))
    after = result_of(row("a", 1), row("new", 1))
    for allowed, passes in ((0, False), (1, False), (2, True)):
        terms = Terms(promoted=before, allow_removed=allowed)
        verdict = decide(
            after, result_of(row("a", 1), row("new", 1)), GateThresholds(), None, terms
        )
        assert verdict.passed is passes
        assert verdict.changes.added == ("new",)
    assert verdict.checks[-1].sentence == "2 removed: b, c; 2 are allowed"


def test_added_labels_are_listed_with_those_that_the_candidate_alone_finds():
    then, now = of(expected=("a",)), of(expected=("a", "b"))
    promoted = result_of(labelled(then, None))
    terms = Terms(promoted=promoted)
    rescored, candidate = result_of(labelled(now, None)), result_of(labelled(now, 1))
    verdict = decide(candidate, rescored, GateThresholds(), None, terms)
    assert verdict.passed
    assert verdict.notes[0] == "labels added to 1 question: q; 1 found by the candidate alone"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("- a", "needs a list under the key 'exceptions'"),
        ("exceptions: [{questions: [], reason: x}]", "exceptions.0.questions: "),
        ("exceptions: [{questions: [a]}]", "exceptions.0.reason: must be given"),
        ("exceptions: [{questions: [a], reason: x, untill: 2020-01-01}]", "untill: unknown key"),
        ("exceptions: [", "gate.exceptions: "),
    ],
)
def test_a_file_of_exceptions_that_is_wrong_is_told(tmp_path, text, fault):
    file = tmp_path / "exceptions.yaml"
    file.write_text(text)
    with pytest.raises(InputError) as told:
        read_exceptions(file, date(2026, 1, 1))
    assert fault in str(told.value)


def test_a_missing_file_of_exceptions_is_told(tmp_path):
    with pytest.raises(InputError, match=r"gate.exceptions: .*there is no such file"):
        read_exceptions(tmp_path / "no.yaml", date(2026, 1, 1))


def test_outside_of_a_repository_an_exception_counts_and_is_said_not_to_be_committed(tmp_path):
    file = tmp_path / "exceptions.yaml"
    file.write_text("exceptions: [{questions: [a], reason: gone, until: 2026-01-02}]")
    found = read_exceptions(file, date(2026, 1, 2))
    assert found.questions == {"a"}
    assert "not committed: it is in no git repository" in found.source
    assert read_exceptions(file, date(2026, 1, 3)).questions == frozenset()

import dataclasses
from collections.abc import Sequence

import pytest

from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError
from rageval.golden.question import GoldenSet, Question, Reference
from rageval.judging.grouping import group_keys
from rageval.judging.resolution import resolve
from rageval.split.lock import read_lock
from rageval.split.split import Assignment, Split

CORPUS = Corpus((Document("a", "one two three\n"), Document("b", "four\n")), "test")


def questions(count: int, **fields) -> list[Question]:
    return [Question(f"q{n}", "x", expected=("a",), **fields) for n in range(count)]


def assign(split: Split, items: Sequence[Question]) -> Assignment:
    golden = GoldenSet("s", tuple(items))
    return split.assign(golden, group_keys(golden, resolve(golden, CORPUS), CORPUS))


def test_the_same_seed_gives_the_same_split_and_another_seed_another():
    items = questions(200)
    first = assign(Split(), items)
    assert first.sides == assign(Split(), items[::-1]).sides
    assert first.sides != assign(Split(seed=43), items).sides


def test_about_the_asked_share_is_dev():
    sides = list(assign(Split(dev_share=0.7), questions(2000)).sides.values())
    assert 0.66 < sides.count("dev") / 2000 < 0.74  # 4 standard deviations of .0102
    assert set(assign(Split(dev_share=1.0), questions(200)).sides.values()) == {"dev"}
    assert set(assign(Split(dev_share=0.0), questions(200)).sides.values()) == {"holdout"}


def test_growing_the_set_moves_no_question():
    before = assign(Split(), questions(100)).sides
    after = assign(Split(), questions(200)).sides
    assert all(after[name] == side for name, side in before.items())


def test_a_group_stays_together():
    sides = assign(Split(), questions(50, group="g")).sides
    assert len(set(sides.values())) == 1


def test_identical_evidence_smaller_than_a_document_ties_questions_together():
    def need(*references: Reference) -> tuple:
        return tuple((reference,) for reference in references)

    two, three = Reference("a", span=(4, 7)), Reference("a", quote="three")
    items = (
        Question("q1", "x", supporting=need(two)),
        Question("q2", "x", supporting=need(Reference("a", quote="two"), three)),
        Question("q3", "x", supporting=need(three)),
        Question("q4", "x", expected=("a",)),
        Question("q5", "x", expected=("a",)),
        Question("q6", "x", supporting=need(Reference("b", span=(0, 4)))),  # all but white space
        Question("q7", "x", supporting=need(three), group="g"),
        Question("q8", "x", expected=("b",), group="g"),
    )
    golden = GoldenSet("s", items)
    keys = group_keys(golden, resolve(golden, CORPUS), CORPUS)
    assert {name: keys[name] for name in ("q1", "q2", "q3", "q7", "q8")} == dict.fromkeys(
        ("q1", "q2", "q3", "q7", "q8"), "group g"
    )
    assert [keys[name] for name in ("q4", "q5", "q6")] == [
        "question q4",
        "question q5",
        "question q6",
    ]


def test_a_stated_side_wins_for_the_whole_group():
    items = questions(10, group="g")
    for side in ("dev", "holdout"):
        stated = [*items[:-1], dataclasses.replace(items[-1], split=side)]
        assert set(assign(Split(), stated).sides.values()) == {side}


def test_stated_sides_that_contradict_within_a_group_are_refused():
    first, second = questions(2, group="g")
    items = [dataclasses.replace(first, split="dev"), dataclasses.replace(second, split="holdout")]
    with pytest.raises(InputError, match="question 'q1': split is holdout, but dev for 'q0'"):
        assign(Split(), items)


def test_assigning_writes_nothing_and_the_lock_is_sorted_with_one_line_a_question(tmp_path):
    lock = tmp_path / "split.lock"
    items = [
        Question("b", "x", expected=("a",), split="dev"),
        Question("a", "x", expected=("a",), split="holdout"),
    ]
    assignment = assign(Split(lock=str(lock)), items)
    assert not lock.exists()
    assignment.write_lock()
    assert lock.read_text(encoding="utf-8").splitlines()[4:-3] == [
        '"questions": {',
        '"a": "holdout",',
        '"b": "dev"',
        "},",
        '"held_out": [',
    ]
    assert list(tmp_path.iterdir()) == [lock]


def test_a_locked_question_never_moves(tmp_path):
    split = Split(lock=str(tmp_path / "split.lock"))
    first = assign(split, questions(50))
    first.write_lock()
    other = Split(seed=7, dev_share=0.2, lock=split.lock)
    again = assign(other, questions(80))
    assert {name: again.sides[name] for name in first.sides} == dict(first.sides)
    assert again.new == tuple(f"q{n}" for n in range(50, 80))


def test_a_question_that_left_the_set_stays_locked(tmp_path):
    lock = tmp_path / "split.lock"
    split = Split(lock=str(lock))
    assign(split, questions(2)).write_lock()
    assign(split, questions(3)[2:]).write_lock()
    assert list(read_lock(lock).sides) == ["q0", "q1", "q2"]


def test_a_lock_without_new_questions_is_not_touched(tmp_path):
    lock = tmp_path / "split.lock"
    lock.write_text('{"q0": "dev"}')
    assign(Split(lock=str(lock)), questions(1)).write_lock()
    assert lock.read_text() == '{"q0": "dev"}'


@pytest.mark.parametrize("side", ["dev", "holdout"])
def test_a_new_question_follows_its_locked_group(tmp_path, side):
    lock = tmp_path / "split.lock"
    lock.write_text(f'{{"q0": "{side}"}}')
    assignment = assign(Split(lock=str(lock)), questions(10, group="g"))
    assert set(assignment.sides.values()) == {side}
    assert assignment.notes == ()


def test_a_group_on_both_sides_is_reported_and_its_new_questions_are_dev(tmp_path):
    lock = tmp_path / "split.lock"
    lock.write_text('{"q0": "dev", "q1": "holdout"}')
    assignment = assign(Split(lock=str(lock)), questions(3, group="g"))
    assert assignment.sides == {"q0": "dev", "q1": "holdout", "q2": "dev"}
    assert assignment.bridging == (("q0", "q1", "q2"),)
    # A run repeats its notes, and may not name what is held out.
    assert assignment.notes == (
        "1 group of questions on both sides of the split; `check` names them",
    )


def test_a_stated_side_cannot_move_a_locked_question(tmp_path):
    lock = tmp_path / "split.lock"
    lock.write_text('{"q0": "dev"}')
    with pytest.raises(InputError, match="split is holdout, the lock says dev: no question moves"):
        assign(Split(lock=str(lock)), questions(1, split="holdout"))


def test_without_a_holdout_all_is_dev_and_nothing_is_locked(tmp_path):
    lock = tmp_path / "split.lock"
    assignment = assign(Split(holdout=False, lock=str(lock)), questions(30))
    assignment.write_lock()
    assert set(assignment.sides.values()) == {"dev"}
    assert not lock.exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not JSON"),
        ("[]", "question ids are needed"),
        ('{\n"q0": "test"\n}', ":2: the side of 'q0' must be dev or holdout"),
        ('{\n"q0": "dev",\n"q0": "holdout"\n}', ":3: 'q0' occurs twice"),
        ('{\n<<<<<<< ours\n"q0": "dev"\n}', ":2: not JSON"),
    ],
)
def test_a_broken_lock_is_a_sentence(tmp_path, text, told):
    lock = tmp_path / "split.lock"
    lock.write_text(text)
    with pytest.raises(InputError, match=told):
        assign(Split(lock=str(lock)), questions(1))

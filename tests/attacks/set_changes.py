"""A set that changes in the change that it should judge."""

import subprocess

from desk import LOCAL

from attacks.attack import attack
from attacks.limits import relabelled, run

TOPIC = "The set changes in the same change"
CARRY = """  - id: carry
    question: "When do unused days expire, and when do they not?"
    form: GAP
    hard_class: near-duplicate
    tags: [multi_chunk, negation]
    supporting:
      - {document: leave, heading: [Carry-over]}
      - {document: leave, heading: [Exception]}
    distractors: [{document: leave-2020, heading: [Carry-over]}]
    split: dev
"""
EXCEPTIONS = "exceptions:\n  - questions: [carry]\n    reason: the page on carry-over was retired\n"


def promoted(desk):
    assert desk.promote(run(desk)).code == 0


def committed(desk, *words):
    for line in (("init", "-q"), ("add", *words), ("commit", "-q", "-m", "why")):
        subprocess.run(
            ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *line],
            cwd=desk.folder,
            check=True,
        )


@attack(TOPIC, 1, "✗ all allow_removed: 1 removed: carry; 0 are allowed")
def remove_a_hard_question(desk):
    """a question is deleted from the golden set in the change that loses it"""
    promoted(desk)
    relabelled(desk, CARRY, "")
    return desk.gate(run(desk))


@attack(TOPIC, 1, "✗ all allow_removed: 1 with changed or removed labels: carry; 0 are allowed")
def remove_a_label(desk):
    """evidence that is no longer found is deleted from a question"""
    promoted(desk)
    relabelled(desk, "      - {document: leave, heading: [Exception]}\n", "")
    return desk.gate(run(desk))


@attack(TOPIC, 1, "✗ all allow_removed: 1 with changed or removed labels: carry; 0 are allowed")
def make_two_needed_labels_alternatives(desk):
    """evidence that was needed besides becomes an alternative"""
    promoted(desk)
    old = "      - {document: leave, heading: [Carry-over]}\n"
    old += "      - {document: leave, heading: [Exception]}\n"
    one, other = (line.strip()[2:] for line in old.splitlines())
    relabelled(desk, old, f"      - any_of: [{one}, {other}]\n")
    return desk.gate(run(desk))


@attack(TOPIC, 1, "✗ all allow_removed: 1 with changed or removed labels: leave; 0 are allowed")
def remove_a_distractor(desk):
    """a distractor that ranks above the answer is deleted"""
    promoted(desk)
    line = '    distractors: [{document: leave-2020, quote: "25 days of leave"}]\n'
    relabelled(desk, line, "")
    return desk.gate(run(desk))


@attack(TOPIC, 1, "✗ all allow_removed: 1 with changed or removed labels: pump; 0 are allowed")
def ask_an_easier_question(desk):
    """the text of a question is changed to the words of its page"""
    promoted(desk)
    relabelled(desk, '"price of KL-4411"', '"What is the price of the pump KL-4411?"')
    return desk.gate(run(desk))


@attack(TOPIC, 1, "1 moved out of form.GAP, which has a limit: carry; 0 are allowed")
def regroup_a_question_out_of_a_limit(desk):
    """a question that a subset's limit is about is moved to another subset"""
    promoted(desk)
    relabelled(desk, "    form: GAP\n    hard_class", "    form: MATCH\n    hard_class")
    return desk.gate(run(desk), "threshold.max_drop.form.GAP.recall=0.5")


@attack(TOPIC, 2, "exceptions.yaml is not committed; a reason counts once it is committed")
def excuse_a_removal_by_a_file_of_the_moment(desk):
    """`gate.exceptions` names a file that nobody committed"""
    promoted(desk)
    relabelled(desk, CARRY, "")
    (desk.folder / "other").write_text("")
    committed(desk, "other")
    (desk.folder / "exceptions.yaml").write_text(EXCEPTIONS)
    return desk.gate(run(desk), "gate.exceptions=exceptions.yaml")


@attack(
    TOPIC,
    0,
    "exception for carry (exceptions.yaml, commit …): “the page on carry-over was retired”",
)
def excuse_a_removal_by_a_committed_reason(desk):
    """a committed `gate.exceptions` names the question: the verdict quotes the reason"""
    promoted(desk)
    relabelled(desk, CARRY, "")
    (desk.folder / "exceptions.yaml").write_text(EXCEPTIONS)
    committed(desk, "exceptions.yaml")
    return desk.gate(run(desk), "gate.exceptions=exceptions.yaml")


@attack(TOPIC, 1, "note: the exception for carry ended on 2020-01-31 (exceptions.yaml)")
def excuse_a_removal_by_an_exception_that_is_over(desk):
    """the exception has a date, and it is past"""
    promoted(desk)
    relabelled(desk, CARRY, "")
    (desk.folder / "exceptions.yaml").write_text(f"{EXCEPTIONS}    until: 2020-01-31\n")
    return desk.gate(run(desk), "gate.exceptions=exceptions.yaml")


@attack(TOPIC, 0, "labels added to 1 question: pump; 0 found by the candidate alone")
def label_what_only_the_candidate_finds(desk):
    """labels are added: the verdict lists them and counts those that the candidate alone finds"""
    promoted(desk)
    relabelled(desk, "    expected: [pump]\n", "    expected: [pump, urlaub]\n")
    return desk.gate(run(desk))


@attack(TOPIC, 1, "✗ held out allow_removed: 1 held-out question removed or relabelled; 0 allowed")
def a_held_out_question_is_deleted(desk):
    """a held-out question is deleted from the golden set in the change that would lose it"""
    assert desk.promote(desk.evaluate("+retriever=bm25", dataset=LOCAL)).code == 0
    golden = desk.folder / "tiny" / "golden.yaml"
    text = golden.read_text()
    golden.write_text(text[: text.index("  - id: umzug")])
    return desk.gate(desk.evaluate("+retriever=tfidf", dataset=LOCAL))


@attack(TOPIC, 2, "not read: day is out of range for month")
def an_exception_has_an_impossible_date(desk):
    """`gate.exceptions` names a day that no month has"""
    assert desk.promote(desk.evaluate("+retriever=bm25", dataset=LOCAL)).code == 0
    entry = "exceptions:\n  - {questions: [leave], reason: gone, until: 2027-02-30}\n"
    (desk.folder / "exceptions.yaml").write_text(entry)
    candidate = desk.evaluate("+retriever=tfidf", dataset=LOCAL)
    return desk.gate(candidate, "gate.exceptions=exceptions.yaml")

"""`check`: warnings, changes, exports and what programs read of it."""

import json
import random
import subprocess
from pathlib import Path

import pytest
from scripted import Askers

from rageval.corpus.document import Corpus, Document
from rageval.golden.question import GoldenSet, Question, Reference
from rageval.judging.duplicates import near_duplicates
from rageval.judging.labelled import Labelled
from rageval.judging.resolution import resolve
from rageval.judging.warnings import doubts

CORPUS = Corpus(
    (
        Document("leave", "# Leave\n\n30 days of leave.\n\n## Empty\n\n### Sub\n\n## Full\n\nx\n"),
        Document("old", "25 days, not 30 days of leave.\n"),
        Document("pay", "Band C\n======\n\nFifty.\n\nEmpty too\n---------\n", frozenset({"hr"})),
    ),
    "test",
)


def found(*questions: Question, near: float | None = None) -> list[tuple[str, str]]:
    golden = GoldenSet("s", questions)
    access = Askers({"eva": ["hr"]})
    labelled = Labelled(golden, resolve(golden, CORPUS), CORPUS, access)
    return [(doubt.kind, doubt.sentence) for doubt in doubts(labelled, near)]


def need(*references: Reference):
    return tuple((reference,) for reference in references)


def test_a_right_set_raises_no_doubt():
    right = Question(
        "q", "x", asker="eva", tags=("multi_chunk",),
        supporting=need(Reference("leave", heading=("Full",)), Reference("pay")),
        distractors=(Reference("old"),),
    )  # fmt: skip
    assert found(right, near=0.8) == []


def test_an_answer_outside_the_askers_scope_is_told():
    lost = Question("q", "x", expected=("pay",))
    some = Question("r", "x", expected=("pay", "leave"))
    part = Question("s", "x", supporting=need(Reference("leave"), Reference("pay")))
    eva = Question("t", "x", expected=("pay",), asker="eva")
    told = ("scope", "it names no asker, and what answers it is not public: pay")
    assert found(lost, some, part, eva) == [told, told]


@pytest.mark.parametrize(
    ("document", "heading", "empty"),
    [("leave", "Empty", True), ("leave", "Full", False), ("pay", "Empty too", True)],
)
def test_a_section_without_text_is_told(document, heading, empty):
    question = Question(
        "q", "x", asker="eva", supporting=need(Reference(document, heading=(heading,)))
    )
    told = [("empty", f"the section {document} / {heading} is empty, it holds no evidence")]
    assert found(question) == (told if empty else [])


def test_a_document_without_text_is_told():
    corpus = Corpus((Document("void", " \n"), Document("full", "x")), "test")
    golden = GoldenSet("s", (Question("q", "x", expected=("void", "full")),))
    labelled = Labelled(golden, resolve(golden, corpus), corpus, Askers({}))
    assert [str(doubt) for doubt in doubts(labelled, None)] == [
        "question 'q': the document void is empty, it holds no evidence"
    ]


@pytest.mark.parametrize(
    ("text", "wordless"),
    [("???", True), ("🙂", True), ("_ -", True), ("the of", False), ("§ 3", False), ("年?", False)],
)
def test_a_question_without_a_word_is_told(text, wordless):
    told = [("words", f"the question {text!r} has no word to search for")]
    assert found(Question("q", text, expected=("leave",))) == (told if wordless else [])


def test_a_tag_that_contradicts_the_number_of_items_is_told():
    one = Question("q", "x", tags=("multi_hop",), supporting=need(Reference("leave")))
    assert found(one) == [("arity", "the tag multi_hop, but 1 item of evidence")]


def test_a_distractor_that_holds_the_quoted_answer_is_told():
    quote = Reference("leave", quote="30 days of leave.")
    trap = Question("q", "x", supporting=need(quote), distractors=(Reference("old"),))
    assert found(trap) == [
        ("distractor", "the distractor old holds the quote of the answer “30 days of leave.”")
    ]


def test_near_duplicates_are_told_for_the_same_asker_and_history_alone():
    rows = [
        Question("a", "How many days of leave?", expected=("leave",)),
        Question("b", "how many DAYS of leave", expected=("leave",)),
        Question("c", "How many days of leave?", expected=("leave",), asker="eva"),
        Question("d", "How many days of leave?", expected=("leave",), history=("x",)),
        Question("e", "How many days of rest?", expected=("leave",)),
    ]
    assert found(*rows, near=0.8) == [("duplicate", "nearly the same question as 'a'")]
    assert found(*rows) == []


def brute(texts, least):
    words = [set(text.casefold().split()) for text in texts]
    pairs = []
    for n, row in enumerate(words):
        shares = [len(row & words[m]) / len(row | words[m]) for m in range(n)]
        best = max(shares, default=0)
        if best >= least:
            pairs.append((n, shares.index(best)))
    return pairs


def test_near_duplicates_are_those_of_comparing_everything():
    draw = random.Random(7)
    texts = [" ".join(draw.choices("abcdef", k=draw.randint(1, 5))) for _ in range(200)]
    for least in (0.5, 0.8, 1.0):
        assert near_duplicates(texts, least) == brute(texts, least)


SET = {
    "set": "s",
    "questions": [
        {"id": "q1", "question": "Days?", "expected": ["a"], "notes": "x"},
        {"id": "q2", "question": "Pay?", "supporting": [{"document": "b"}], "tags": ["x", "y"]},
        {"id": "q3", "question": "Gone?", "answerable": False},
    ],
}


@pytest.fixture
def project(typed):
    """A folder with two documents and a golden set; returns `check` on it."""
    Path("docs").mkdir()
    for name in ("a", "b"):
        Path(f"docs/{name}.md").write_text(f"Text of {name}.\n")
    Path("golden.json").write_text(json.dumps(SET))

    def check(*words):
        chosen = ["dataset=markdown", "dataset.path=docs", "dataset.questions=golden.json"]
        return typed("check", *chosen, *words)

    return check


def git(*words):
    who = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    subprocess.run(["git", *who, *words], check=True, capture_output=True)


def changed() -> None:
    rows = [dict(row) for row in SET["questions"]]
    rows[0]["notes"] = "y"  # never scored, so no change
    rows[1] = {**rows[1], "supporting": [{"document": "a"}], "tags": ["y", "x"]}
    rows[2] = {"id": "q4", "question": "New?", "expected": ["a", "b"]}
    Path("golden.json").write_text(json.dumps({"set": "s", "questions": rows}))


CHANGES = ["added      q4", "removed    q3", "relabelled q2", "supporting: b → a"]


def changes_of(out: str) -> list[str]:
    lines = [line.strip() for line in out.splitlines()]
    begin = next(n for n, line in enumerate(lines) if line.startswith("changes since"))
    return lines[begin + 1 : begin + 5]


def test_changes_since_a_git_revision_are_listed(project):
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "set")
    changed()
    said = project("check.against=HEAD")
    assert said.code == 0
    assert changes_of(said.out) == CHANGES


def test_a_git_revision_is_typed_as_git_writes_it(project):
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "set")
    changed()
    git("commit", "-qam", "labels")
    for revision in ("HEAD~1", "HEAD^", "HEAD^{/set}", "@~", "'HEAD~1'"):
        said = project(f"check.against={revision}")
        assert said.code == 0, said.err
        assert changes_of(said.out) == CHANGES


def test_a_file_with_a_quote_in_its_name_is_compared_with(project):
    Path("it's (old).json").write_text(json.dumps(SET))
    changed()
    assert changes_of(project("check.against=it's (old).json").out) == CHANGES


def test_changes_since_another_file_are_listed(project):
    Path("old.json").write_text(json.dumps(SET))
    changed()
    said = project("check.against=old.json")
    assert changes_of(said.out) == CHANGES
    assert "  none" in project("check.against=golden.json").out


def test_one_of_a_thing_is_told_in_the_singular(project):
    Path("docs/b.md").unlink()
    rows = [{"id": "q1", "question": "???", "expected": ["a"]}]
    Path("golden.json").write_text(json.dumps({"set": "s", "questions": rows}))
    said = project()
    assert "s: 1 document, no fault found" in said.out
    assert "\n1 warning\n" in said.out
    assert "1 question is new to split.lock; a run will add it" in said.out


def test_an_access_file_in_a_wrong_form_is_told_once_as_its_own_fault(project):
    Path("access.yaml").write_text("maria: [hr]\n")
    rows = [dict(row, asker="maria") for row in SET["questions"]]
    Path("golden.json").write_text(json.dumps({"set": "s", "questions": rows}))
    said = project("dataset.askers=access.yaml")
    assert said.code == 2
    form = "askers: {maria: [hr, managers], tom: []}"
    assert said.err == f"access.yaml:1: the key askers is missing; the form is {form}\n"


@pytest.mark.parametrize("against", ["no-such-thing", "-x"])
def test_what_is_neither_a_file_nor_a_revision_is_a_sentence(project, against):
    said = project(f"check.against={against}")
    assert said.code == 2
    assert f"check.against: {against!r} is " in said.err


def test_programs_read_what_was_found(project):
    said = project("check.json=out/report.json", "check.against=golden.json")
    assert said.code == 0
    report = json.loads(Path("out/report.json").read_text())
    assert report["faults"] == []
    assert report["subsets"]["all"]["dev"] + report["subsets"]["all"]["holdout"] == 3
    assert report["changes"] == {"added": [], "removed": [], "relabelled": []}
    assert len(report["digests"]["questions"]) == 64


def test_programs_read_the_faults_too(project):
    Path("docs/b.md").unlink()
    said = project("check.json=report.json")
    assert said.code == 2
    faults = json.loads(Path("report.json").read_text())["faults"]
    assert faults == said.err.splitlines()
    assert "question 'q2': unresolved: b: the corpus has no such document" in faults[0]


def test_an_export_says_what_it_could_not_keep(project):
    said = project("export=adr", "export.path=out.json")
    assert said.code == 0
    assert "exported to out.json; not all could be kept:" in said.out
    assert "not kept, tags: 1 question (q2)" in said.out
    assert len(json.loads(Path("out.json").read_text())["questions"]) == 3


def test_an_export_needs_a_path(project):
    assert "export.path: must be given" in project("export=adr").err

"""The library: the same numbers as the program, without Hydra, MLflow or files."""

import doctest
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from desk import DATA, QUICK, Desk

import rageval
from rageval.retrieval.analysis import Analyser
from rageval.retrieval.retrievers.bm25 import Bm25

USER = Path(__file__).parent / "data" / "user_of_library.py"
DOCUMENTS = {"leave": "Staff get 25 days.", "travel": "Book by rail.", "oven": "Bread is baked."}
QUESTIONS = [
    {"id": "q1", "question": "How many days off?", "expected": ["leave"], "tags": ["count"]},
    {"id": "q2", "question": "Which way to travel?", "expected": ["travel"], "tags": ["way"]},
    {"id": "q3", "question": "Who bakes?", "expected": ["oven"], "tags": ["way"]},
]


@pytest.fixture
def data():
    return rageval.load_dataset(DOCUMENTS, QUESTIONS)


def right(question):
    first = {"How": "leave", "Which": "travel", "Who": "oven"}[question.split()[0]]
    return [first, *(name for name in DOCUMENTS if name != first)]


def wrong(question):
    return list(reversed(right(question)))


def test_the_users_program_runs_without_hydra_mlflow_or_a_file(tmp_path):
    after = (
        "\nimport sys\n"
        "assert not {'mlflow', 'hydra', 'omegaconf'} & set(sys.modules), 'loaded'\n"
        "import os\nassert os.listdir() == [], os.listdir()\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", USER.read_text() + after],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(Path(rageval.__file__).parents[1]), "PATH": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("True 1.0\n")


@pytest.mark.thorough
def test_the_users_program_is_typed_strictly(tmp_path):
    pytest.importorskip("mypy", reason="the dev extra is not installed")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(USER)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "MYPYPATH": str(Path(rageval.__file__).parents[1])},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert (Path(rageval.__file__).parent / "py.typed").is_file()


def test_the_program_and_the_library_give_identical_tables(tmp_path):
    desk = Desk(tmp_path)
    run = desk.evaluate(
        "+retriever=bm25", "measures.standard=[R@20]", "+dataset.split.holdout=false"
    )
    table = json.loads(desk.file(run, "questions.json").read_text())
    data = rageval.load_dataset(
        DATA / "documents", DATA / "golden.yaml", askers=DATA / "access.yaml", name="tiny"
    )
    bm25 = Bm25(analyser=Analyser(languages=("english",)))
    result = rageval.evaluate(bm25, data, measures=["hit@1", "hit@3", "R@20"])
    ours = result.to_pandas().reset_index()
    assert list(ours.columns) == table["columns"][:-1]  # the last is the number of the schema
    rows = json.loads(ours.to_json(orient="values", double_precision=15))
    theirs = [row[:-1] for row in table["data"]]
    for mine, row in zip(rows, theirs, strict=True):
        for column, (one, other) in enumerate(zip(mine, row, strict=True)):
            same = one == pytest.approx(other) if isinstance(other, float) else one == other
            assert same, (row[0], table["columns"][column], one, other)
    metrics = desk.client.get_run(run).data.metrics
    for measure in result.measures:
        if (value := result[measure.name]) is not None:
            assert metrics[f"all/{measure.name}"] == pytest.approx(value, abs=1e-12)


def test_the_gate_and_decide_come_to_the_same_verdict(tmp_path):
    desk = Desk(tmp_path)
    off = ("+dataset.split.holdout=false",)
    desk.promote(desk.evaluate("+retriever=bm25", *off))
    run = desk.evaluate("+retriever=bm25", "window.k=1", *off)
    words = ("threshold.max_drop.all.recall=0.1", "threshold.floors.all.mrr=0.2")
    said = desk.gate(run, *words)
    assert said.code == 1, said
    theirs = desk.verdict(run)
    data = rageval.load_dataset(
        DATA / "documents", DATA / "golden.yaml", askers=DATA / "access.yaml", name="tiny"
    )
    bm25 = Bm25(analyser=Analyser(languages=("english",)))
    before, after = (rageval.evaluate(bm25, data, k=k, name=f"k={k}", depth=40) for k in (6, 1))
    limits = {
        "floors": {"all": {"mrr": 0.2}},
        "max_drop": {"all": {"recall": 0.1}},
    }
    verdict = rageval.decide(after, before, limits)
    told = {(c["rule"], c["subset"], c["measure"]): c["sentence"] for c in theirs["checks"]}
    for check in verdict.checks:
        assert told[check.rule.value, check.subset, check.measure or None] == check.sentence
    assert not verdict.passed


@pytest.mark.parametrize(
    "hits",
    [
        ["leave", "travel"],
        [("leave", 0.9), ("travel", 0.1)],
        (name for name in ["leave", "travel"]),
        [("leave", np.float32(0.9))],
    ],
)
def test_a_function_may_return_ids_or_pairs(hits):
    data = rageval.load_dataset(DOCUMENTS, QUESTIONS[:1])
    assert rageval.evaluate(lambda question: hits, data)["hit@1"] == 1.0


@pytest.mark.parametrize(
    "hit",
    ["Staff get 25 days.", ("leave", 0, 10), ("leave", "Leave"), {"text": "25 days", "score": 0.5}],
)
def test_a_function_may_return_texts_characters_and_headings(hit):
    documents = {**DOCUMENTS, "leave": "# Leave\n\nStaff get 25 days.\n"}
    data = rageval.load_dataset(documents, QUESTIONS[:1])
    assert rageval.evaluate(lambda question: [hit], data)["hit@1"] == 1.0


def test_texts_that_no_document_holds_are_an_error_or_irrelevant_as_is_allowed(data):
    def strange(question):
        return ["A text from elsewhere."]

    assert rageval.evaluate(strange, data).errors == 3
    allowed = rageval.evaluate(strange, data, max_unmatched=1)
    assert (allowed.errors, allowed["hit@3"]) == (0, 0.0)
    assert any("could not be found in the corpus" in note for note in allowed.notes)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"k": 0}, "k: should be greater than or equal to 1, got 0"),
        ({"k": "six"}, "k: should be a valid integer"),
        ({"depth": -1}, "depth: should be greater than or equal to 1, got -1"),
        ({"per_document": 0}, "per_document: should be greater than or equal to 1"),
        ({"min_score": "high"}, "min_score: should be a valid number"),
        ({"measures": ["hit@5000"]}, "hit_at.0: should be less than or equal to 1000"),
        ({"measures": ["nDCG"], "k": -3}, "k: should be greater than or equal to 1"),
        ({"measures": ["precison"]}, "measures: no such measure, got 'precison'"),
    ],
)
def test_what_is_out_of_range_is_one_sentence(data, given, sentence):
    with pytest.raises(rageval.InputError) as refused:
        rageval.evaluate(right, data, **given)
    assert sentence in str(refused.value)


def test_an_async_function_is_awaited(data):
    async def search(question):
        return right(question)

    assert rageval.evaluate(search, data)["hit@1"] == 1.0


def test_a_class_instead_of_an_object_is_refused(data):
    with pytest.raises(rageval.InputError, match=r"Bm25 is a class; pass an object of it: Bm25"):
        rageval.evaluate(Bm25, data)


def test_a_function_is_given_what_it_takes(data):
    seen = []

    def one(question):
        seen.append((question,))
        return []

    def two(question, limit):
        seen.append((question, limit))
        return []

    def three(question, limit, groups):
        seen.append((question, limit, groups))
        return []

    for function in (one, two, three):
        rageval.evaluate(function, data, depth=7)
        assert len(seen[-1]) == {one: 1, two: 2, three: 3}[function]
    assert seen[-1] == ("Who bakes?", 7, frozenset())


def test_an_object_whose_retrieve_takes_the_question_alone_is_asked(data):
    class Simple:
        def retrieve(self, question):
            return right(question)

    result = rageval.evaluate(Simple(), data)
    assert (result.name, result["hit@1"]) == ("Simple", 1.0)


def test_what_is_no_retriever_is_refused_with_what_would_be(data):
    with pytest.raises(rageval.InputError, match="retriever: int is neither a function"):
        rageval.evaluate(7, data)


def test_a_failing_function_is_an_error_of_its_questions_and_fails_the_gate(data):
    def broken(question):
        raise ConnectionError("no route")

    result = rageval.evaluate(broken, data)
    assert result.errors == 3
    assert not rageval.decide(result, None, {}).passed


def test_a_result_prints_its_means_and_subsets(data):
    result = rageval.evaluate(wrong, data, measures=["hit@1", "RR", "hit@3"], name="last")
    # By hand: every answer is third.
    assert str(result).splitlines()[:3] == [
        "questions: last",
        "subset           n  hit@1  hit@3     RR",
        "all              3  0.000  1.000  0.333",
    ]
    assert (
        repr(result) == "<EvaluationResult last on questions: hit@1 0.000, hit@3 1.000, RR 0.333>"
    )
    ways = result.by("tag").to_pandas()
    assert ways.loc["tag.way", "n"] == 2
    with pytest.raises(KeyError, match="no question has a form; choose from: tag, asker"):
        result.by("form")
    with pytest.raises(KeyError, match="'P@5' was not taken; choose from: hit_rate_at_1"):
        result["P@5"]


def test_html_shows_names_as_text(data):
    result = rageval.evaluate(right, data, name="<b>x</b>")
    assert "<b>" not in result._repr_html_()
    assert "&lt;b&gt;x" in result._repr_html_()


def test_several_results_are_paired_and_corrected_together(data):
    results = [
        rageval.evaluate(wrong, data, name="wrong"),
        rageval.evaluate(right, data, name="right"),
        rageval.evaluate(wrong, data, name="again"),
    ]
    found = rageval.compare(results, measures=["hit@1"])
    assert [change.after.id for change in found.improved("right")] == ["q1", "q2", "q3"]
    assert found.regressed("again") == []
    # Three of three flips agree: two-sided 2/8; Holm doubles the smaller of two.
    assert [(t.name, t.paired.either, t.p) for t in found.tests] == [
        ("right", 0.25, 0.5), ("again", 1.0, 1.0),
    ]  # fmt: skip
    table = found.to_pandas()
    assert table.loc[("right", "hit@1"), "difference"] == 1.0
    assert "right: 3 improved, 0 regressed" in str(found)
    back = rageval.compare(results, baseline=1, measures=["hit@1"])
    assert [change.after.id for change in back.regressed("wrong")] == ["q1", "q2", "q3"]


def test_results_that_cannot_be_compared_are_refused_with_what_differs(data):
    one = rageval.evaluate(right, data, name="one")
    with pytest.raises(rageval.InputError, match="two results or more are needed, got 1"):
        rageval.compare([one])
    same = rageval.compare([one, rageval.evaluate(wrong, data, name="one"), one])
    assert list(same.others) == ["one (2)", "one (3)"]
    with pytest.raises(rageval.InputError, match="position among the 2 results, got 5"):
        rageval.compare([one, rageval.evaluate(wrong, data, name="two")], baseline=5)
    deeper = rageval.evaluate(right, data, measures=["hit@5"], name="deeper")
    with pytest.raises(rageval.InputError, match="cannot be compared: their measures differ"):
        rageval.compare([one, deeper])
    other = rageval.load_dataset({**DOCUMENTS, "new": "More."}, QUESTIONS)
    grown = rageval.evaluate(right, other, name="grown")
    with pytest.raises(rageval.InputError, match="their documents differ"):
        rageval.decide(grown, one, {})


def test_questions_that_one_result_lacks_are_added_or_removed_not_lost(data):
    fewer = rageval.load_dataset(DOCUMENTS, QUESTIONS[:2])
    before, after = (rageval.evaluate(right, d, name=n) for d, n in ((data, "a"), (fewer, "b")))
    assert rageval.compare([before, after]).pairs["b"].removed == ("q3",)
    verdict = rageval.decide(after, before, {"max_drop": {"all": {"recall": 0.1}}})
    assert [check.rule.value for check in verdict.failures] == ["allow_removed"]


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"floor": {}}, "limits.floor: unknown key; did you mean 'floors'?"),
        ({"floors": {"all": {"recal": 0.5}}}, "threshold.floors.all.recal: no such measure"),
        ({"floors": {"tag.count": {"recall": 2}}}, "limits.floors"),
        ({"floors": {"tag.cuont": {"recall": 0.1}}}, "did you mean 'tag.count'?"),
        ([1], "limits: limits are a mapping, got [1]"),
    ],
)
def test_a_wrong_limit_is_refused(data, limits, sentence):
    result = rageval.evaluate(right, data)
    with pytest.raises(rageval.InputError) as refused:
        rageval.decide(result, None, limits)
    assert sentence in str(refused.value)


def test_limits_come_from_a_file_too(data, tmp_path):
    file = tmp_path / "limits.yaml"
    file.write_text("floors:\n  all:\n    hit_rate_at_1: 1.0\n")
    assert rageval.decide(rageval.evaluate(right, data), None, file).passed
    verdict = rageval.decide(rageval.evaluate(wrong, data), None, str(file))
    assert str(verdict).splitlines()[-1] == (
        "  FAILED floor all hit_rate_at_1: 0/3 (0.000), the floor is 1"
    )
    file.write_text("floors: [\n")
    with pytest.raises(rageval.InputError, match=r"limits\.yaml: not YAML"):
        rageval.decide(rageval.evaluate(right, data), None, file)


def test_questions_in_memory_are_checked_like_those_of_a_file():
    rows = [*QUESTIONS, {"id": "q4", "question": "?", "expected": ["leaf"]}]
    with pytest.raises(rageval.InputError) as refused:
        rageval.load_dataset(DOCUMENTS, rows)
    assert str(refused.value) == (
        "questions:4: question 'q4': unresolved: leaf: the corpus has no such document, did you "
        "mean 'leave'?"
    )
    with pytest.raises(rageval.InputError, match="questions"):
        rageval.load_dataset(DOCUMENTS, [{"id": "q1", "question": "?", "expcted": ["leave"]}])
    with pytest.raises(rageval.InputError, match="documents: there are none"):
        rageval.load_dataset([], QUESTIONS)


def test_held_out_questions_of_a_locked_set_are_not_scored(tmp_path):
    (tmp_path / "golden.yaml").write_text(json.dumps({"set": "memory", "questions": QUESTIONS}))
    everything = rageval.load_dataset(DOCUMENTS, tmp_path / "golden.yaml")
    assert (len(everything), everything.held_out) == (3, 0)
    for name, text in DOCUMENTS.items():
        (tmp_path / "docs").mkdir(exist_ok=True)
        (tmp_path / "docs" / f"{name}.md").write_text(text)
    words = ("dataset=markdown", "dataset.path=docs", "dataset.questions=golden.yaml", *QUICK)
    said = Desk(tmp_path).type("+retriever=bm25", *words, "dataset.split.dev_share=0.4")
    assert said.code == 0, said
    sides = json.loads((tmp_path / "split.lock").read_text())["questions"]
    held = {name for name, side in sides.items() if side == "holdout"}
    assert held
    found = rageval.load_dataset(DOCUMENTS, tmp_path / "golden.yaml")
    assert {question.id for question in found.questions} == set(sides) - held
    assert f"{len(held)} questions are held out and not scored" in found.notes


def test_a_measure_of_the_users_own_stands_beside_ours(data):
    class Last:
        """the target is the last document"""

        def values(self, rankings):
            return rankings.ranks.target == rankings.documents.shape[1]

    result = rageval.evaluate(wrong, data, measures=[Last(), "recall"])
    assert result["own_last"] == 1.0
    assert "Last" in str(result) or "last" in str(result)


def test_everything_public_is_there_and_nothing_else_is_promised():
    for name in rageval.__all__:
        assert getattr(rageval, name) is not None
    assert dir(rageval) == sorted(rageval.__all__)
    with pytest.raises(AttributeError, match="no attribute 'evalute'"):
        rageval.evalute  # noqa: B018  a name that is not there


def test_the_page_about_the_library_says_what_it_prints():
    page = Path(__file__).parents[1] / "docs" / "library.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert (failed, tried > 10) == (0, True)

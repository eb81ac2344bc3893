"""A set has one name, an identity and a lock of its own, wherever its path leads from."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from rageval.config.identity import _address
from rageval.golden.identity import SetIdentity
from rageval.split.lock import read_lock

TINY = Path(__file__).parent / "data" / "tiny"
GOLDEN = """set: own
questions:
  - {id: a, question: "days of leave", expected: [leave], split: dev}
  - {id: b, question: "price of the pump", expected: [pump], split: holdout}
"""


@pytest.fixture
def project(tmp_path):
    """A project's folder: documents, a locked golden set, and other sets beside it."""
    shutil.copytree(TINY / "documents", tmp_path / "docs")
    (tmp_path / "golden.yaml").write_text(GOLDEN)
    (tmp_path / "q.csv").write_text("question,source\nHow many days?,leave.md\nPump?,pump.md\n")
    (tmp_path / "testset.jsonl").write_text(
        '{"user_input": "How many days?", "reference_contexts": ["30 days of leave"]}\n'
    )
    beir = tmp_path / "beir"
    (beir / "qrels").mkdir(parents=True)
    (beir / "corpus.jsonl").write_text('{"_id": "d1", "title": "Bees", "text": "Bees shiver."}\n')
    (beir / "queries.jsonl").write_text('{"_id": "q1", "text": "bees"}\n')
    (beir / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    return tmp_path


OWN = ("dataset=markdown", "dataset.path=docs", "dataset.questions=golden.yaml")
RUN = ("+retriever=bm25", "latency.sample=0", "output.questions=none")


@pytest.mark.parametrize(
    "words",
    [
        ("dataset=ragas", "dataset.path=docs", "dataset.questions=testset.jsonl"),
        ("dataset=table", "dataset.path=docs", "dataset.questions=q.csv"),
        ("dataset=beir", "dataset.path=beir"),
    ],
    ids=["ragas", "table", "beir"],
)
@pytest.mark.parametrize("lock", ["of 0.1.0", "of now"])
def test_other_sets_in_the_folder_of_a_lock_load(words, lock, project, typed):
    if lock == "of now":
        assert typed(*RUN, *OWN, "tracking=off").code == 0
    else:
        (project / "split.lock").write_text('{\n"a": "dev",\n"b": "dev"\n}\n')
    said = typed("check", *words)
    assert said.code == 0, said.err


def test_a_second_golden_file_gets_a_lock_of_its_own(project, typed):
    assert typed(*RUN, *OWN, "tracking=off").code == 0
    (project / "more.yaml").write_text(
        "set: more\nquestions:\n  - {id: a, question: 'Who moves?', expected: [urlaub]}\n"
        "  - {id: z, question: 'And band C?', expected: [pump], split: dev}\n"
    )
    more = [word.replace("golden.yaml", "more.yaml") for word in OWN]
    said = typed(*RUN, *more, "tracking=off")
    assert said.code == 0, said.err
    assert set(read_lock(project / "split.lock").sides) == {"a", "b"}
    assert set(read_lock(project / "more.split.lock").sides) == {"a", "z"}
    assert typed("check", *OWN).code == typed("check", *more).code == 0


def test_a_lock_of_0_1_0_is_read_as_it_is_and_upgraded_when_the_set_grows(project, typed):
    old = '{\n"a": "dev"\n}\n'
    (project / "split.lock").write_text(old)
    (project / "golden.yaml").write_text(GOLDEN.rpartition("  - {id: b")[0])
    assert typed(*RUN, *OWN, "tracking=off").code == 0
    assert (project / "split.lock").read_text() == old
    (project / "golden.yaml").write_text(GOLDEN)
    assert typed(*RUN, *OWN, "tracking=off").code == 0
    lock = json.loads((project / "split.lock").read_text())
    assert (lock["schema"], lock["file"]) == (2, "golden.yaml")
    assert lock["questions"] == {"a": "dev", "b": "holdout"}
    assert re.fullmatch("[0-9a-f]{16}", lock["set"])


def test_a_lock_of_a_later_version_is_refused(project, typed):
    (project / "split.lock").write_text('{"schema": 3, "questions": {"a": "dev"}}')
    said = typed("check", *OWN)
    assert said.code == 2
    assert "split.lock: its schema is 3, this version of rageval reads 2" in said.err


@pytest.mark.parametrize(
    ("folder", "words"),
    [
        ("beir", ("dataset=beir", "dataset.path=.")),
        ("beir/qrels", ("dataset=beir", "dataset.path=..")),
        ("", ("dataset=beir", "dataset.path=./beir/")),
        ("docs", ("dataset=markdown", "dataset.path=.", "dataset.questions=../golden.yaml")),
        ("docs", ("dataset=table", "dataset.path=.", "dataset.questions=../q.csv")),
        ("docs", ("dataset=ragas", "dataset.path=.", "dataset.questions=../testset.jsonl")),
    ],
)
def test_a_path_may_be_the_folder_where_one_stands(folder, words, project, typed, monkeypatch):
    monkeypatch.chdir(project / folder)
    said = typed("check", *words)
    assert said.code == 0, said.err
    assert said.out.split(":")[0] in {"beir", "own", "q", "testset"}


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["absolute", "link to the file", "link to the folder"])
def test_a_set_is_itself_under_any_path(kind, project, typed):
    (project / "there").symlink_to(project)
    (project / "links").mkdir()
    (project / "links" / "g.yaml").symlink_to(project / "golden.yaml")
    path = {
        "absolute": str(project / "golden.yaml"),
        "link to the file": "links/g.yaml",
        "link to the folder": "there/golden.yaml",
    }[kind]
    assert typed(*RUN, *OWN).code == 0
    said = typed(*RUN, *OWN[:2], f"dataset.questions={path}")
    if kind == "link to the file":  # its lock lies where the file does, not beside the link
        assert said.code == 2
        assert "split.lock locks this set" in said.err
        lock = "dataset.split.lock=split.lock"
        said = typed(*RUN, *OWN[:2], f"dataset.questions={path}", lock)
    assert said.code == 0, said.err


@pytest.mark.parametrize(
    ("file", "text", "name"),
    [
        ("g.yaml", GOLDEN, "own"),
        ("g.json", '{"questions": [], "set": "mine"}', "mine"),
        ("g.jsonl", '{"set": "rows.one"}\n{"id": "a"}\n', "rows.one"),
        ("My Set.csv", "id,question\n", "my_set"),
        ("g.yaml", "set: HR leave\nquestions: []\n", "g"),  # the reader says what is wrong
        ("g.yaml", "set: [\n", "g"),
    ],
)
def test_a_set_is_named_by_its_set_line_or_else_by_its_file(file, text, name, project, typed):
    (project / file).write_text(text)
    said = typed("check", *OWN[:2], f"dataset.questions='{file}'", "--cfg", "job", "--resolve")
    assert f"\n  name: {name}\n" in said.out, said


def git(folder, *words):
    who = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def test_another_checkout_of_the_same_repository_holds_the_same_set(project, typed, monkeypatch):
    # Without a lock, and without an overlapping question: the place alone says so.
    for name, word in (("one", "bees"), ("two", "what shivers")):
        shutil.copytree(project / "beir", project / name / "beir")
        (project / name / "beir" / "queries.jsonl").write_text(f'{{"_id": "q1", "text": "{word}"}}')
        git(project / name, "init", "-q")
        git(project / name, "remote", "add", "origin", "https://example.org/team/docs.git")
        store = f"tracking.root={project / 'mlruns'}"
        monkeypatch.chdir(project / name)
        said = typed(*RUN, "dataset=beir", "dataset.path=beir", store)
        assert said.code == 0, said.err


def identity(**facts):
    return SetIdentity(**{"name": "s", "id": "", "location": "x", "questions": (), **facts})


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"id": "1"}, {"id": "1", "location": "y"}, True),  # the lock moved with its set
        ({"id": "1"}, {"id": "2"}, True),  # the lock was made again where it was
        (
            {"id": "1", "questions": ("q",)},
            {"id": "2", "location": "y", "questions": ("q",)},
            False,
        ),
        ({"questions": ("q", "r")}, {"location": "y", "questions": ("q",)}, True),
        ({"questions": ("r",)}, {"location": "y", "questions": ("q",)}, False),
    ],
)
def test_what_makes_two_sets_one(one, other, same):
    assert identity(**one).same_as(identity(**other)) is same


@pytest.mark.parametrize(
    "remote",
    [
        "git@example.org:team/docs.git",
        "ssh://git@example.org/team/docs",
        "https://example.org/team/docs",
    ],
)
def test_a_repository_is_the_same_by_any_protocol(remote):
    assert _address(remote) == "example.org/team/docs"


@pytest.mark.thorough
def test_runs_and_versions_say_which_set_they_are_of(project, typed):
    from mlflow import MlflowClient

    assert typed(*RUN, *OWN, "register=true").code == 0
    client = MlflowClient(f"sqlite:///{project}/mlruns/mlflow.db")
    os.environ.pop("MLFLOW_TRACKING_URI", None)
    (version,) = client.search_model_versions("name = 'rageval-own'")
    run = client.get_run(version.run_id)
    lock = read_lock(project / "split.lock")
    for tags in (version.tags, run.data.tags):
        assert tags["rageval.set_id"] == lock.identity
        assert tags["rageval.set_location"] == str(project / "golden.yaml")

"""A user's retriever is called by its name, and asked each question once."""

import json

import pytest

from rageval.report.wording import title
from rageval.retrieval.retrievers.bm25 import Bm25
from rageval.retrieval.retrievers.foreign import Foreign
from rageval.retrieval.retrievers.guarded import Guarded

COUNTING = """
class Counting:
    def retrieve(self, question, limit, groups):
        with open("calls.txt", "a", encoding="utf-8") as file:
            file.write(question.replace("\\n", " ") + "\\n")
        return []

class Named(Counting):
    name = "search v2"
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "counting.py").write_text(COUNTING, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_a_name_is_the_one_given_or_its_own_or_that_of_its_class():
    class Mine:
        pass

    class Called:
        name = "search v2"

    assert title("custom", Foreign(Mine())) == "Mine"
    assert title("custom", Guarded(Called())) == "search v2"
    assert title("custom", Foreign(Called(), name="third")) == "third"
    assert title("service", Foreign(Mine())) == "service"  # its own YAML has a name
    assert title("service", Foreign(Mine(), name="third")) == "third"
    assert title("bm25", Bm25()) == "bm25"


def test_each_question_is_asked_once_and_its_time_stands_in_the_table(here, typed, tiny):
    said = typed(
        "+retriever=custom", "retriever._target_=counting.Named", *tiny, "noise.sample=0"
    )  # fmt: skip
    assert "· search v2, heading, k=" in said.out
    run = next((here / "mlruns").rglob("questions.json"))
    table = json.loads(run.read_text(encoding="utf-8"))
    column = table["columns"].index("milliseconds")
    times = [row[column] for row in table["data"]]
    calls = (here / "calls.txt").read_text(encoding="utf-8").splitlines()
    assert len(calls) == len(times)
    assert all(0 < taken < 1000 for taken in times)
    assert f"(n {len(times)})" in said.out


def test_a_sweep_over_classes_names_each_of_them(here, typed, tiny):
    said = typed(
        "-m", "+retriever=custom", "retriever._target_=counting.Named,counting.Counting", *tiny,
        "tracking=off",
    )  # fmt: skip
    assert "search v2" in said.out or "counting.Named" in said.out
    assert "custom," not in said.out


def test_retrievers_of_ours_are_timed_by_a_sample_of_their_own(here, typed, tiny):
    said = typed("+retriever=bm25", *tiny)
    run = next((here / "mlruns").rglob("questions.json"))
    table = json.loads(run.read_text(encoding="utf-8"))
    column = table["columns"].index("milliseconds")
    assert {row[column] for row in table["data"]} == {None}
    assert "latency p50" in said.out

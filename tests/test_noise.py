"""Retrievers that do not answer the same twice: said, and measured by repetition."""

import json

import numpy as np
import pytest
from scripted import Script, evaluated, question

from rageval.evaluation.noise import Repeats

MOODY = '''
import itertools
_times = itertools.count()

class Moody:
    """Each new index finds another of its two favourites first."""

    def index(self, passages):
        self.names = list(dict.fromkeys(p.document for p in passages))
        self.turn = next(_times)

    def retrieve(self, question, limit, groups):
        names = [n for n in self.names if n.startswith("leave")]
        return names[::-1] if self.turn % 2 else names

class Restless(Moody):
    """It answers a question otherwise the second time."""

    def retrieve(self, question, limit, groups):
        seen = self.__dict__.setdefault("seen", [])
        seen.append((question, groups))
        self.turn = seen.count((question, groups))
        return super().retrieve(question, limit, groups)
'''


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "moody.py").write_text(MOODY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_a_retriever_that_answers_otherwise_the_second_time_is_reported(here, typed, tiny):
    said = typed("+retriever=custom", "retriever._target_=moody.Restless", *tiny, "noise.sample=9",
                 "tracking=off", "chunking=whole")  # fmt: skip
    assert "asked twice, 1 of 1 question got another window" in " ".join(said.out.split())
    said = typed("+retriever=custom", "retriever._target_=moody.Moody", *tiny, "noise.sample=9",
                 "tracking=off", "chunking=whole")  # fmt: skip
    assert "asked twice" not in said.out


def test_repetitions_are_kept_and_their_deviation_is_a_metric(here, typed, tiny):
    said = typed("+retriever=custom", "retriever._target_=moody.Moody", *tiny, "repeats=3",
                 "chunking=whole")  # fmt: skip
    told = " ".join(said.out.split())
    assert "indexed and asked 3 times, of which the first is scored" in told
    table = json.loads(next((here / "mlruns").rglob("repeats.json")).read_text())
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]
    asked = {row["id"] for row in rows}
    assert len(rows) == 3 * len(asked)
    mrr = {(row["repetition"], row["id"]): row["mrr"] for row in rows}
    means = [np.mean([mrr[n, q] for q in asked if mrr[n, q] is not None]) for n in (1, 2, 3)]
    assert means[0] == means[2] != means[1]
    import mlflow

    mlflow.set_tracking_uri(f"sqlite:///{here}/mlruns/mlflow.db")
    run = mlflow.search_runs(search_all_experiments=True).iloc[0]
    assert run["metrics.noise/mrr_sd"] == pytest.approx(np.std(means, ddof=1))
    assert run["metrics.all/mrr"] == pytest.approx(means[0])


def test_retrievers_of_ours_are_the_same_every_time(here, typed, tiny):
    said = typed("+retriever=hybrid", *tiny, "repeats=2", "tracking=off")
    assert "values of 0 questions move; every mean is the same" in " ".join(said.out.split())


def test_questions_of_which_any_value_moves_are_counted():
    golden = [question("q", expected=("a",)), question("r", expected=("b",))]
    one, other = (
        evaluated(Script({"q": hits, "r": ["b"]}), golden) for hits in (["a", "c"], ["c", "a"])
    )
    found = Repeats.of([one, other])
    assert found.moving == (0,)
    assert found.means("hit_rate_at_1").tolist() == [1.0, 0.5]
    assert np.isnan(found.deviation("denied_pass"))  # no question is about it

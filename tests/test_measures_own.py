"""Measures by their standard names, and a user's own by the name of its class."""

import json
import math

import numpy as np
import pytest
from desk import QUICK, TINY, Desk

from rageval.measures.catalogue import Cutoffs, catalogue, measure_named
from rageval.measures.standard import from_key, parse
from rageval.measures.trec_eval import JudgedRanks

FIRST = '''
import numpy as np

class Second:
    """a target is second

    More words that no table shows.
    """

    def values(self, rankings):
        target = rankings.ranks.target
        return target == 2

class Broken:
    def values(self, rankings):
        return [2.0] * rankings.n

class Short:
    def values(self, rankings):
        return [1.0]

class Silent:
    pass

class Raising:
    def values(self, rankings):
        raise KeyError("weights")
'''


@pytest.fixture
def desk(tmp_path, monkeypatch):
    (tmp_path / "mymeasures.py").write_text(FIRST)
    monkeypatch.syspath_prepend(tmp_path)
    return Desk(tmp_path)


def evaluate(desk, name, *words):
    own = f"+measures.own.top._target_=mymeasures.{name}"
    return desk.type("+retriever=bm25", *TINY, *QUICK, own, *words)


def test_a_measure_of_the_users_own_is_logged_gated_and_kept_apart_in_the_benchmark(desk):
    plain = desk.client.get_run(desk.evaluate("+retriever=bm25"))
    own = "+measures.own.top._target_=mymeasures.Second"
    run = desk.client.get_run(desk.evaluate("+retriever=bm25", own))
    table = json.loads(desk.file(run.info.run_id, "questions.json").read_text())
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]
    wanted = [
        float(row["target_rank"] == 2) if row["answerable"] == "true" else None for row in rows
    ]
    assert [row["own_top"] for row in rows] == wanted
    assert run.data.metrics["all/own_top"] == pytest.approx(
        np.mean([value for value in wanted if value is not None])
    )
    assert plain.data.tags["rageval.benchmark"] != run.data.tags["rageval.benchmark"]
    gated = desk.type("gate", "dataset.name=tiny", "threshold.floors.all.own_top=1.0")
    assert gated.code == 1, gated
    assert "own_top" in gated.out


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Broken", "measures.own.top: Broken.values returned 2; a value is in 0..1"),
        (
            "Short",
            "measures.own.top: Short.values returned an array of shape (1,); it must be one value "
            "a question: (6,)",
        ),
        ("Raising", "measures.own.top: Raising.values failed: KeyError: 'weights'"),
        ("Missing", "measures.own.top._target_: 'mymeasures.Missing' cannot be loaded"),
        ("Silent", "measures.own.top: Silent needs a method values(rankings)"),
    ],
)
def test_what_is_wrong_with_such_a_measure_is_one_sentence(desk, name, sentence):
    said = evaluate(desk, name)
    assert (said.code, said.err.count("\n")) == (2, 1), said
    assert sentence in said.err


def test_a_name_that_no_table_could_hold_is_refused(desk):
    said = desk.type("+retriever=bm25", *TINY, "+measures.own.Top-1._target_=mymeasures.Second")
    assert said.code == 2
    assert "measures.own" in said.err


def test_exponential_gains_are_those_of_burges_and_others():
    # Grades 3 at rank 2 and 1 at rank 1: gains 7 and 1.
    column = np.array
    ranks = JudgedRanks(1, column([0, 0]), column([2, 1]), column([3, 1]))
    found = parse("nDCG(dcg='exp-log2')@10").values(ranks)
    ideal = 7 / math.log2(2) + 1 / math.log2(3)
    assert found.tolist() == pytest.approx([(1 + 7 / math.log2(3)) / ideal])
    assert parse("nDCG(dcg='log2')@10") == parse("nDCG@10")


@pytest.mark.parametrize(
    "name",
    ["nDCG@10", "nDCG(dcg='exp-log2')@10", "AP", "AP(rel=2)@100", "RR@10", "P(rel=2)@5", "R@20",
     "Success@3", "Judged@10", "Rprec", "Bpref", "IPrec@0.1", "SetP", "SetR", "SetF"],
)  # fmt: skip
def test_a_standard_name_survives_the_way_through_a_table(name):
    measure = parse(name)
    assert measure.name == name
    assert from_key(measure.key) == measure
    named = measure_named(measure.key)
    assert named is not None
    assert named.standard == name


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nDCG(rel=2)@10", "nDCG takes dcg='log2' or dcg='exp-log2', got 'rel=2'"),
        ("P(dcg='log2')@5", "P takes rel=1..99"),
        ("Rprec@5", "Rprec has no cutoff"),
        ("IPrec@2", "IPrec needs a recall of 0..1"),
        ("AP@0", "AP can have a whole number of documents from 1"),
        ("Mean", "no such measure, got 'Mean'; choose from: nDCG"),
    ],
)
def test_a_name_that_is_none_is_refused_with_what_is_allowed(name, why):
    with pytest.raises(ValueError) as refused:  # noqa: PT011  the sentence is looked at below
        parse(name)
    assert why in str(refused.value)


def test_every_measure_of_the_catalogue_is_found_by_its_name():
    cutoffs = Cutoffs(hit_at=(1, 5), standard=("P@5", "Judged@7", "nDCG@5"))
    for measure in catalogue(cutoffs):
        named = measure_named(measure.name)
        assert named is not None
        assert (named.heading, named.headline, named.depth) == (
            measure.heading, measure.headline, measure.depth,
        )  # fmt: skip


def test_the_judged_share_of_trec_judgements_counts_what_is_judged_either_way():
    column = np.array
    ranks = JudgedRanks(
        2, column([0, 0, 1]), column([1, 3, 0]), column([0, 1, 1]), returned=column([4, 0])
    )
    assert parse("Judged@2").values(ranks).tolist() == [0.5, 0.0]
    assert parse("Judged@10").values(ranks).tolist() == [0.5, 0.0]  # 2 of the 4 there are

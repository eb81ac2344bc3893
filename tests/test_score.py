"""Scoring a run file against judgements by id: trec_eval's values, and a run like any other."""

import json
import random

import pytest
from desk import Desk

import rageval
from rageval.errors import InputError
from rageval.measures.standard import parse

QRELS = "301 0 d1 1\n301 0 d2 0\n302 0 d3 2\n"
RUN = "301 Q0 d2 1 3.0 s\n301 Q0 d1 2 2.0 s\n302 Q0 d3 1 5 s\n"
OTHER = "301 Q0 d1 1 3.0 s\n301 Q0 d9 2 2.0 s\n302 Q0 d3 1 5 s\n"
NAMES = {
    "AP": "map", "Rprec": "Rprec", "Bpref": "bpref", "RR": "recip_rank", "nDCG": "ndcg",
    "P@5": "P_5", "R@10": "recall_10", "nDCG@10": "ndcg_cut_10", "AP@5": "map_cut_5",
    "Success@1": "success_1", "SetP": "set_P", "SetR": "set_recall", "SetF": "set_F",
}  # fmt: skip
# pytrec_eval rounds the number of documents that a recall asks for up, trec_eval itself does not.
OFFICIAL = {
    **NAMES,
    "IPrec@0.1": "iprec_at_recall_0.10",
    "IPrec@0.6": "iprec_at_recall_0.60",
}


@pytest.fixture
def files(tmp_path):
    def write(run=RUN, qrels=QRELS, name="run.txt"):
        (tmp_path / name).write_text(run)
        (tmp_path / "qrels.txt").write_text(qrels)
        return [f"run={name}", "qrels=qrels.txt"]

    return write


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


def test_every_value_and_mean_is_trec_evals_to_the_printed_digit(files, tmp_path):
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="the bench extra is not installed")
    draw = random.Random(7)
    qrels = {
        f"q{q}": {f"d{d}": draw.choice([-1, 0, 0, 1, 2]) for d in draw.sample(range(90), 40)}
        for q in range(30)
    }
    run = {
        # Few different scores, so that ties decide much, and some that are no 32-bit numbers.
        q: {f"d{d}": draw.choice([1e39, 1.0, 2.0, 1.000000001, -3.5]) for d in
            draw.sample(range(120), draw.randint(1, 60))}
        for q in [*qrels, "only in the run"][3:]
    }  # fmt: skip
    run = {q.replace(" ", "_"): found for q, found in run.items()}
    lines = [f"{q} Q0 {d} 0 {s!r} x\n" for q, row in run.items() for d, s in row.items()]
    judged = [f"{q} 0 {d} {g}\n" for q, row in qrels.items() for d, g in row.items()]
    files("".join(lines), "".join(judged))
    found = rageval.score(tmp_path / "run.txt", tmp_path / "qrels.txt", list(NAMES))
    wanted = pytrec_eval.RelevanceEvaluator(qrels, set(NAMES.values())).evaluate(run)
    assert set(found.queries) == set(qrels)
    for name, theirs in NAMES.items():
        ours = {q: f"{value:.4f}" for q, value in found.values[name].items()}
        values = {q: wanted.get(q, {}).get(theirs, 0.0) for q in qrels}
        assert ours == {q: f"{value:.4f}" for q, value in values.items()}, name
        mean = sum(values[q] for q in sorted(values)) / len(values)  # -c: every judged query
        assert f"{found.means[name]:.4f}" == f"{mean:.4f}"
    assert found.notes == (
        f"3 of 30 judged queries have no ranking in {tmp_path / 'run.txt'}: they count as misses",
        f"1 of 28 queries of the run are not judged in {tmp_path / 'qrels.txt'}: "
        "they are not scored",
    )


def test_the_official_outputs_are_met_to_every_digit(realdata):
    for name in ("cranfield", "scifact"):
        base = realdata / "trec_eval" / "bm25_runs" / name
        found = rageval.score(f"{base}.run", f"{base}.qrels", list(OFFICIAL))
        rows = [line.split("\t") for line in base.with_suffix(".trec_eval").read_text().split("\n")]
        official = {(row[0].strip(), row[1]): row[2] for row in rows if len(row) == 3}
        for ours, theirs in OFFICIAL.items():
            values = {**found.values[ours], "all": found.means[ours]}
            for query, value in values.items():
                assert official.get((theirs, query), f"{value:.4f}") == f"{value:.4f}"


def test_the_command_prints_the_means_and_on_request_every_query(files, desk):
    words = files()
    said = desk.type("score", *words, "measures=[RR,P@5,nDCG@10]", "tracking=off")
    assert said.code == 0, said
    # By hand: RR (1/2 + 1) / 2; P@5 (1/5 + 1/5) / 2; nDCG (1/log2(3) + 1) / 2.
    assert [line.split() for line in said.out.splitlines() if " all" in line] == [
        ["RR", "all", "0.7500"], ["P@5", "all", "0.2000"], ["nDCG@10", "all", "0.8155"],
    ]  # fmt: skip
    said = desk.type("score", *words, "measures=[RR]", "per_query=true", "tracking=off")
    rows = [line.split() for line in said.out.splitlines() if line.startswith("RR")]
    assert rows == [["RR", "301", "0.5000"], ["RR", "302", "1.0000"], ["RR", "all", "0.7500"]]


def test_queries_in_one_of_the_files_only_are_counted_and_said(files, desk):
    words = files("301 Q0 d1 1 3.0 s\n777 Q0 d1 1 3.0 s\n")
    said = desk.type("score", *words, "measures=[RR]", "tracking=off")
    assert "1 of 2 judged queries have no ranking in run.txt: they count as misses" in said.out
    assert "1 of 2 queries of the run are not judged in qrels.txt: they are not scored" in said.out
    assert "0.5000" in said.out


def test_no_query_in_common_is_exit_2(files, desk):
    said = desk.type("score", *files("q301 Q0 d1 1 3.0 s\n"))
    assert said.code == 2
    assert said.err == (
        "run.txt: none of its 1 queries ('q301', …) is among the 2 that qrels.txt judges "
        "('301', '302', …)\n"
    )


def test_equal_texts_of_queries_and_unknown_documents_do_not_matter(files, tmp_path):
    files("301 Q0 nobody 1 3.0 s\n301 Q0 d1 2 2.0 s\n302 Q0 d3 1 1 s\n")
    found = rageval.score(tmp_path / "run.txt", tmp_path / "qrels.txt", ["RR"])
    assert dict(found.values["RR"]) == {"301": 0.5, "302": 1.0}


def test_infinite_scores_are_ordered_as_trec_eval_does(files, tmp_path):
    files("301 Q0 d2 1 1e300 s\n301 Q0 d1 2 inf s\n301 Q0 d9 3 -inf s\n302 Q0 d3 1 1 s\n")
    # 1e300 is infinite in 32 bits, so d1 and d2 tie, and of a tie the last id comes first.
    found = rageval.score(tmp_path / "run.txt", tmp_path / "qrels.txt", ["RR"])
    assert found.values["RR"]["301"] == 0.5


def test_a_query_without_a_relevant_document_counts_as_0(files, tmp_path):
    files(qrels=QRELS + "303 0 d1 0\n")
    found = rageval.score(tmp_path / "run.txt", tmp_path / "qrels.txt", ["RR", "nDCG", "Bpref"])
    assert found.means["RR"] == pytest.approx(1.5 / 3)
    assert found.values["nDCG"]["303"] == found.values["Bpref"]["303"] == 0.0


def test_a_measure_that_nobody_knows_is_refused_with_the_names(files, desk):
    said = desk.type("score", *files(), "measures=[MAP@x]")
    assert said.code == 2
    assert said.err.startswith(
        "measures.0: no such measure, got 'MAP@x'; choose from: nDCG, nDCG@k, AP"
    )
    with pytest.raises(
        ValueError, match="P needs a whole number of documents from 1, such as P@10, got 'P'"
    ):
        parse("P")
    with pytest.raises(InputError, match="there is no such file"):
        rageval.score("gone.txt", "gone.txt")


def run_of(desk, words, version="2024"):
    said = desk.type("score", *words, f"dataset.corpus.version={version}", "measures=[RR,P@5]")
    assert said.code == 0, said
    return next(line.split()[1] for line in said.out.splitlines() if line.startswith("run "))


def test_a_scored_run_is_compared_gated_and_promoted_like_any_other(files, desk):
    name, limit = "dataset.name=qrels", "threshold.max_drop.all.rr=0.1"
    first = run_of(desk, files(OTHER, name="good.txt"))
    table = json.loads(desk.file(first, "questions.json").read_text())
    assert {"rr", "p_at_5"} <= set(table["columns"])
    assert desk.client.get_run(first).data.metrics["all/rr"] == 1.0
    assert desk.type("gate", name, limit).code == 0
    assert desk.type("promote", name, limit).code == 0
    second = run_of(desk, files())
    said = desk.type("gate", name, limit)
    assert said.code == 1, said
    assert "rr" in said.out
    compared = desk.type("compare", name, f"run={first}", f"with={second}")
    assert (compared.code, "301" in compared.out) == (0, True)


def test_new_judgements_rescore_the_champion_by_its_own_run(files, desk):
    name = "dataset.name=qrels"
    run_of(desk, files(OTHER, name="good.txt"))
    assert desk.type("promote", name, "run=latest").code == 0
    files(OTHER, QRELS + "303 0 d7 1\n", name="good.txt")
    run_of(desk, files(qrels=QRELS + "303 0 d7 1\n"))
    said = desk.type("gate", name)
    assert "running the champion (good.txt) on the candidate's benchmark" in said.out, said
    assert said.code in (0, 1)


def test_the_gate_asks_for_a_version_of_the_documents(files, desk):
    desk.type("score", *files())
    said = desk.type("gate", "dataset.name=qrels")
    assert said.code == 2
    assert said.err.endswith("with a name for their state: dataset.corpus.version=…\n")


def test_other_documents_are_another_benchmark(files, desk):
    one = run_of(desk, files(), version="2024")
    other = run_of(desk, files(), version="2025")
    tags = [desk.client.get_run(run).data.tags["rageval.benchmark"] for run in (one, other)]
    assert tags[0] != tags[1]


def test_an_evaluation_takes_standard_measures_too(typed, tiny):
    words = ["latency.sample=0", "measures.standard=[P@2,RR]", "dataset.name=tiny"]
    said = typed("+retriever=bm25", *tiny, *words)
    assert said.code == 0, said

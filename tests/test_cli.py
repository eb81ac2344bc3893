"""Command lines as users type them."""

import json
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from mlflow import MlflowClient

OFF = ["tracking=off", "latency.sample=0", "output.questions=none"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "no retriever named; choose one: +retriever=bm25|command|custom|dense|"),
        (
            ["+retriever=hybird"],
            "retriever=hybird: no such choice, did you mean hybrid? there are: bm25, command, ",
        ),
        (["+retriever=bm25", "encoder=x"], "encoder=x: no such choice; there are: fastembed, lsa"),
        (["retriever=null"], "must be a string or a list"),
        (["chek"], "unknown command 'chek'; choose from: evaluate, "),
        (["+retriever=bm25", "window.k=0"], "window.k: should be greater than or equal to 1"),
        (["+retriever=bm25", "window.k=six"], "window.k: should be a valid integer, got 'six'"),
        (["+retriever=bm25", "window.kk=6"], "window.kk: unknown key; did you mean 'k'?"),
        (["+retriever=bm25", "+window.kk=6"], "window.kk: unknown key; did you mean 'k'?"),
        (["+retriever=bm25", "window.depth=2"], "window.depth (2) must not be below window.k (6)"),
        (["+retriever=bm25", "window.k=[1"], "window.k=[1: cannot be read as KEY=VALUE"),
        (["+retriever=bm25", "measures.hit_at=[3,1]"], "must ascend without repeats, got [3, 1]"),
        (["+retriever=bm25", "measures.hit_at=[]"], "measures.hit_at: "),
        (["+retriever=bm25", "retriever.k1=-1"], "retriever.k1: should be greater than"),
        (["+retriever=bm25", "retriever.k1=nan"], "retriever.k1: nan is not a finite number"),
        (["+retriever=bm25", "+retriever._partial_=true"], "retriever._partial_: unknown key"),
        (["+retriever=bm25", "+retriever.k2=1"], "retriever.k2: unknown key; known: k1, b, method"),
        (["+retriever=bm25", "chunking.level=9"], "chunking.level: "),
        (["+retriever=hybrid", "retriever.floor=x"], "floor must be one of lexical, semantic"),
        (["+retriever=hybrid", "retriever.weights.lexical=-1"], "retriever.weights.lexical: "),
        (
            ["+retriever=hybrid", "retriever.retrievers.lexical.b=2"],
            "retriever.retrievers.lexical.b: should be less than or equal to 1, got 2",
        ),
        (["+retriever=custom"], "retriever._target_: must be given"),
        (["+retriever=custom", "retriever._target_=a.B"], "'a.B' cannot be loaded"),
        (["+retriever=custom", "retriever._target_=pathlib.Path"], "is no retriever"),
        (["+retriever=bm25", "dataset=beir"], "dataset.path: must be given"),
        (
            ["+retriever=bm25", "dataset=beir", "dataset.path=no"],
            "no: there is no such file or folder",
        ),
        (["+retriever=bm25", "run.notes=${oc.env:HOME}"], "run.notes: ${oc.env:HOME} reads"),
        (["+retriever=bm25", "threshold.floors.all.recall=2"], "threshold.floors.all.recall: "),
        (["+retriever=bm25", "threshold.floors.all=1"], "threshold.floors: write SUBSET.MEASURE"),
        (["+retriever=bm25", "+threshold.floors.all.recall=2"], "threshold.floors.all.recall: "),
    ],
)
def test_wrong_input_is_a_sentence_and_exit_2_and_nothing_is_written(typed, words, sentence):
    said = typed(*words)
    assert sentence in said.err
    assert (said.code, said.out) == (2, "")
    assert "Traceback" not in said.err
    assert list(Path().iterdir()) == []


def test_several_faults_are_told_at_once(typed):
    said = typed("+retriever=bm25", "window.k=0", "judging.min_overlap=0", "latency.sample=-1")
    assert [line.partition(":")[0] for line in said.err.splitlines()] == [
        "window.k", "judging.min_overlap", "latency.sample",
    ]  # fmt: skip


def test_a_plus_before_the_retriever_changes_nothing(typed):
    with_plus = typed("+retriever=hybrid", "--cfg", "job")
    without = typed("retriever=hybrid", "--cfg", "job")
    assert with_plus.code == 0
    assert with_plus.out == without.out != ""


def test_help_names_launchers_and_the_search(typed):
    said = typed("--help")
    assert "hydra/launcher=joblib|ray|submitit_slurm" in said.out
    assert "hydra/sweeper=optuna" in said.out


def test_help_lists_the_choices_and_those_of_the_users_own_folder(typed):
    Path("mine/retriever").mkdir(parents=True)
    Path("mine/retriever/ours.yaml").write_text("_target_: a.B\n")
    said = typed("--help", "--config-dir", "mine")
    (line,) = [one for one in said.out.splitlines() if one.startswith("  retriever ")]
    assert {"bm25,", "hybrid,", "ours,", "trec_run"} <= set(line.split())
    assert said.code == 0


def test_an_unreachable_store_is_exit_4_before_any_question(typed, tiny):
    said = typed("+retriever=bm25", *tiny, "tracking.uri=http://127.0.0.1:9")
    assert said.code == 4
    assert "http://127.0.0.1:9 does not answer" in said.err
    assert list(Path().iterdir()) == []


def test_check_counts_both_sides_and_writes_nothing(typed, tiny):
    said = typed("check", *tiny)
    assert said.code == 0
    rows = {line.split()[0]: line.split()[1:] for line in said.out.splitlines() if line}
    assert rows["all"] == ["7", "6", "1", "thin", "in", "holdout"]
    assert rows["answerable.denied"] == ["1", "1", "0", "thin", "in", "dev", "and", "holdout"]
    assert list(Path().iterdir()) == []


def test_the_table_shows_gap_right_below_all_and_counts_by_hand(typed, tiny):
    said = typed("+retriever=bm25", *tiny, *OFF, "chunking=whole", "window.k=1")
    assert said.code == 0
    lines = [line.split() for line in said.out.splitlines()]
    at = next(i for i, words in enumerate(lines) if words[:1] == ["subset"])
    assert [words[0] for words in lines[at + 1 : at + 4]] == ["all", "form.GAP", "form.MATCH"]
    # Six dev questions; denied does not count in the hit rates. Of the five that do, "pump" and
    # "band" are hit by their codes and nothing is returned for words that no document has; the page
    # of 2020 is shorter and says the same words, so it stands before "leave" for two of them.
    assert lines[at + 1][1:4] == ["6", "0.60", "1.00"]
    assert "denied 1.00 (n 1)" in said.out
    assert "errors 0 · leaks 0" in said.out


def test_held_out_questions_are_not_scored(typed, tiny):
    said = typed("+retriever=bm25", *tiny, *OFF[:2], "output.questions=all")
    assert "umzug" not in said.out
    assert "carry" in said.out


def test_a_run_locks_the_split_and_a_failing_one_does_not(typed, tiny):
    assert typed("+retriever=bm25", *tiny, *OFF, "window.k=0").code == 2
    assert not Path("split.lock").exists()
    assert typed("+retriever=bm25", *tiny, *OFF).code == 0
    assert "umzug" in Path("split.lock").read_text()


def test_a_sweep_runs_every_cell_and_ends_with_the_best(typed, tiny):
    said = typed("-m", "+retriever=bm25,tfidf", "window.k=1,2", *tiny, *OFF)
    assert said.code == 0, said.err
    told = [line.split("  ")[-1] for line in said.out.splitlines() if "/4  " in line]
    assert told == [f"{name}, heading, k={k}" for name in ("bm25", "tfidf") for k in (1, 2)]
    assert "4 cells: 4 done" in said.out
    assert "best of 4 cells" in said.out


def test_hydras_own_launcher_leaves_the_same_leaderboard(typed, tiny):
    said = typed("-m", "+retriever=bm25,tfidf", *tiny, *OFF, "hydra/launcher=basic")
    assert said.code == 0, said.err
    assert "2 cells: 2 done" in said.out
    assert "best of 2 cells" in said.out


LEAKY = """
class Leaky:
    def index(self, passages):
        self.ids = [p.id for p in passages]

    def retrieve(self, question, limit, groups):
        if "unused" in question:
            raise TimeoutError("the backend gave up")
        return [(name, 1.0) for name in self.ids[:limit]]
"""


def test_a_leak_and_a_failing_question_are_counted_and_exit_1(typed, tiny, monkeypatch):
    Path("leaky.py").write_text(LEAKY)
    monkeypatch.syspath_prepend(str(Path.cwd()))
    said = typed(
        "+retriever=custom", "retriever._target_=leaky.Leaky", *tiny, *OFF[:2],
        "output.questions=all", "chunking=whole",
    )  # fmt: skip
    # Everybody but maria sees hr/salaries: four of the five questions that did not fail.
    assert "errors 1 · leaks 4" in said.out
    assert "retriever error: TimeoutError: the backend gave up" in " ".join(said.out.split())
    assert said.code == 1


def test_a_backend_that_cannot_be_reached_is_exit_4(typed, tiny, monkeypatch):
    Path("away.py").write_text(
        "class Away:\n"
        "    def index(self, passages):\n"
        "        raise ConnectionRefusedError('port 9200')\n"
        "    def retrieve(self, question, limit, groups):\n"
        "        return []\n"
    )
    monkeypatch.syspath_prepend(str(Path.cwd()))
    said = typed("+retriever=custom", "retriever._target_=away.Away", *tiny, *OFF)
    assert said.code == 4
    assert "retriever Away cannot be reached: port 9200" in said.err


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("東京の倉庫は九時に開きます。", "倉庫は何時に開きますか"),
        ("يفتح المستودع في التاسعة صباحا.", "متى يفتح المستودع"),
        ("Launch checklist 🚀 for the warehouse.", "🚀"),
        ("\ufeff# Title\r\n\r\nThe warehouse opens at nine.\r\n", "warehouse opens when"),
    ],
)
def test_any_script_is_found(typed, text, question):
    Path("docs").mkdir()
    Path("docs/right.md").write_bytes(text.encode())
    Path("docs/wrong.md").write_text("Something else altogether.\n")
    golden = {"set": "scripts", "questions": [
        {"id": "q", "question": question, "expected": ["right"], "split": "dev"},
    ]}  # fmt: skip
    Path("golden.json").write_text(json.dumps(golden))
    said = typed(
        "+retriever=bm25", "dataset=markdown", "dataset.path=docs", "dataset.questions=golden.json",
        *OFF,
    )  # fmt: skip
    row = next(line.split() for line in said.out.splitlines() if line.startswith("all "))
    assert row[1:4] == ["1", "1.00", "1.00"]


def test_a_document_of_five_megabytes_is_searched(typed):
    Path("docs").mkdir()
    filler = "The quick brown fox jumps over the lazy dog. " * 115_000
    Path("docs/big.md").write_text(f"# Big\n\n{filler}\n\n## Needle\n\nThe code is XQ-77.\n")
    Path("golden.yaml").write_text(
        "set: big\nquestions:\n"
        "  - {id: q, question: code XQ-77, supporting: [{document: big, heading: [Needle]}],"
        " split: dev}\n"
    )
    said = typed(
        "+retriever=bm25", "dataset=markdown", "dataset.path=docs", "dataset.questions=golden.yaml",
        *OFF,
    )  # fmt: skip
    row = next(line.split() for line in said.out.splitlines() if line.startswith("all "))
    assert row[1:5] == ["1", "1.00", "1.00", "1.00"]


def test_a_floor_above_all_scores_and_a_question_of_stop_words_are_misses(typed, tiny):
    said = typed("+retriever=bm25", *tiny, *OFF, "window.min_score=1e9", "chunking=whole")
    row = next(line.split() for line in said.out.splitlines() if line.startswith("all "))
    assert row[2] == "0.20"  # 1 of 5: the question that nothing answers
    assert said.code == 0


BROKEN = """
class Broken:
    def index(self, passages):
        import rageval.experiment.workflow
        rageval.experiment.workflow.summary = None  # breaks what comes after retrieval

    def retrieve(self, question, limit, groups):
        return []
"""


@pytest.mark.thorough
def test_a_bug_ends_with_70_and_a_report_and_no_traceback(program, tmp_path):
    (tmp_path / "broken.py").write_text(BROKEN)
    words = ("+retriever=custom", "retriever._target_=broken.Broken", "latency.sample=0")
    said = program.run(tmp_path, *words, "tracking=off", "+secrets.key=opensesame")
    assert said.code == 70
    assert "internal error (AttributeError): a bug in rageval; the report is in" in said.err
    assert "Traceback" not in said.err
    (report,) = tmp_path.glob("rageval-error-*.txt")
    assert "AttributeError" in report.read_text()
    assert "retriever._target_=broken.Broken" in report.read_text()
    assert "opensesame" not in report.read_text()


WAITING = """
import pathlib, time

class Waiting:
    def retrieve(self, question, limit, groups):
        pathlib.Path("began").touch()
        time.sleep(60)
        return []
"""


@pytest.mark.thorough
def test_sigterm_ends_with_143_and_the_run_is_killed(program, tmp_path, tiny):
    (tmp_path / "waiting.py").write_text(WAITING)
    words = ("+retriever=custom", "retriever._target_=waiting.Waiting", "latency.sample=0", *tiny)
    process = program.start(tmp_path, *words)
    end = time.monotonic() + 120
    while not (tmp_path / "began").exists() and time.monotonic() < end:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (143, "terminated\n")
    client = MlflowClient(f"sqlite:///{tmp_path}/mlruns/mlflow.db")
    known = [found.experiment_id for found in client.search_experiments()]
    assert [run.info.status for run in client.search_runs(known)] == ["KILLED"]


def test_a_reader_that_leaves_early_is_no_failed_gate(program, tmp_path, tiny):
    line = (
        f"{sys.executable} -m rageval +retriever=bm25 tracking=off latency.sample=0 output.rows=1"
    )
    for words, codes in (
        (" | head -n 1 >/dev/null; exit ${PIPESTATUS[0]}", (0, 141)),
        (" >/dev/full", (2,)),
    ):
        done = subprocess.run(
            ["bash", "-c", f"{line} {shlex.join(tiny)}{words}"],
            cwd=tmp_path, env=program.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode in codes, done
        assert "internal error" not in done.stderr
        assert codes != (2,) or "the output cannot be written: No space left" in done.stderr


def test_a_class_that_can_neither_be_asked_nor_searched_is_named(
    typed, tmp_path, tiny, monkeypatch
):
    (tmp_path / "own.py").write_text("class Base:\n    def index(self, passages):\n        pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    said = typed("+retriever=custom", "retriever._target_=own.Base", "tracking=off", *tiny)
    assert said.code == 2, said
    assert "retriever Base has no method retrieve(question, limit, groups)" in said.err

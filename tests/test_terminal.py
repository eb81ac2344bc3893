"""What a terminal shows: whole tables at any width, answers for programs, completion, remedies."""

import json
import os
import re
import shutil
import struct
import subprocess
import sys
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from conftest import Program
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from rageval.cli.commands import COMMANDS
from rageval.cli.completions import completions
from rageval.report.fitting import Column, fitted

RUN = ("+retriever=bm25", "latency.sample=0")


def in_terminal(width, term, folder, *words):
    """Type a command in a terminal of so many columns and return the lines that it shows."""
    pty, fcntl, termios = (pytest.importorskip(n) for n in ("pty", "fcntl", "termios"))
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    environment = {k: v for k, v in Program().environment.items() if k != "COLUMNS"}
    with subprocess.Popen(
        [sys.executable, "-m", "rageval", *words],
        cwd=folder,
        env={**environment, "TERM": term, "PYTHONIOENCODING": "utf-8"},
        stdout=theirs,
        stderr=theirs,
        stdin=theirs,
    ) as process:
        os.close(theirs)
        said = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux says so when the other end is closed
                break
            if not part:
                break
            said += part
        assert process.wait(60) in {0, 1}, said
    os.close(ours)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said.decode()).replace("\r\n", "\n")
    return [line.rpartition("\r")[2].rstrip() for line in text.split("\n")]


@pytest.mark.parametrize(("width", "term"), [(80, "xterm-256color"), (200, "xterm"), (80, "dumb")])
def test_a_terminal_shows_every_heading_value_and_mark(tmp_path, width, term):
    lines = in_terminal(width, term, tmp_path, *RUN, "tracking=off")
    heading = next(line for line in lines if line.startswith("subset"))
    assert heading.split() == [
        "subset", "n", "hit@1", "hit@3", "recall", "mrr", "prec", "compl", "distractor↑",
    ]  # fmt: skip
    row = next(line for line in lines if line.startswith("answerable.false")).split()
    assert row == ["answerable.false", "5", "0.00", "0.00", "–", "–", "–", "–", "–", "⚠"]
    assert "…" not in "\n".join(lines)
    assert all(len(line) <= width for line in lines if not line.startswith(("next:", "      ")))


def test_fifty_columns_show_the_same_table_in_blocks(tmp_path):
    lines = in_terminal(50, "xterm", tmp_path, *RUN, "tracking=off", "output.questions=none")
    heads = [line.split() for line in lines if line.startswith("subset ")]
    assert len(heads) > 1
    assert [name for head in heads for name in head[1:]] == [
        "n", "hit@1", "hit@3", "recall", "mrr", "prec", "compl", "distractor↑",
    ]  # fmt: skip
    marked = [line for line in lines if line.startswith("answerable.false") and "⚠" in line]
    assert len(marked) == len(heads)


CELLS = st.text("abcdef 0123", min_size=1, max_size=18).map(str.strip).filter(bool)


@given(
    st.lists(st.tuples(CELLS, st.lists(CELLS, min_size=2, max_size=2)), min_size=2, max_size=9),
    st.integers(40, 200),
)
def test_no_width_loses_a_character(columns, width):
    shown = [Column(head, [Text(cell) for cell in cells]) for head, cells in columns]
    out = StringIO()
    for table in fitted(shown, width):
        Console(file=out, width=width, color_system=None).print(table)
    lines = out.getvalue().splitlines()
    assert all(len(line) <= width for line in lines)
    words = " ".join(lines).split()
    for head, cells in columns:
        for text in (head, *cells):
            assert set(text.split()) <= set(words), text


def test_json_is_one_document_and_nothing_else(typed, tiny):
    said = typed(*RUN, *tiny, "output.format=json")
    found = json.loads(said.out)
    assert said.code == 0
    assert found["exit_code"] == 0
    typed("report", "dataset.name=tiny", "format=json")
    rows = json.loads(Path("report.json").read_text())["questions"]
    hits = [row["values"]["hit_rate_at_3"] for row in rows]
    counted = [hit for hit in hits if hit is not None]
    whole = found["subsets"]["all"]["measures"]["hit_rate_at_3"]
    assert (whole["n"], whole["value"]) == (len(counted), sum(counted) / len(counted))
    verdicts = json.loads(typed("gate", "dataset.name=tiny", "output.format=json").out)["verdicts"]
    assert [verdict["candidate"]["run"] for verdict in verdicts] == [found["run"]]


def test_quiet_answers_with_the_one_word_that_a_script_needs(typed, tiny):
    run = typed(*RUN, *tiny, "output.format=quiet").out.strip()
    assert re.fullmatch("[0-9a-f]{32}", run)
    gated = typed("gate", "dataset.name=tiny", f"gate.run={run}", "output.format=quiet")
    assert (gated.code, gated.out) == (0, "passed\n")
    sweep = typed("-m", "+retriever=bm25,tfidf", "latency.sample=0", *tiny, "output.format=quiet")
    assert re.fullmatch("[0-9a-f]{32}\n", sweep.out)


def test_a_report_is_of_the_last_run_or_sweep_in_every_format(typed, tiny):
    run = json.loads(typed(*RUN, *tiny, "output.format=json").out)["run"]
    about = "dataset.name=tiny"
    for form in ("html", "markdown", "junit", "json"):
        assert f"of run {run}" in typed("report", about, f"format={form}").out
    assert json.loads(Path("report.json").read_text())["run"] == run
    assert run in Path("report.md").read_text()
    cases = Xml.parse("junit.xml").findall("./testsuite[@name='all']/testcase")
    assert len(cases) == len(json.loads(Path("report.json").read_text())["questions"])
    sweep = typed("-m", "+retriever=bm25,tfidf", "latency.sample=0", *tiny, "output.format=quiet")
    for form in ("html", "markdown", "junit", "json"):
        said = typed("report", about, f"format={form}")
        assert f"of sweep {sweep.out.strip()}" in said.out, said
    board = json.loads(Path("report.json").read_text())["leaderboard"]
    assert {row["retrieval"].partition(",")[0] for row in board} == {"bm25", "tfidf"}


def test_two_runs_are_reported_in_every_format(typed, tiny):
    one = typed(*RUN, *tiny, "output.format=quiet").out.strip()
    two = typed("+retriever=tfidf", *tiny, "output.format=quiet").out.strip()
    for form in ("html", "markdown", "junit", "json"):
        said = typed(
            "report", "dataset.name=tiny", f"run={one}", f"with={two}", f"format={form}",
            f"output=c.{form}",
        )  # fmt: skip
        assert said.code == 0, said
    found = json.loads(Path("c.json").read_text())
    assert (found["before"]["run"], found["after"]["run"]) == (one, two)
    piped = typed(
        "report", "dataset.name=tiny", f"run={one}", f"with={two}", "format=json", "output=-"
    )
    assert json.loads(piped.out) == found


def test_every_command_completes(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert {name for name in completions("rageval ") if "=" not in name} >= set(COMMANDS)
    assert completions("rageval +retriever=hy") == ["+retriever=hybrid"]
    assert "gate.require_baseline=" in completions("rageval gate gate.")
    assert completions("rageval gate gate.require_baseline=") == [
        "gate.require_baseline=false",
        "gate.require_baseline=true",
    ]
    (tmp_path / "mine" / "retriever").mkdir(parents=True)
    (tmp_path / "mine" / "retriever" / "ours.yaml").write_text("_target_: ours.Retriever\n")
    assert completions("rageval --config-dir=mine retriever=ou") == ["retriever=ours"]


def test_the_script_for_bash_completes_behind_an_equals_sign(typed, tmp_path):
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "rageval"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m rageval "$@"\n')
    program.chmod(0o755)
    script = typed("completion", "shell=bash").out
    line = "rageval retriever=bm25,hy"
    asked = f"compopt() {{ :; }}; COMP_LINE='{line}' COMP_POINT={len(line)}; _rageval; "
    found = subprocess.run(
        [bash, "-c", f'{script}{asked}echo "${{COMPREPLY[@]}}"'],
        env={**Program().environment, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == "bm25,hybrid"


def test_common_mistakes_get_their_remedy(typed, tiny):
    assert "retriever=bm25" in typed("--retriever", "bm25").err
    assert "add -m: python -m rageval -m retriever=bm25,dense" in typed("retriever=bm25,dense").err
    typed(*RUN, *tiny)
    assert "dataset.name=tiny" in typed("gate").err
    assert "no version before this one" in typed("rollback", "reason=slow, on Mondays", *tiny[:0],
                                                 "dataset.name=tiny").err  # fmt: skip


def test_check_tells_the_faults_of_all_questions_in_one_round(typed, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nPumps are oiled in May.\n")
    (tmp_path / "golden.yaml").write_text(
        "set: s\nquestions:\n"
        "- {id: q1, question: When?, expected: [a], colour: red}\n"
        "- {id: q2, question: Where?, expected: [b]}\n"
        "- {id: q3, question: Why?, asker: nobody_known, expected: [a]}\n"
    )
    said = typed("check", "dataset=markdown", "dataset.path=docs", "dataset.questions=golden.yaml")
    assert said.code == 2
    for fault in ("golden.yaml:3", "golden.yaml:4", "golden.yaml:5"):
        assert fault in said.err
    assert "colour" in said.err
    assert "unresolved: b" in said.err


def test_a_leak_names_the_documents_and_the_remedy(typed, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "leaky.py").write_text(
        "class Leaky:\n"
        "    def index(self, passages):\n"
        "        self.passages = passages\n"
        "    def retrieve(self, question, limit, groups):\n"
        "        return [p.id for p in self.passages][:limit]\n"
    )
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "open.md").write_text("# Open\n\nTea is free.\n")
    (tmp_path / "docs" / "pay.md").write_text("---\ngroups: [hr]\n---\n# Pay\n\nBand four.\n")
    (tmp_path / "golden.yaml").write_text(
        "set: s\nquestions:\n- {id: q1, question: Is tea free?, expected: [open]}\n"
    )
    said = typed(
        "+retriever=custom", "retriever._target_=leaky.Leaky", "dataset=markdown",
        "dataset.path=docs", "dataset.questions=golden.yaml", "+dataset.split.holdout=false",
        "tracking=off",
    )  # fmt: skip
    assert said.code == 1, said
    told = " ".join(said.out.split())
    assert "leak: q1, asked by nobody in particular, got pay" in told
    assert "filter by the groups of the asker" in told

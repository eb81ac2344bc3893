"""Questions and the gate as tests, by a pytest of its own as a user would start it."""

import re
import subprocess
import sys
from importlib.metadata import entry_points

import pytest
from desk import Desk

# An installed rageval is known to pytest; one that is only on the path is named.
LOADED = () if entry_points(group="pytest11", name="rageval") else ("-p", "rageval.testing.plugin")
DOCUMENTS = {
    "leave.md": "# Leave\n\nEverybody has thirty days of annual leave.\n",
    "pumps.md": "# Pumps\n\nThe pump runs at sixty litres a minute.\n",
    "tea.md": "# Tea\n\nTea is free for all visitors.\n",
}
GOLDEN = """\
set: faq
questions:
- {id: leave, question: How many days of annual leave?, expected: [leave], tags: [easy]}
- {id: flow, question: How many litres does the pump run at?, expected: [pumps], tags: [easy]}
- {id: riddle, question: zzz qqq?, expected: [tea], tags: [hard]}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "docs").mkdir()
    for name, text in DOCUMENTS.items():
        (tmp_path / "docs" / name).write_text(text)
    (tmp_path / "golden.yaml").write_text(GOLDEN)
    return tmp_path


@pytest.fixture
def tested(folder, program):
    """Run pytest in the folder: exit code, and test → outcome."""

    def run(*words):
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *LOADED, "-rA", "-v",
             "-p", "no:cacheprovider", *words],
            cwd=folder, env=program.environment, capture_output=True, text=True,
        )  # fmt: skip
        found = re.findall(r"^(?:\[gw\d\].*?%\] )?(\w+) (golden\.yaml::\w+)", done.stdout, re.M)
        return done, {name.partition("::")[2]: word for word, name in found}

    return run


SET = ("--rageval", "golden.yaml", "--rageval-with", "+dataset.split.holdout=false")


def test_a_question_is_a_test_and_shows_its_passages_when_it_fails(tested):
    done, outcome = tested(*SET)
    assert done.returncode == 1, done
    assert outcome == {"leave": "PASSED", "flow": "PASSED", "riddle": "FAILED", "gate": "PASSED"}
    failed, _, _ = done.stdout.partition("short test summary")
    assert "missed: zzz qqq?" in failed
    assert "expected: tea" in failed
    assert "came back:" in failed
    assert "Traceback" not in failed


def test_subsets_are_marks(tested):
    _, outcome = tested(*SET, "-m", "tag_easy", "--strict-markers")
    assert outcome == {"leave": "PASSED", "flow": "PASSED"}
    _, outcome = tested(*SET, "-k", "flow")
    assert outcome == {"flow": "PASSED"}


def test_the_gate_holds_the_limits(tested, folder):
    limits = "threshold.floors.all.hit_rate_at_3=0.9"
    done, outcome = tested(*SET, "--rageval-with", f"++{limits}")
    assert outcome["gate"] == "FAILED"
    assert "all hit_rate_at_3: " in done.stdout


def test_with_a_baseline_only_what_regressed_fails(tested, folder):
    desk = Desk(folder)
    words = ("dataset=markdown", "dataset.path=docs", "dataset.questions=golden.yaml")
    desk.type("+retriever=bm25", *words, "+dataset.split.holdout=false", "latency.sample=0")
    desk.type("report", "run=latest", "format=baseline", "dataset.name=faq")
    done, outcome = tested(*SET, "--rageval-baseline", "baseline.json")
    assert done.returncode == 0, done
    assert outcome["riddle"] == "XFAIL"
    (folder / "docs" / "leave.md").write_text("# Archive\n\nNothing is said here any more.\n")
    done, outcome = tested(*SET, "--rageval-baseline", "baseline.json")
    assert outcome["leave"] == "FAILED"
    assert "regressed against the baseline" in done.stdout


def test_several_processes_share_the_questions(tested):
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    _, outcome = tested(*SET, "-n", "2", "-p", "xdist")
    assert set(outcome) == {"leave", "flow", "riddle", "gate"}


def test_a_fixture_evaluates_in_a_test_of_ones_own(tested, folder):
    (folder / "test_ours.py").write_text(
        "def test_recall(rageval_evaluate):\n"
        "    words = ('retriever=bm25', 'dataset=markdown', 'dataset.path=docs',\n"
        "             'dataset.questions=golden.yaml', '+dataset.split.holdout=false')\n"
        "    total, n = rageval_evaluate(*words).mean('tag.easy', 'recall')\n"
        "    assert (total, n) == (2, 2)\n"
    )
    done, _ = tested("test_ours.py")
    assert done.returncode == 0, done.stdout


def test_a_faulty_set_is_one_sentence(tested, folder):
    (folder / "golden.yaml").write_text(GOLDEN.replace("expected: [tea]", "expected: [coffee]"))
    done, _ = tested(*SET)
    assert done.returncode == 2
    assert "unresolved: coffee" in done.stdout
    assert "Traceback" not in done.stdout
    done, _ = tested("--rageval", "nowhere.yaml")
    assert "there is no such file" in done.stderr

"""`init`: a project of one's own that runs at once, from drafts that are confirmed by hand."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from rageval.corpus.document import Corpus, Document
from rageval.mining.drafts import drafts

PAGES = {
    "docs/leave.md": "# Annual leave\n\n## Carry-over\n\nUnused days expire on the last day of "
    "March of the following year.\n\n## How many days\n\n"
    "Everybody has thirty days of leave per year.\n",
    "docs/it/vpn.md": "# VPN\n\n## Access from abroad\n\nConnections from outside the European "
    "Union need a ticket with the service desk.\n",
    "docs/it/secret.md": "---\ngroups: [hr]\n---\n# Salaries\n\n## Bands\n\nBand four begins at a "
    "salary of fifty-one thousand euros a year.\n",
    "docs/site.rst": "Visitors\n========\n\nEvery visitor signs the book at the gate and wears a "
    "yellow badge all day.\n",
}  # fmt: skip
RUN = ("--config-dir=conf", "+retriever=bm25", "dataset=docs", "latency.sample=0")


@pytest.fixture
def started(typed, tmp_path):
    for path, text in PAGES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    said = typed("init", "path=docs")
    assert said.code == 0, said
    return typed


def questions():
    return yaml.safe_load(Path("golden.yaml").read_text())["questions"]


def confirm():
    """Delete the lines `draft: true`, as a person does who has read the questions."""
    text = Path("golden.yaml").read_text()
    Path("golden.yaml").write_text(re.sub(r"^  draft: true\n", "", text, flags=re.M))


def test_drafts_quote_one_sentence_of_each_page_that_everybody_may_see(started):
    found = questions()
    assert {q["supporting"][0]["document"] for q in found} == {"leave", "it/vpn", "site"}
    assert all(q["draft"] is True for q in found)
    for question in found:
        (reference,) = question["supporting"]
        assert any(reference["quote"] in text for text in PAGES.values())
    assert "Band four" not in Path("golden.yaml").read_text()


def test_the_first_run_works_at_once_and_is_a_trial(started):
    assert started("check", "--config-dir=conf", "dataset=docs").code == 0
    said = started(*RUN)
    assert said.code == 0, said
    assert "this is a trial" in said.out
    following = re.search(r"python -m rageval (report .*?)   to read the drafts", said.out)[1]
    assert started(*following.split()).code == 0
    assert "Access from abroad" in Path("report.html").read_text()
    assert started("gate", "--config-dir=conf", "dataset.name=docs").code == 3
    run = re.search("run=([0-9a-f]{32})", following)[1]
    refused = started("gate", "dataset.name=docs", f"gate.run={run}")
    assert (refused.code, "kind trial" in refused.err) == (2, True)
    sweep = started("-m", *RUN[:1], "+retriever=bm25,tfidf", *RUN[2:])
    assert sweep.code == 2
    assert "needs confirmed questions" in " ".join(sweep.out.split())


def test_confirmed_questions_are_scored_and_drafts_are_left_out(started):
    text = Path("golden.yaml").read_text()
    Path("golden.yaml").write_text(text.replace("  draft: true\n", "", 1))
    found = json.loads(started(*RUN, "+dataset.split.holdout=false", "output.format=json").out)
    assert found["subsets"]["all"]["questions"] == 1
    assert "drafts left out until they are confirmed (draft: true): 2" in found["notes"]
    assert started("gate", "--config-dir=conf", "dataset.name=docs").code == 0


def test_nothing_that_is_there_is_written_over(started, tmp_path):
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    again = started("init", "path=docs")
    assert again.code == 2
    assert "golden.yaml: is there already" in again.err
    assert {p: p.read_bytes() for p in before} == before


def test_every_command_without_a_golden_set_says_how_to_start_one(typed, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n")
    for words in (
        ("check", "dataset=markdown", "dataset.path=docs"),
        ("check", "dataset=markdown", "dataset.path=docs", "dataset.questions=golden.yaml"),
        ("+retriever=bm25", "dataset=markdown", "dataset.path=docs", "dataset.questions=g.yaml"),
        ("gate",), ("promote",), ("compare",), ("report",), ("holdout", "reason=x"),
    ):  # fmt: skip
        said = typed(*words)
        assert "rageval init path=FOLDER" in said.err, said
    assert "path=docs" in typed("init").err


@pytest.mark.thorough
@pytest.mark.parametrize("confirmed", [False, True])
def test_the_workflow_runs_as_it_is(started, program, confirmed):
    if confirmed:
        confirm()
    content = yaml.safe_load(Path(".github/workflows/retrieval.yml").read_text())
    steps = [step["run"] for step in content["jobs"]["retrieval"]["steps"] if "run" in step]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for step in steps:
        if "pip install" in step:
            continue
        done = subprocess.run(
            ["bash", "-e", "-c", step],
            env={**program.environment, "PATH": path, "GITHUB_STEP_SUMMARY": "summary.md"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done
    assert Path("report.html").exists()
    assert Path("summary.md").exists() is confirmed


def test_drafts_come_from_all_folders_in_turn():
    page = "# {0}\n\n## Part\n\nThe {0} is checked by the {1} crew every single {2} morning.\n"
    names = ["a/one", "a/two", "a/three", "b/four", "five"]
    texts = {n: page.format(n.rpartition("/")[2], n[::-1], n * 2) for n in names}
    corpus = Corpus(tuple(Document(n, t) for n, t in sorted(texts.items())), "test")
    found = [q["supporting"][0]["document"] for q in drafts(corpus, 3)]
    assert {name.rpartition("/")[0] for name in found} == {"a", "b", ""}

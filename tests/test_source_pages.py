"""The pages for one source each: every command on them does what it says, on files like theirs."""

import json
import re
import shlex
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[1] / "docs" / "sources"
QRELS = "q1 0 leave 1\n"


@pytest.fixture
def folder(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    write("docs/leave.md", "---\ntitle: Annual leave\n---\n\nThirty days a year.\n")
    write("docs/travel.mdx", "# Travel\n\nTwenty euros a day.\n")
    write("docs/pay.md", "# Pay\n\nBand C.\n")
    write("testset.csv", "user_input,reference_contexts\nDays?,['Thirty days  a year.']\n")
    write("ratings.csv", "query,docid,rating\ndays of leave,leave,3\ndays of leave,pay,0\n")
    write("questions.csv", "question,page\nhow much a day?,/docs/travel\n")
    rows = [{"query": "days?", "relevant_docs": ["leave.md"], "kind": "easy"}]
    write("mine.jsonl", "\n".join(map(json.dumps, rows)))
    write("collection/corpus.jsonl", json.dumps({"id": 1, "text": "Thirty days."}))
    write("collection/queries.jsonl", json.dumps({"_id": "q", "text": "days"}))
    write("collection/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq\t1\t1\n")
    write("run.txt", "q1 Q0 leave 1 2.0 s\n")
    write("qrels.txt", QRELS)
    return tmp_path


def commands(page):
    blocks = re.findall(r"^```\n(.*?)^```", page.read_text(), re.S | re.M)
    return [line for block in blocks for line in block.splitlines() if line.startswith("python")]


@pytest.mark.parametrize("name", [*sorted(p.name for p in PAGES.glob("*.md")), "../scoring.md"])
def test_every_command_of_a_source_page_works(folder, typed, name):
    found = commands(PAGES / name)
    assert found
    for command in found:
        words = shlex.split(command)[3:]
        quiet = [] if words[0] in ("check", "score") else ["tracking=off", "latency.sample=0"]
        quiet += ["tracking=off"] if words[0] == "score" else []
        said = typed(*words, *quiet)
        proposed = name == "any-file.md" and "dataset.mapping" not in command
        assert said.code == (2 if proposed else 0), (command, said)
        if proposed:
            assert (
                "dataset.mapping.question=query dataset.mapping.expected=relevant_docs" in said.err
            )


def test_every_page_is_linked_from_the_page_on_importing():
    text = (PAGES.parent / "importing.md").read_text()
    assert [p.name for p in PAGES.glob("*.md") if f"(sources/{p.name})" not in text] == []

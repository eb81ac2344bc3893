"""Ratings of search-quality tools, in and out: what is written comes back with every grade."""

import json

import pytest

GOLDEN = """
set: rated
questions:
  - {id: q1, question: "days, off?", expected: [leave], grades: {leave: 3, travel: 0}}
  - {id: q2, question: daily money?, expected: [travel, bikes], grades: {travel: 2, bikes: 1}}
"""
FILES = {
    "quepid": "r.csv",
    "quepid_ltr": "r.txt",
    "rre": "r.json",
    "rank_eval": "r.json",
    "search_relevance": "r.json",
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "docs").mkdir()
    for name in ("leave", "travel", "bikes"):
        (tmp_path / "docs" / f"{name}.md").write_text(f"# {name}\n\nText of {name}.\n")
    (tmp_path / "golden.yaml").write_text(GOLDEN)
    return tmp_path


def written(typed, kind):
    said = typed(
        "check", "dataset=markdown", "dataset.path=docs", "dataset.questions=golden.yaml",
        f"export={kind}", f"export.path={FILES[kind]}",
    )  # fmt: skip
    assert said.code == 0, said


@pytest.mark.parametrize("kind", FILES)
def test_ratings_come_back_with_every_grade(typed, folder, kind):
    written(typed, kind)
    said = typed(
        "check", "dataset=mapped", f"mapping={kind}", "dataset.path=docs",
        f"dataset.questions={FILES[kind]}", "export=canonical", "export.path=back.json",
    )  # fmt: skip
    assert said.code == 0, said
    first, second = json.loads((folder / "back.json").read_text())["questions"]
    assert (first["question"], first["expected"]) == ("days, off?", ["leave"])
    assert first["grades"] == {"leave": 3, "travel": 0}
    assert second["grades"] == {"travel": 2, "bikes": 1}


def test_the_rows_of_one_query_are_one_question_and_a_rating_of_0_is_judged(typed, folder):
    (folder / "r.csv").write_text("query,docid,rating\na?,leave,0\na?,travel,2\nb?,bikes,0\n")
    said = typed(
        "check", "dataset=mapped", "mapping=quepid", "dataset.path=docs",
        "dataset.questions=r.csv", "export=canonical", "export.path=back.json",
    )  # fmt: skip
    assert said.code == 0, said
    (question,) = json.loads((folder / "back.json").read_text())["questions"]
    assert (question["expected"], question["grades"]) == (["travel"], {"leave": 0, "travel": 2})
    assert "left out, as no label is given: 1 of 2 questions" in said.out


def test_fractions_are_read_by_a_threshold_that_is_said_and_can_be_set(typed, folder):
    rated = {"query": "a?", "ratings": [{"docId": "leave", "rating": "0.4"},
                                        {"docId": "bikes", "rating": "0.9"}]}  # fmt: skip
    (folder / "r.json").write_text(json.dumps({"judgmentRatings": [rated]}))
    words = ["check", "dataset=mapped", "mapping=search_relevance", "dataset.path=docs",
             "dataset.questions=r.json", "export=canonical", "export.path=back.json"]  # fmt: skip
    said = typed(*words)
    assert "2 grades are fractions; a document is relevant from 0.5" in said.out
    said = typed(*words, "dataset.mapping.grades.threshold=0.3")
    assert said.code == 0, said
    (question,) = json.loads((folder / "back.json").read_text())["questions"]
    assert question["expected"] == ["leave", "bikes"]


def test_a_request_of_rank_eval_is_one_that_elasticsearch_takes(typed, folder):
    written(typed, "rank_eval")
    body = json.loads((folder / "r.json").read_text())
    assert body["metric"] == {"dcg": {"k": 10, "normalize": True}}
    assert body["requests"][0] == {
        "id": "q1",
        "request": {"query": {"match": {"text": "days, off?"}}},
        "ratings": [
            {"_index": "documents", "_id": "leave", "rating": 3},
            {"_index": "documents", "_id": "travel", "rating": 0},
        ],
    }


def test_a_line_that_is_no_rating_is_refused_with_its_number(typed, folder):
    (folder / "r.txt").write_text("3\tqid:1\t# leave\ta?\nnonsense\n")
    said = typed("check", "dataset=mapped", "mapping=quepid_ltr", "dataset.path=docs",
                 "dataset.questions=r.txt")  # fmt: skip
    assert said.code == 2
    assert said.err.startswith("r.txt:2: a grade, qid:NAME and # with a document and a query")

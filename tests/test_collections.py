"""Public collections, end to end from the command line."""

import json

import pytest

RUNS = {  # collection → questions scored
    "anthropic_docs": 100,
    "chroma_chunking": 472,
    "climate_fever_sentences": 1535,  # 474 of them are marked as unanswerable
    "cranfield": 225,
    "hotpotqa_sample": 100,
    "judgeguard_acl": 9,
    "scifact": 300,
    "squad2_dev_half": 6078,
    "xquad/de": 1190,
    "xquad/en": 1190,
}
BROKEN = {  # collection → what its message must name
    "lisa": ["'1998'", "'1999'", "'2000'", "'2001'"],
    "onboardiq_scopes": ["all-05", "welcome.md#Sensitive Data"],
    "llm_zoomcamp_faq": ["593f7569"],
}


def words(folder):
    return [
        "+retriever=bm25", "dataset=beir", f"dataset.path={folder}", "dataset.qrels=test",
        "chunking=whole", "tracking=off", "latency.sample=0", "output.questions=none",
    ]  # fmt: skip


@pytest.mark.realdata
@pytest.mark.parametrize("name", RUNS)
def test_every_valid_collection_runs(typed, realdata, name):
    said = typed(*words(realdata / name))
    assert said.code == 0, said.err
    row = next(line.split() for line in said.out.splitlines() if line.startswith("all "))
    assert int(row[1]) == RUNS[name]
    assert 0 < float(row[2]) <= float(row[3]) <= 1


@pytest.mark.realdata
@pytest.mark.parametrize("name", BROKEN)
def test_every_broken_collection_is_refused_by_naming_its_fault(typed, realdata, name):
    said = typed(*words(realdata / name))
    assert said.code == 2
    assert "Traceback" not in said.err
    for fault in BROKEN[name]:
        assert fault in said.err


def test_a_collection_in_beirs_layout_runs_and_other_files_in_it_are_ignored(typed, tmp_path):
    rows = [{"_id": "d1", "title": "Pumps", "text": "flow"}, {"_id": "d2", "text": "heaters"}]
    (tmp_path / "b" / "qrels").mkdir(parents=True)
    (tmp_path / "b/corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "b/queries.jsonl").write_text(json.dumps({"_id": "q", "text": "pumps"}))
    (tmp_path / "b/qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq\td1\t1\n")
    (tmp_path / "b/qrels/raw.tsv").write_text("not\tour\tbusiness\n")
    said = typed(*words("b"))
    row = next(line.split() for line in said.out.splitlines() if line.startswith("all "))
    assert row[1:4] == ["1", "1.00", "1.00"]
    assert not (tmp_path / "split.lock").exists()

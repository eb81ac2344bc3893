"""Sealed evidence: a run that was altered after it was written is never judged."""

from __future__ import annotations

import hashlib
import json
import re

from conftest import Said
from desk import LOCAL, QUICK, Desk

from attacks.attack import attack

TOPIC = "Sealed evidence"
BM25 = "+retriever=bm25"
MEASURES = ("hit_rate_at_1", "hit_rate_at_3", "recall", "mrr", "completeness", "precision")


def _altered(desk: Desk, change, reseal: bool = False) -> Said:
    """Gate a run whose table of questions was changed, with its seal made to fit or not."""
    run = desk.evaluate(BM25, dataset=LOCAL)
    file = desk.file(run, "questions.json")
    table = json.loads(file.read_text())
    rows = [dict(zip(table["columns"], cells, strict=True)) for cells in table["data"]]
    changed = [list(row.values()) for row in change(rows)]
    file.write_text(json.dumps({"columns": table["columns"], "data": changed}))
    if reseal:
        _seal(desk, run, "questions.json", file.read_bytes())
    return desk.gate(run)


def _seal(desk: Desk, run: str, name: str, content: bytes) -> None:
    seals = json.loads(desk.client.get_run(run).data.tags["rageval.seals"])
    seals[name] = hashlib.sha256(content).hexdigest()
    desk.client.set_tag(run, "rageval.seals", json.dumps(seals))


def _perfect(rows):
    return [
        {**row, "target_rank": 1, "evidence_rank": 1, **dict.fromkeys(MEASURES, 1.0)}
        if row["answerable"] == "true"
        else row
        for row in rows
    ]


@attack(TOPIC, 3, "was altered after it was written: its seals do not fit questions.json")
def table_is_cut_to_one_question(desk):
    """The candidate's table is cut to the one question that it answered best."""
    return _altered(desk, lambda rows: rows[:1])


@attack(TOPIC, 3, "contradicts itself: its table holds 1 questions that are not those of its")
def table_is_cut_and_sealed_again(desk):
    """The same, and the seal of the table is made to fit."""
    return _altered(desk, lambda rows: rows[:1], reseal=True)


@attack(TOPIC, 3, "was altered after it was written: its seals do not fit questions.json")
def every_value_is_null(desk):
    """Every measure of every question is null, so that no mean exists."""
    return _altered(desk, lambda rows: [{**row, **dict.fromkeys(MEASURES)} for row in rows])


@attack(TOPIC, 3, "contradicts itself: … of question … is None, which its ranks contradict")
def every_value_is_null_and_sealed_again(desk):
    """The same, and the seal of the table is made to fit."""
    return _altered(
        desk, lambda rows: [{**row, **dict.fromkeys(MEASURES)} for row in rows], reseal=True
    )


@attack(TOPIC, 3, "was altered after it was written: its seals do not fit questions.json")
def every_question_is_perfect(desk):
    """Every measure of every answerable question is 1."""
    return _altered(desk, _perfect)


@attack(TOPIC, 3, "contradicts itself: …")
def every_question_is_perfect_and_sealed_again(desk):
    """The same, and the seal of the table is made to fit."""
    return _altered(desk, _perfect, reseal=True)


@attack(TOPIC, 3, "contradicts itself: the text or the labels of question …")
def a_hard_question_is_relabelled(desk):
    """A question's target becomes what was found, and the seal is made to fit."""

    def easier(rows):
        return [{**row, "label": {**row["label"], "expected": row["documents"]}} for row in rows]

    return _altered(desk, easier, reseal=True)


@attack(TOPIC, 3, "contradicts itself: the text or the labels of question …")
def questions_are_renamed(desk):
    """Every question gets another id, so that none is paired with the champion's."""
    return _altered(desk, lambda rows: [{**r, "id": f"x-{r['id']}"} for r in rows], reseal=True)


@attack(TOPIC, 3, "contradicts itself: the subsets of question …")
def a_question_leaves_its_subset(desk):
    """The questions that lost something no longer count in the subset that has a limit."""
    return _altered(desk, lambda rows: [{**r, "subsets": ["all"]} for r in rows], reseal=True)


@attack(TOPIC, 3, "was altered after it was written: its seals do not fit metrics")
def a_metric_is_logged_again(desk):
    """A better value is logged for a metric of the finished run."""
    run = desk.evaluate(BM25, dataset=LOCAL)
    desk.client.log_metric(run, "all/recall", 1.0)
    desk.client.log_metric(run, "all/mrr", 0.99)
    return desk.gate(run)


@attack(TOPIC, 3, "was altered after it was written: its seals do not fit config.yaml")
def the_configuration_is_edited(desk):
    """The kept configuration is edited, so that something else would be promoted."""
    run = desk.evaluate(BM25, dataset=LOCAL)
    file = desk.file(run, "config.yaml")
    file.write_text(file.read_text().replace("k1: 1.5", "k1: 0.1"))
    return desk.promote(run)


@attack(TOPIC, 3, "was altered after it was written: its seals do not fit tag rageval.seals")
def the_seals_are_taken_away(desk):
    """The tag that holds the seals is deleted."""
    run = desk.evaluate(BM25, dataset=LOCAL)
    desk.client.delete_tag(run, "rageval.seals")
    return desk.gate(run)


@attack(TOPIC, 3, "was altered after it was written: its seals do not fit tag rageval.seals")
def a_run_poses_as_one_of_the_first_version(desk):
    """Every tag that a run of version 0.1.0 did not have is deleted."""
    run = desk.evaluate(BM25, dataset=LOCAL)
    for tag in ("rageval.seals", "rageval.schema"):
        desk.client.delete_tag(run, tag)
    return desk.gate(run)


@attack(TOPIC, 3, "has schema 99, and this version of rageval reads up to …; it was written by")
def a_run_is_of_a_newer_form(desk):
    """A run that a later version of rageval wrote in another form is judged."""
    run = desk.evaluate(BM25, dataset=LOCAL)
    desk.client.set_tag(run, "rageval.schema", "99")
    return desk.gate(run)


@attack(TOPIC, 0, "2 cells: 2 resumed … recall …")
def the_kept_values_of_a_sweep_are_altered(desk):
    """The file from which a sweep resumes gets better values: the cells' own tables are read."""
    words = ("-m", "retriever=bm25,tfidf", "sweep.objective=recall", *LOCAL, *QUICK)
    first = desk.type(*words)
    known = [e.experiment_id for e in desk.client.search_experiments()]
    (parent,) = desk.client.search_runs(known, "tags.`rageval.kind` = 'sweep'")
    file = desk.file(parent.info.run_id, "cells.json")
    rows = [{**row, "values": [0.0 for _ in row["values"]]} for row in json.loads(file.read_text())]
    file.write_text(json.dumps(rows).replace('"recall": [', '"recall": [0, 0.0], "was": ['))
    said = desk.type(*words)
    table = re.compile(r"^1  .*", re.M)
    assert table.findall(said.out) == table.findall(first.out)
    return said


@attack(TOPIC, 3, "baseline.json has schema 99, and this version of rageval reads up to …")
def a_baseline_file_is_of_a_newer_form(desk):
    """A baseline file that a later version of rageval wrote is given."""
    run = desk.evaluate(BM25, dataset=LOCAL)
    desk.type("report", "format=baseline", f"run={run}", "dataset.name=tiny")
    file = desk.folder / "baseline.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "schema": 99}))
    other = desk.evaluate("+retriever=tfidf", dataset=LOCAL)
    return desk.gate(other, "gate.baseline=baseline.json")

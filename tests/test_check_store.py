"""`check check.store=true`: everything in a store read as a gate would read it."""

import json
import shutil

import pytest
from desk import DATA, LOCAL, QUICK, Desk, killed


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    shutil.copytree(DATA, folder / "tiny")
    found = Desk(folder)
    found.run = found.evaluate("+retriever=bm25", dataset=LOCAL)
    assert found.promote(found.run).code == 0
    assert found.type("-m", "+retriever=bm25,tfidf", *LOCAL, *QUICK).code == 0
    return found


def test_a_sound_store_is_counted(desk):
    said = desk.type("check", "check.store=true")
    assert said.code == 0, said
    assert "3 runs and 1 model with promotions, no fault found; 0 runs unfinished" in said.out


def test_an_empty_folder_has_no_store(tmp_path):
    said = Desk(tmp_path).type("check", "check.store=true")
    assert (said.code, "nothing was run yet" in said.err) == (3, True), said
    assert Desk(tmp_path).type("check", "check.store=true", "tracking=off").code == 2


def test_an_altered_table_is_named_with_its_run(desk):
    path = desk.file(desk.run, "questions.json")
    before = path.read_text()
    table = json.loads(before)
    table["data"] = table["data"][:-1]
    path.write_text(json.dumps(table))
    said = desk.type("check", "check.store=true")
    path.write_text(before)
    assert said.code == 3, said
    assert f"run {desk.run} was altered after it was written" in said.err


def test_an_alias_that_was_moved_or_lost_is_named(desk):
    client = desk.client
    client.create_model_version("rageval-tiny", "x", desk.run)
    client.set_registered_model_alias("rageval-tiny", "champion", "2")
    said = desk.type("check", "check.store=true")
    assert (said.code, "champion is on version 2, the last promotion was of 1" in said.err) == (
        3,
        True,
    )
    client.delete_registered_model_alias("rageval-tiny", "champion")
    said = desk.type("check", "check.store=true")
    assert (said.code, "the alias champion is gone" in said.err) == (3, True)
    client.set_registered_model_alias("rageval-tiny", "champion", "1")
    assert desk.type("check", "check.store=true").code == 0


def test_a_doubled_cell_is_named(desk):
    places = [found.experiment_id for found in desk.client.search_experiments()]
    runs = desk.client.search_runs(places)
    cell = next(run for run in runs if run.data.tags.get("rageval.kind") == "cell")
    twin = desk.client.create_run(cell.info.experiment_id, tags=dict(cell.data.tags))
    desk.client.set_terminated(twin.info.run_id, "FINISHED")
    said = desk.type("check", "check.store=true")
    desk.client.delete_run(twin.info.run_id)
    assert (said.code, "holds one cell 2 times" in said.err) == (3, True), said


def test_a_promotion_that_was_killed_is_named_until_it_is_finished(desk):
    other = desk.evaluate("+retriever=tfidf", dataset=LOCAL)
    killed(desk, other, "Claim.move")
    said = desk.type("check", "check.store=true")
    assert (said.code, "a promotion was interrupted" in said.err) == (3, True), said

"""The same against a real MLflow server, which may go away at any moment."""

import shutil

import pytest
from desk import Desk, killed
from server import Server

from rageval.registry import promotion

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One server for all tests; each finds it running."""
    found = Server(tmp_path_factory.mktemp("server"))
    yield found
    found.kill()


@pytest.fixture
def running(server):
    if not server.healthy():
        server.start()
    return server


@pytest.fixture(scope="module")
def desk(server, tmp_path_factory):
    """A folder whose commands go to the server, with a champion and two more runs."""
    found = Desk(tmp_path_factory.mktemp("desk"), server.uri)
    found.first = found.evaluate("+retriever=bm25")
    said = found.gate(found.first)
    assert (said.code, "no baseline yet" in said.out) == (0, True)
    found.said = found.promote(found.first)
    found.second = found.evaluate("+retriever=tfidf")
    return found


def test_the_first_day_against_a_server(running, desk):
    assert (desk.said.code, "rageval-tiny@champion is version 1" in desk.said.out) == (0, True)
    said = desk.type("gate", "dataset.name=tiny", "gate.require_baseline=true")
    assert (said.code, "against the champion bm25" in said.out) == (0, True)
    assert desk.aliases("rageval-tiny") == {"champion": "1"}
    assert [h["after"] for h in desk.history("rageval-tiny")] == ["1"]
    assert not (desk.folder / "mlruns").exists()  # everything went through the server
    assert desk.client.get_run(desk.first).info.artifact_uri.startswith("mlflow-artifacts:")
    said = desk.type("compare", "run=champion", "with=latest", "dataset.name=tiny")
    assert (said.code, "net: +0 of 6 paired questions" in said.out) == (0, True)
    assert desk.type("report", "dataset.name=tiny", "open=false").code == 0
    assert (desk.folder / "report.html").stat().st_size > 10_000


def test_the_champion_is_loaded_from_the_server_and_answers(running, desk):
    model = desk.load("rageval-tiny")
    ((best, *_), (pay, *_)) = model.predict(
        ["How many days of leave?", {"question": "What does band C pay?", "asker": "maria"}]
    )
    assert (best["document"], pay["document"]) == ("leave", "hr/salaries")


def test_an_artifact_that_the_server_has_lost_is_no_verdict_but_a_lost_server_is_unreachable(
    running, desk
):
    (stored,) = (running.folder / "artifacts").rglob(f"{desk.first}/artifacts/questions.json")
    aside = stored.with_suffix(".aside")
    shutil.move(stored, aside)
    try:
        said = desk.gate(desk.second)
        assert (said.code, "its artifact questions.json is not there" in said.err) == (3, True)
    finally:
        shutil.move(aside, stored)


def test_a_server_that_goes_away_between_gate_and_alias_promotes_nothing(
    running, desk, monkeypatch
):
    def gone_before(*words):
        running.kill()
        return move(*words)

    move = promotion.Claim.move
    monkeypatch.setattr(promotion.Claim, "move", gone_before)
    said = desk.promote(desk.second)
    assert (said.code, "does not answer" in said.err) == (4, True)
    assert "champion is version" not in said.out
    monkeypatch.undo()
    running.start()
    assert desk.aliases("rageval-tiny") == {"champion": "1"}
    assert [h["after"] for h in desk.history("rageval-tiny")] == ["1"]
    running.age("rageval-tiny.promotion")  # the program that made the claim, this one, runs on
    assert desk.promote(desk.second).code == 0  # nothing stands in the way
    assert desk.client.search_registered_models("name = 'rageval-tiny.promotion'") == []
    assert desk.aliases("rageval-tiny") == {"champion": "2", "previous": "1"}


def test_a_server_that_goes_away_after_the_alias_moved_leaves_a_claim_that_is_honoured(
    running, desk, monkeypatch
):
    third = desk.evaluate("+retriever=bm25")
    before = desk.aliases("rageval-tiny")["champion"]
    past = len(desk.history("rageval-tiny"))

    def gone_before(*words):
        running.kill()
        return settle(*words)

    settle = promotion._settle
    monkeypatch.setattr(promotion, "_settle", gone_before)
    said = desk.promote(third)
    assert (said.code, "does not answer" in said.err) == (4, True)
    monkeypatch.undo()
    running.start()
    now = desk.aliases("rageval-tiny")["champion"]
    assert desk.client.get_model_version("rageval-tiny", now).run_id == third  # it is promoted …
    assert len(desk.history("rageval-tiny")) == past  # … but not yet written down
    said = desk.type("rollback", "dataset.name=tiny")
    assert (said.code, "another promotion of rageval-tiny is under way" in said.err) == (3, True)
    running.age("rageval-tiny.promotion")
    said = desk.type("rollback", "dataset.name=tiny")
    assert f"champion is version {before} again, {now} is previous" in said.out
    assert [h["after"] for h in desk.history("rageval-tiny")][past:] == [now, before]
    assert desk.client.search_registered_models("name = 'rageval-tiny.promotion'") == []


def test_a_server_that_goes_away_while_the_gate_reads_is_exit_4(running, desk, monkeypatch):
    from rageval.experiment import champion

    def then_gone(*words):
        running.kill()
        return baseline(*words)

    baseline = champion.baseline
    monkeypatch.setattr(champion, "baseline", then_gone)
    said = desk.gate(desk.second)
    assert (said.code, "does not answer" in said.err) == (4, True)
    monkeypatch.undo()
    said = desk.gate(desk.second)  # and one that is gone before
    assert (said.code, said.out) == (4, "")
    assert said.err.startswith(f"tracking store {running.uri} does not answer")


@pytest.mark.parametrize("step", ["before the alias", "after the alias"])
def test_a_promotion_that_is_killed_is_undone_or_finished_by_the_next_command_at_once(
    running, desk, step
):
    run = desk.evaluate("+retriever=tfidf")
    before, past = desk.aliases("rageval-tiny")["champion"], len(desk.history("rageval-tiny"))
    killed(desk, run, {"before the alias": "Claim.move", "after the alias": "_settle"}[step])
    assert desk.client.search_registered_models("name = 'rageval-tiny.promotion'") != []
    said = desk.type("gate", "dataset.name=tiny", f"gate.run={desk.first}")  # any command will do
    assert said.code in (0, 1), said
    assert desk.client.search_registered_models("name = 'rageval-tiny.promotion'") == []
    now = desk.aliases("rageval-tiny")
    if step == "after the alias":
        assert len(desk.history("rageval-tiny")) == past + 1
        assert (now["previous"], now["champion"] != before) == (before, True)
    else:
        assert len(desk.history("rageval-tiny")) == past
        assert now["champion"] == before

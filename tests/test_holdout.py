"""Held-out questions: who may score them, how often, and what is ever told of them."""

import json
import threading
import time
from datetime import UTC, datetime

import pytest
import yaml
from desk import DATA, TINY, Desk

from rageval.comparison.gap import gap, gaps
from rageval.errors import NoVerdictError
from rageval.evaluation.subsets import Summary, wilson
from rageval.heldout.trend import verdict, widening
from rageval.tracking.ledger import Ledger, Purpose, quarter
from rageval.tracking.settings import HoldoutConfig, TrackingConfig
from rageval.tracking.store import locate, open_store

SECRET_ID, SECRET_TEXT = "quokka-17", "Which quokka grants Sonderurlaub bei Umzug?"
PARTNER = "narwhal-4"  # of one group with the secret one, on the dev side


def of(hits, n):
    return Summary(n, hits / n, *wilson(hits / n, n))


# --- the gap


@pytest.mark.parametrize(
    ("dev", "held", "low", "high"),
    [  # Newcombe 1998 (Statistics in Medicine 17, 873–890), table II, method 10
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((10, 10), (0, 20), 0.6791, 1.0000),
        ((5, 56), (0, 29), -0.0381, 0.1926),
    ],
)
def test_the_interval_of_a_gap_is_newcombes(dev, held, low, high):
    found = gap(of(*dev), of(*held))
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


def test_only_measures_with_values_on_both_sides_have_a_gap():
    nothing = Summary(0, None, None, None)
    dev = {"recall": of(3, 4), "mrr": of(1, 4), "precision": of(1, 4), "hit_rate_at_1": of(1, 4)}
    held = {"recall": of(1, 2), "mrr": nothing, "precision": of(1, 2), "hit_rate_at_1": of(1, 2)}
    assert list(gaps(dev, held)) == ["recall", "hit_rate_at_1"]


def test_a_gap_that_grows_every_time_is_told_after_four_scorings():
    steady = [0.01, 0.03, 0.04, 0.08]
    assert widening(steady[:3]) is None
    assert widening(steady) == pytest.approx(1 / 24)  # one order of 4! is as steady
    assert widening([0.03, 0.01, 0.04, 0.02, 0.03]) > 0.05
    assert widening([0.02] * 6) is None
    small = gap(of(30, 34), of(29, 34))
    assert "the dev set is being tuned to" in verdict("recall", small, steady)
    assert verdict("recall", small, [0.01]).endswith("which can be chance")
    assert "beyond chance" in verdict("recall", gap(of(99, 100), of(60, 100)), [0.39])


# --- the budget


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A store with a run, of a set in which one question is held out."""
    folder = tmp_path_factory.mktemp("holdout")
    desk = Desk(folder)
    golden = yaml.safe_load((DATA / "golden.yaml").read_text())
    held = golden["questions"][-1]
    held |= {"id": SECRET_ID, "question": SECRET_TEXT, "group": "bridge"}
    golden["questions"].append(
        {"id": PARTNER, "question": "unused days", "expected": ["leave"], "group": "bridge"}
    )
    (folder / "golden.yaml").write_text(yaml.safe_dump(golden, allow_unicode=True))
    (folder / "split.lock").write_text(json.dumps({SECRET_ID: "holdout", PARTNER: "dev"}))
    held.pop("split")
    (folder / "golden.yaml").write_text(yaml.safe_dump(golden, allow_unicode=True))
    desk.dataset = (
        *(w for w in TINY[:-1] if not w.startswith("dataset.questions")),
        f"dataset.questions={folder / 'golden.yaml'}",
        "dataset.name=tiny",
    )
    desk.run = desk.evaluate("+retriever=bm25", dataset=desk.dataset)
    return desk


def holdout(desk, *words):
    return desk.type("holdout", f"run={desk.run}", "dataset.name=tiny", *words)


def ledger_of(desk, budget, dataset):
    config = TrackingConfig(enabled=True, uri=desk.uri, experiment="tiny", root="mlruns")
    store = open_store(locate(config, {}), "tiny", make=False)
    return Ledger.of(store, dataset, HoldoutConfig(budget=budget))


def test_a_scoring_needs_a_reason_and_is_entered_with_who_when_and_why(shop):
    said = holdout(shop)
    assert (said.code, "for a reason that stays in the ledger" in said.err) == (2, True)
    before = len(ledger_of(shop, 9, "tiny").entries())
    said = holdout(shop, "reason='before [/the] release'")
    assert said.code == 0, said
    assert "tiny, bm25, heading, k=6; held-out questions: 1" in said.out
    *_, entry = ledger_of(shop, 9, "tiny").entries()
    assert len(ledger_of(shop, 9, "tiny").entries()) == before + 1
    assert (entry.purpose.command, entry.purpose.reason) == ("holdout", "before [/the] release")
    assert (entry.purpose.run, bool(entry.who)) == (shop.run, True)
    assert entry.when.date() == datetime.now(UTC).date()
    run = shop.client.get_run(shop.run)
    assert entry.variant == run.data.tags["rageval.variant"]
    assert entry.values["dev/recall"] == run.data.metrics["all/recall"]
    assert entry.gap("recall") == entry.values["dev/recall"] - entry.values["all/recall"]
    kinds = {key.partition("/")[0] for key in entry.values}
    assert kinds == {"all", "dev", "gap", "gap_low", "gap_high"}  # no subset, no question
    assert shop.file(entry.run, "plots/gap.png").stat().st_size > 1000
    listed = holdout(shop, "ledger=true")
    assert (listed.code, "before [/the] release" in listed.out) == (0, True)


def test_a_spent_budget_is_exit_3_for_both_verbs_and_force_says_so(shop):
    spent = len(ledger_of(shop, 0, "tiny").spent(datetime.now(UTC)))
    full = f"holdout.budget={spent}"
    said = holdout(shop, "reason=more", full)
    assert said.code == 3
    assert f"the held-out budget of tiny is spent: {spent} of {spent} scorings" in said.err
    said = shop.promote(shop.run, "registry.model=spent", full)
    assert (said.code, "the held-out budget of tiny is spent" in said.err) == (3, True)
    said = shop.promote(shop.run, "registry.model=spent", full, "force=true", "reason=an outage")
    assert (said.code, "version 1 (forced)" in said.out) == (0, True)
    assert len(ledger_of(shop, 0, "tiny").spent(datetime.now(UTC))) == spent


def test_a_promotion_spends_one_and_says_the_gap(shop):
    before = len(ledger_of(shop, 9, "tiny").entries())
    said = shop.promote(shop.run, "registry.model=spends", "reason=it is better")
    assert said.code == 0, said
    assert "recall: dev " in said.out
    entries = ledger_of(shop, 9, "tiny").entries()
    assert len(entries) == before + 1
    assert entries[-1].purpose == Purpose("promote", "it is better", shop.run)


def test_a_deleted_entry_gives_nothing_back(shop):
    ledger = ledger_of(shop, 9, "deleted")
    with ledger.spending("x", Purpose("holdout", "r", "run"), datetime.now(UTC)) as run:
        pass
    shop.client.delete_run(run)
    assert [entry.run for entry in ledger.spent(datetime.now(UTC))] == [run]


def test_what_failed_costs_nothing_and_what_was_killed_does(shop):
    ledger, now = ledger_of(shop, 2, "failed"), datetime.now(UTC)
    for fault, spent in ((ValueError, 0), (KeyboardInterrupt, 1)):
        with pytest.raises(fault), ledger.spending("x", Purpose("holdout", "r", "run"), now):
            raise fault
        assert len(ledger.spent(now)) == spent


def test_the_next_quarter_has_a_budget_of_its_own(shop):
    ledger, now = ledger_of(shop, 1, "quarters"), datetime.now(UTC)
    with ledger.spending("x", Purpose("holdout", "r", "run"), now):
        pass
    with pytest.raises(NoVerdictError, match="is spent: 1 of 1"):
        ledger.require_budget(now)
    ledger.require_budget(now.replace(year=now.year + 1))
    assert quarter(datetime(2026, 3, 31, 23, tzinfo=UTC)) == "2026 Q1"
    assert quarter(datetime(2026, 4, 1, tzinfo=UTC)) == "2026 Q2"


def test_of_those_who_spend_the_last_one_together_at_most_one_goes_on(shop):
    ledger, now = ledger_of(shop, 1, "race"), datetime.now(UTC)
    ready, said = threading.Barrier(4), []

    def spend():
        ready.wait()
        try:
            with ledger.spending("x", Purpose("holdout", "r", "run"), now):
                said.append("scored")
                time.sleep(0.2)
        except NoVerdictError:
            said.append("refused")

    threads = [threading.Thread(target=spend) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said.count("scored") <= 1
    assert len(said) == 4
    assert len(ledger.spent(now)) == said.count("scored")  # a refusal costs nothing


# --- no held-out question is ever told


@pytest.mark.parametrize(
    "other",
    ["dataset.split.lock=mine.lock", "dataset.split.lock=null", "+dataset.split.holdout=false"],
)
def test_a_locked_set_cannot_be_split_another_way(shop, other):
    said = shop.type("+retriever=bm25", *shop.dataset, "dataset.split.seed=7", other)
    assert (said.code, "locks this set" in said.err) == (2, True), said
    assert SECRET_ID not in said.out


@pytest.mark.thorough
def test_no_verb_and_no_artifact_tells_a_held_out_question(shop):
    said = [
        shop.type("+retriever=bm25", *shop.dataset, "output.questions=all", "register=true"),
        shop.type("-m", "+retriever=bm25,tfidf", "window.k=1,2", *shop.dataset),
        shop.gate(shop.run),
        shop.type("compare", f"run={shop.run}", "dataset.name=tiny"),
        *(
            shop.type("report", f"run={shop.run}", "dataset.name=tiny", f"format={form}")
            for form in ("html", "baseline", "markdown", "junit", "json")
        ),
        shop.promote(shop.run, "registry.model=secrecy"),
        holdout(shop, "reason=secrecy"),
        holdout(shop, "ledger=true"),
    ]
    worse = shop.evaluate("+retriever=custom", "retriever._target_=plugged.Nothing",
                          dataset=shop.dataset)  # fmt: skip
    said += [
        shop.promote(worse, "registry.model=secrecy", "registry.allow=[plugged.,rageval.]"),
        shop.promote(
            worse, "registry.model=secrecy", "registry.allow=[plugged.,rageval.]", "force=true",
            "reason=to see what a failed held-out check says", "threshold.max_drop.all.recall=0",
        ),
        shop.type("rollback", "registry.model=secrecy", "dataset.name=tiny"),
    ]  # fmt: skip
    assert "held-out check FAILED" in said[-2].out
    for answer in said:
        assert SECRET_ID not in answer.out + answer.err
        assert SECRET_TEXT not in answer.out + answer.err
        assert "Traceback" not in answer.err, answer
    written = [file for file in shop.folder.rglob("*") if file.is_file()]
    told = [
        str(file.relative_to(shop.folder))
        for file in written
        if any(word.encode() in file.read_bytes() for word in (SECRET_ID, SECRET_TEXT))
    ]
    assert sorted(told) == ["golden.yaml", "split.lock"]  # the user's own
    assert any(file.suffix == ".db" for file in written)
    assert any(PARTNER.encode() in file.read_bytes() for file in written if "mlruns" in str(file))

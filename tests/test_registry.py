"""The registry and every state that a gate can meet in it, on a real store; `desk.py` types."""

import json
import shutil
import sqlite3
import threading

import pytest
from click.testing import CliRunner
from desk import DATA, TINY, Desk

from rageval.errors import NoVerdictError, UnreachableError
from rageval.registry.baseline import CONFIG_TAG, TABLE_TAG, standing
from rageval.registry.promotion import Promotion, history, move, settle_what_was_left
from rageval.tracking.settings import RegistryConfig, TrackingConfig
from rageval.tracking.store import locate, open_store

NOTHING = ("+retriever=custom", "retriever._target_=plugged.Nothing")
ALLOW = "registry.allow=[plugged.,own_retriever.]"


class Shop(Desk):
    """One store with three runs of the tiny set; every test promotes into a model of its own."""

    def __init__(self, folder):
        super().__init__(folder)
        self.bm25 = self.evaluate("+retriever=bm25")
        self.tfidf = self.evaluate("+retriever=tfidf")
        self.nothing = self.evaluate(*NOTHING)

    def champion(self, model, run=None):
        """Make a run the champion of a model; return the override that names the model."""
        named = f"registry.model={model}"
        said = self.promote(run or self.bm25, named, ALLOW)
        assert said.code == 0, said
        return named

    def rescored(self):
        """Return the runs of a champion that was run again."""
        known = [e.experiment_id for e in self.client.search_experiments()]
        return self.client.search_runs(known, "tags.`rageval.kind` = 'rescore'")

    def age(self, model):
        """Let a registered model be as old as one can be."""
        with sqlite3.connect(self.folder / "mlruns" / "mlflow.db") as base:
            base.execute(
                "UPDATE registered_models SET creation_time = 0, last_updated_time = 0 "
                "WHERE name = ?",
                [model],
            )


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    return Shop(tmp_path_factory.mktemp("shop"))


def grown(shop, name, *words, extra="pump"):
    """Copy the tiny set, run bm25 on it, promote that; then let the set grow by a question."""
    folder = shop.folder / name
    shutil.copytree(DATA, folder)
    own = tuple(w.replace(str(DATA), str(folder)) for w in TINY[:-1])
    own = (*own, f"dataset.name={name}", f"dataset.split.lock={name}.lock")
    run = shop.evaluate(*(words or ("+retriever=bm25",)), dataset=own)
    model = shop.champion(name, run)
    golden = folder / "golden.yaml"
    more = f'  - {{id: more, question: "flow of the {extra}", expected: [pump], split: dev}}\n'
    golden.write_text(golden.read_text() + more)
    return own, model


# --- no baseline, self, mismatch


@pytest.mark.thorough
def test_without_a_baseline_floors_alone_are_judged_and_a_requirement_makes_it_no_verdict(shop):
    said = shop.gate(shop.bm25, "registry.model=never")
    assert (said.code, "no baseline yet" in said.out) == (0, True)
    assert shop.verdict(shop.bm25)["state"] == "baseline"
    said = shop.gate(shop.bm25, "registry.model=never", "gate.require_baseline=true")
    assert said.code == 3
    assert said.err == "there is no baseline: nothing was promoted as never@champion yet\n"


@pytest.mark.thorough
def test_a_worse_run_fails_by_name_and_an_equal_variant_run_anew_passes(shop):
    model = shop.champion("compared")
    said = shop.gate(shop.nothing, model, "threshold.no_tolerance=[tag.permission_narrow]")
    assert said.code == 1
    # The four answerable dev questions are lost; silence is still right where nothing answers.
    assert "✗ all recall: 4/4 (1.000) → 0/4 (0.000)" in said.out
    assert "✗ tag.permission_narrow no_tolerance: 1 of 1 questions lost, none is allowed: band" in (
        said.out
    )
    assert "band  “What does band C pay?”" in said.out
    assert shop.verdict(shop.nothing)["passed"] is False
    again = shop.evaluate("+retriever=bm25")
    assert shop.gate(again, model).code == 0


def test_the_baselines_own_run_is_no_candidate(shop):
    said = shop.gate(shop.bm25, shop.champion("self"))
    assert (said.code, "is the baseline's own run (self version 1)" in said.err) == (3, True)


@pytest.mark.thorough
def test_a_grown_set_is_judged_by_running_the_champion_anew_once(shop):
    own, model = grown(shop, "growing")
    candidate = shop.evaluate("+retriever=tfidf", dataset=own)
    refused = shop.gate(candidate, model, "gate.on_mismatch=refuse")
    assert (refused.code, "measured on different benchmarks" in refused.err) == (3, True)
    before = len(shop.rescored())
    first = shop.gate(candidate, model)
    assert (first.code, shop.verdict(candidate)["state"]) == (0, "rescored")
    assert "running the champion (bm25, heading, k=6) on the candidate's benchmark" in first.out
    (anew, *_) = shop.rescored()
    assert len(shop.rescored()) == before + 1
    home = shop.client.get_run(candidate).info.experiment_id
    assert anew.info.experiment_id == home  # beside the candidate, whatever set the verb names
    assert anew.data.metrics["all/n"] == 7  # six, and the one that was added
    again = shop.gate(candidate, model)
    assert (again.code, "running the champion" in again.out) == (0, False)
    assert len(shop.rescored()) == before + 1


@pytest.mark.thorough
def test_labels_that_moved_on_since_the_candidate_ran_are_no_verdict(shop):
    own, model = grown(shop, "moving")
    candidate = shop.evaluate("+retriever=tfidf", dataset=own)
    golden = shop.folder / "moving" / "golden.yaml"
    golden.write_text(golden.read_text().replace("flow of the pump", "price of the pump"))
    said = shop.gate(candidate, model)
    assert said.code == 3
    assert "the corpus or the labels are no longer those" in said.err
    assert shop.promote(candidate, "registry.model=another").code == 3  # nor is it promoted


# --- a broken candidate or champion: a sentence and exit 3, never a pass


@pytest.fixture
def pair(shop, request):
    """A model with a champion (bm25) and a candidate (tfidf)."""
    return shop.champion(request.node.name.replace("[", "-").replace("]", ""))


def no_verdict(shop, model, sentence):
    said = shop.gate(shop.tfidf, model)
    assert said.code == 3, said
    assert sentence in said.err
    assert len(said.err.strip().splitlines()) == 1
    assert shop.promote(shop.tfidf, model).code == 3  # and nothing is promoted past it
    assert shop.aliases(model.removeprefix("registry.model="))["champion"] == "1"


def test_a_deleted_champion_run_is_no_verdict(shop, pair):
    shop.client.delete_run(shop.bm25)
    try:
        no_verdict(shop, pair, "was deleted; restore it with `mlflow runs restore`")
    finally:
        shop.client.restore_run(shop.bm25)


def test_a_champion_whose_run_failed_is_no_verdict(shop, pair):
    shop.client.set_terminated(shop.bm25, "FAILED")
    try:
        no_verdict(shop, pair, "is FAILED, only a FINISHED one counts")
    finally:
        shop.client.set_terminated(shop.bm25, "FINISHED")


@pytest.mark.parametrize("path", ["questions.json", "config.yaml"])
def test_a_missing_or_an_altered_artifact_of_the_champion_is_no_verdict(shop, pair, path):
    file = shop.file(shop.bm25, path)
    kept = file.read_bytes()
    try:
        file.unlink()
        no_verdict(shop, pair, f"its artifact {path} is not there")
        file.write_bytes(kept + b"\n")
        no_verdict(shop, pair, f"was altered after it was written: its seals do not fit {path}")
    finally:
        file.write_bytes(kept)


def test_a_champion_that_lacks_its_fingerprints_is_of_unknown_provenance(shop, pair):
    value = shop.client.get_run(shop.bm25).data.tags["rageval.benchmark"]
    shop.client.delete_tag(shop.bm25, "rageval.benchmark")
    try:
        no_verdict(shop, pair, "its provenance is unknown, it lacks rageval.benchmark")
    finally:
        shop.client.set_tag(shop.bm25, "rageval.benchmark", value)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"columns": ["id"], "data": [["q"]]}', b"[" * 9000],
    ids=["empty", "cut", "list", "null", "binary", "narrow", "deep"],
)
def test_a_table_that_cannot_be_read_is_no_verdict_and_no_traceback(shop, content):
    file = shop.file(shop.nothing, "questions.json")
    kept = file.read_bytes()
    file.write_bytes(content)
    try:
        said = shop.gate(shop.nothing, "registry.model=never")
        assert (said.code, said.out) == (3, "")
        assert said.err.startswith(f"run {shop.nothing} was altered after it was written")
    finally:
        file.write_bytes(kept)


def test_a_run_that_is_not_there_is_wrong_input_and_an_experiment_is_no_verdict(shop):
    assert shop.gate("0" * 32).code == 2
    said = shop.type("gate", "dataset.name=unheard")
    assert (said.code, "there is no experiment 'unheard'" in said.err) == (3, True)


@pytest.mark.thorough
def test_a_garbage_collected_champion_is_no_verdict_and_can_be_replaced_by_force(shop):
    from mlflow.cli import gc

    doomed = shop.evaluate("+retriever=bm25")
    model = shop.champion("collected", doomed)
    shop.client.delete_run(doomed)
    done = CliRunner().invoke(
        gc, ["--backend-store-uri", shop.uri, "--tracking-uri", shop.uri, "--run-ids", doomed]
    )
    assert done.exit_code == 0, done.output
    no_verdict(shop, model, f"run {doomed} is not in")
    said = shop.promote(shop.tfidf, model, "force=true", "reason=its run was collected")
    assert said.code == 0
    assert "forced: collected@champion (version 1): run" in said.out
    assert shop.aliases("collected") == {"champion": "2", "previous": "1"}
    last = shop.history("collected")[-1]
    assert (last["forced"], last["verdict"], last["before"]) == (True, "none", "1")


@pytest.mark.thorough
def test_a_lost_alias_and_a_renamed_model_are_no_verdict(shop):
    shop.champion("lost")
    shop.client.delete_registered_model_alias("lost", "champion")
    said = shop.gate(shop.tfidf, "registry.model=lost")
    assert (said.code, "was promoted before, but its alias 'champion' is gone" in said.err) == (
        3,
        True,
    )
    shop.client.rename_registered_model("lost", "found")
    said = shop.gate(shop.tfidf, "registry.model=lost")
    assert (said.code, "was it renamed? name it: registry.model=found" in said.err) == (3, True)


def test_a_version_that_was_registered_by_something_else_is_no_verdict(shop):
    shop.client.create_registered_model("strange")
    shop.client.create_model_version("strange", source=str(shop.folder))
    shop.client.set_registered_model_alias("strange", "champion", "1")
    said = shop.gate(shop.tfidf, "registry.model=strange")
    assert (said.code, "has no run: it was not registered by rageval" in said.err) == (3, True)


@pytest.mark.thorough
def test_a_model_of_another_set_is_no_baseline(shop):
    own, model = grown(shop, "foreign")
    said = shop.gate(shop.tfidf, model)
    assert said.code == 3
    assert said.err == "foreign is of the set 'foreign', the candidate of 'tiny'\n"


# --- a champion with classes of its own

OWN = """
class Mine:
    def retrieve(self, question, limit, groups):
        return [("pump", 1.0)]
"""


@pytest.mark.thorough
def test_a_champion_whose_own_class_changed_cannot_be_run_anew(shop, monkeypatch):
    source = shop.folder / "own_retriever.py"
    source.write_text(OWN)
    monkeypatch.syspath_prepend(shop.folder)
    custom = ("+retriever=custom", "retriever._target_=own_retriever.Mine", "chunking=whole")
    own, model = grown(shop, "classes", *custom)
    candidate = shop.evaluate("+retriever=bm25", dataset=own)
    # By default nothing but rageval's own classes is built from what the registry holds.
    said = shop.gate(candidate, model)
    assert said.code == 3
    assert "builds own_retriever.Mine; only rageval's components" in said.err
    assert shop.gate(candidate, model, ALLOW).code == 0
    source.write_text(OWN.replace('"pump"', '"leave"'))
    said = shop.gate(candidate, model, ALLOW)
    assert said.code == 3
    assert "cannot be run again: own_retriever has changed since it was measured" in said.err


@pytest.mark.parametrize(
    "target",
    [
        "os.system",
        "rageval.evaluation.provenance.working_copy.subprocess.Popen",
        "rageval.cli.main.enter",
        "${secrets.x}",
    ],
)
def test_a_configuration_from_the_registry_builds_no_class_but_ours(target):
    from rageval.config.restoring import allowed
    from rageval.errors import InputError

    text = json.dumps(
        {
            "dataset": {"corpus": {"_target_": target}},
            **{
                key: {}
                for key in (
                    "chunking", "analyser", "encoder", "retriever", "rewriting", "window",
                    "measures",
                )
            },
        }
    )  # fmt: skip
    with pytest.raises(InputError, match="only rageval's components and classes"):
        allowed(text, ())


# --- moving the alias


@pytest.mark.thorough
def test_a_failed_gate_promotes_nothing_and_force_needs_a_reason_that_stays(shop):
    model = shop.champion("forced")
    assert shop.promote(shop.nothing, model, ALLOW).code == 1
    assert shop.aliases("forced") == {"champion": "1"}
    said = shop.promote(shop.nothing, model, ALLOW, "force=true")
    assert (said.code, "needs a reason" in said.err) == (2, True)
    said = shop.promote(shop.nothing, model, ALLOW, "force=true", "reason='the outage, ticket 7'")
    assert (said.code, "version 2 (forced)" in said.out) == (0, True)
    assert shop.aliases("forced") == {"champion": "2", "previous": "1"}
    tags = shop.client.get_model_version("forced", "2").tags
    assert tags["rageval.verdict"] == "failed"
    assert shop.type("rollback", model, "dataset.name=tiny", "reason='it was worse'").code == 0
    told = [(h["action"], h["forced"], h["reason"]) for h in shop.history("forced")]
    assert told == [
        ("promote", False, "the gate and the held-out check passed"),
        ("promote", True, "the outage, ticket 7"),
        ("rollback", False, "it was worse"),
    ]


def test_a_version_carries_its_fingerprints_and_the_hashes_of_what_it_rests_on(shop):
    shop.champion("tagged")
    version = shop.client.get_model_version_by_alias("tagged", "champion")
    run = shop.client.get_run(shop.bm25).data.tags
    assert version.run_id == shop.bm25
    for name in ("rageval.benchmark", "rageval.variant", "rageval.set", "rageval.retrieval"):
        assert version.tags[name] == run[name]
    assert len(version.tags[TABLE_TAG]) == len(version.tags[CONFIG_TAG]) == 64
    assert version.tags["rageval.verdict"] == "passed"


@pytest.mark.thorough
def test_the_history_only_grows_and_rollback_restores_the_previous(shop):
    model = shop.champion("history")
    first = shop.history("history")
    assert shop.promote(shop.tfidf, model, "force=true", "reason=a try").code == 0
    assert shop.history("history")[:1] == first
    said = shop.type("rollback", model, "dataset.name=tiny")
    assert "history@champion is version 1 again, 2 is previous" in said.out
    assert [(h["action"], h["before"], h["after"]) for h in shop.history("history")] == [
        ("promote", None, "1"),
        ("promote", "1", "2"),
        ("rollback", "2", "1"),
    ]
    assert all(h["who"] and h["when"] and h["reason"] for h in shop.history("history"))


@pytest.mark.thorough
def test_there_is_nothing_to_roll_back_to_after_the_first_promotion(shop):
    said = shop.type("rollback", shop.champion("first"), "dataset.name=tiny")
    assert (said.code, "there is no version before this one" in said.err) == (3, True)


@pytest.mark.thorough
def test_promoting_the_champion_again_is_told(shop):
    model = shop.champion("again")
    assert shop.promote(shop.bm25, model).code == 3
    said = shop.promote(shop.bm25, model, "force=true", "reason=again")
    assert (said.code, said.err) == (3, "version 1 is again@champion already\n")
    assert len(shop.history("again")) == 1


@pytest.mark.thorough
def test_several_sets_are_judged_in_one_gate_each_against_its_own_champion(shop):
    own, _ = grown(shop, "second")
    second = shop.evaluate("+retriever=bm25", dataset=own)
    assert shop.promote(shop.bm25).code == 0  # the model rageval-tiny
    third = shop.evaluate("+retriever=bm25")
    said = shop.type("gate", "gate.sets=[tiny,second]", "dataset.name=tiny")
    assert said.code == 0
    assert f"gate PASSED: tiny, bm25, heading, k=6 (run {third})" in said.out
    assert f"gate PASSED: second, bm25, heading, k=6 (run {second})" in said.out
    said = shop.type(
        "gate", f"gate.run=[{shop.nothing},{second}]", "gate.sets=[second]", "dataset.name=tiny"
    )
    assert (said.code, "gate PASSED: second" in said.out) == (1, True)
    # One without a verdict does not hide what the others say, and is the stronger word.
    said = shop.type("gate", f"gate.run=[{shop.bm25},{shop.nothing}]", "dataset.name=tiny")
    assert (said.code, "gate FAILED: tiny" in said.out) == (3, True)
    assert "is the baseline's own run" in said.err


@pytest.mark.thorough
def test_candidate_and_champion_of_different_experiments_compare_as_usual(shop):
    model = shop.champion("apart")
    elsewhere = shop.evaluate("+retriever=tfidf", "tracking.experiment=elsewhere")
    assert shop.gate(elsewhere, model).code == 0
    assert shop.verdict(elsewhere)["state"] == "comparable"
    # In an experiment that several sets share, the newest run of the set counts.
    said = shop.type("gate", model, "dataset.name=tiny", "tracking.experiment=elsewhere")
    assert f"(run {elsewhere})" in said.out


# --- two at once, and one that dies

CONFIG = RegistryConfig(model="m", alias="champion", previous="previous", allow=())


@pytest.fixture(scope="module")
def registry(tmp_path_factory):
    """A store with a way to make models of three versions, the first of them promoted."""
    root = tmp_path_factory.mktemp("registry")
    tracking = TrackingConfig(enabled=True, uri=None, experiment="e", root=str(root))

    def fresh(name):
        store = open_store(locate(tracking, {}), "e")
        config = CONFIG.model_copy(update={"model": name})
        store.client.create_registered_model(name)
        for _ in range(3):
            store.client.create_model_version(name, source=str(root))
        move(store, config, "set", promotion(None, "1"))
        return store, config

    fresh.open = lambda: open_store(locate(tracking, {}), "e")
    fresh.base = root / "mlflow.db"
    return fresh


def promotion(before, after):
    return Promotion("2026-01-01", "me", "promote", before, after, "passed", f"to {after}", False)


def after_a_minute(registry, name):
    with sqlite3.connect(registry.base) as base:
        base.execute(
            "UPDATE registered_models SET creation_time = creation_time - 61000, "
            "last_updated_time = last_updated_time - 61000 WHERE name = ?",
            [f"{name}.promotion"],
        )


def test_of_two_promotions_that_were_judged_alike_the_second_is_told(registry):
    store, config = registry("later")
    move(store, config, "set", promotion("1", "2"))
    with pytest.raises(NoVerdictError, match="moved while this promotion was judged"):
        move(registry.open(), config, "set", promotion("1", "3"))
    assert standing(store, config, "set") == "2"
    assert len(history(store, "later")) == 2


def test_of_two_promotions_at_once_one_wins_and_the_other_is_told(registry):
    _, config = registry("race")
    stores, start, told = [registry.open(), registry.open()], threading.Barrier(2), {}

    def promote(number):
        start.wait()
        try:
            move(stores[number], config, "set", promotion("1", str(number + 2)))
            told[number] = "moved"
        except NoVerdictError as fault:
            told[number] = str(fault)

    threads = [threading.Thread(target=promote, args=(n,)) for n in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winners = [number for number, said in told.items() if said == "moved"]
    assert len(winners) == 1, told
    assert "gate the candidate again" in told[1 - winners[0]]
    assert standing(stores[0], config, "set") == str(winners[0] + 2)
    assert [h.after for h in history(stores[0], "race")] == ["1", str(winners[0] + 2)]


class Dying:
    """A client that stops answering at its n-th change; what it did before is done."""

    CHANGES = ("create_", "set_", "delete_")

    def __init__(self, client, left):
        self.client, self.left = client, left

    def __getattr__(self, name):
        found = getattr(self.client, name)

        def call(*words, **named):
            if self.left < 0:
                raise UnreachableError("gone")
            if name.startswith(self.CHANGES):
                self.left -= 1
                if self.left < 0:
                    raise UnreachableError("gone")
            return found(*words, **named)

        return call


@pytest.mark.parametrize("done", range(5))
def test_a_promotion_that_dies_at_any_step_is_undone_or_finished_by_the_next(registry, done):
    # The steps: claim, alias, previous, history, claim given back. The alias promotes.
    name = f"dies-after-{done}"
    store, config = registry(name)
    dying = type(store)(Dying(store.client, done), store.experiment, store.name, store.location)
    with pytest.raises(UnreachableError):
        move(dying, config, "set", promotion("1", "2"))
    promoted = done >= 2
    assert standing(store, config, "set") == ("2" if promoted else "1")
    if done >= 1:  # a claim is left behind; its program runs, so it may be at work for its lease
        with pytest.raises(NoVerdictError, match="under way"):
            move(store, config, "set", promotion("1", "3"))
        after_a_minute(registry, name)
    settle_what_was_left(store, config, "set")
    found = store.client.get_registered_model(name)
    kept = {alias: str(version) for alias, version in found.aliases.items()}
    assert kept == ({"champion": "2", "previous": "1"} if promoted else {"champion": "1"})
    assert [h.after for h in history(store, name)] == (["1", "2"] if promoted else ["1"])
    now = "2" if promoted else "1"
    move(store, config, "set", promotion(now, "3"))  # and the next promotion goes its way
    assert standing(store, config, "set") == "3"
    assert len(history(store, name)) == (3 if promoted else 2)


@pytest.mark.thorough
def test_rollback_first_finishes_a_promotion_that_died(shop):
    model = shop.champion("half")
    assert shop.type("promote", f"gate.run={shop.tfidf}", model, "dataset.name=tiny", "force=true",
                     "reason=second").code == 0  # fmt: skip
    third = shop.evaluate("+retriever=bm25")
    # What a promotion of a third version leaves that died right after moving the alias.
    shop.client.create_model_version("half", source=str(shop.folder), run_id=third)
    intent = {"when": "w", "who": "x", "action": "promote", "before": "2", "after": "3",
              "verdict": "passed", "reason": "r", "forced": False}  # fmt: skip
    shop.client.create_registered_model(
        "half.promotion", tags={"rageval.promotion": json.dumps(intent)}
    )
    shop.client.set_registered_model_alias("half", "champion", "3")
    assert shop.type("rollback", model, "dataset.name=tiny").code == 3  # it may be under way
    shop.age("half.promotion")
    said = shop.type("rollback", model, "dataset.name=tiny")
    assert "half@champion is version 2 again, 3 is previous" in said.out
    assert [h["after"] for h in shop.history("half")] == ["1", "2", "3", "2"]


def test_a_promotion_against_a_file_is_refused(shop):
    said = shop.promote(shop.tfidf, "gate.baseline=baseline.json")
    assert (said.code, "held against the registry, not a file" in said.err) == (2, True)


def test_who_promoted_is_told_even_where_the_user_has_no_name(shop, monkeypatch):
    import getpass

    def nobody():
        raise KeyError("uid not found")

    monkeypatch.setattr(getpass, "getuser", nobody)
    shop.champion("container")
    assert shop.history("container")[0]["who"] == "unknown"

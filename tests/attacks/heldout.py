"""Held-out questions that are scored more often than the budget allows, or tuned to."""

import json
import re
import shutil

from desk import LOCAL, QUICK

from attacks.attack import attack

TOPIC = "The held-out side"
WITHOUT_NAME = tuple(word for word in LOCAL if not word.startswith("dataset.name"))
SPENT = "the held-out budget of … is spent: 1 of 1 scorings of its questions in"


def scored(desk, dataset=LOCAL):
    """Make a run and spend the whole budget, one scoring, on it."""
    run = desk.evaluate("+retriever=bm25", dataset=dataset)
    said = holdout(desk, run)
    assert said.code == 0, said
    return run


def holdout(desk, run, name="tiny"):
    return desk.type(
        "holdout", f"run={run}", f"dataset.name={name}", "holdout.budget=1", "reason=again"
    )


@attack(TOPIC, 3, f"{SPENT} … some of them as tiny")
def the_set_is_called_otherwise(desk):
    """Score held-out questions again under another name of the set."""
    scored(desk)
    again = (*WITHOUT_NAME, "dataset.name=other")
    return holdout(desk, desk.evaluate("+retriever=bm25", dataset=again), "other")


@attack(TOPIC, 3, SPENT)
def the_runs_are_in_another_experiment(desk):
    """Score held-out questions again from another experiment."""
    scored(desk)
    return holdout(desk, desk.evaluate("+retriever=bm25", "tracking.experiment=elsewhere"))


@attack(TOPIC, 3, SPENT)
def the_ledger_is_renamed(desk):
    """Rename the experiment that holds the ledger, and score again."""
    run = scored(desk)
    ledger = desk.client.get_experiment_by_name("tiny-holdout")
    desk.client.rename_experiment(ledger.experiment_id, "old")
    return holdout(desk, run)


@attack(TOPIC, 3, SPENT)
def the_ledger_is_renamed_and_deleted(desk):
    """Rename the experiment that holds the ledger, delete it, and score again."""
    run = scored(desk)
    ledger = desk.client.get_experiment_by_name("tiny-holdout")
    desk.client.rename_experiment(ledger.experiment_id, "old")
    desk.client.delete_experiment(ledger.experiment_id)
    return holdout(desk, run)


@attack(TOPIC, 3, SPENT)
def a_scoring_is_marked_as_failed(desk):
    """Mark a scoring that gave its values as failed, and score again."""
    run = scored(desk)
    ledger = desk.client.get_experiment_by_name("tiny-holdout")
    (entry,) = desk.client.search_runs([ledger.experiment_id])
    desk.client.set_terminated(entry.info.run_id, "FAILED")
    return holdout(desk, run)


@attack(TOPIC, 3, SPENT)
def new_ids_and_another_lock(desk):
    """Copy the set without its lock, with new ids and another spelling, and score it again."""
    scored(desk)
    shutil.copytree(desk.folder / "tiny", desk.folder / "copy")
    golden = desk.folder / "copy" / "golden.yaml"
    text = re.sub(r"- id: ", "- id: my-", golden.read_text()).replace("set: tiny", "set: copied")
    golden.write_text(text.replace("Wie viel Sonderurlaub", "wie viel  SONDERURLAUB"))
    copied = (*(word.replace("tiny/", "copy/") for word in LOCAL[:-2]),)
    return holdout(desk, desk.evaluate("+retriever=bm25", dataset=copied), "copied")


def tuned(desk):
    """Return the overrides of a copy of the set that has every question on its dev side."""
    shutil.copytree(desk.folder / "tiny", desk.folder / "copy")
    golden = desk.folder / "copy" / "golden.yaml"
    text = golden.read_text().replace("set: tiny", "set: copied")
    golden.write_text(text.replace("split: holdout", "split: dev"))
    return tuple(word.replace("tiny/", "copy/") for word in LOCAL[:-2])


@attack(
    TOPIC, 0, "note: 1 of the 7 dev questions are held out in the set tiny: a run that has seen"
)
def a_copy_has_what_is_held_out_on_its_dev_side(desk):
    """Evaluate a copy of a set that asks the set's held-out questions on its dev side."""
    desk.evaluate("+retriever=bm25")
    return desk.type("+retriever=bm25", *tuned(desk), *QUICK)


@attack(
    TOPIC, 3, "of the 7 dev questions of this run 1 are held out in the set tiny: it was tuned on"
)
def a_candidate_that_saw_what_is_held_out(desk):
    """Promote a run that saw another set's held-out questions on its dev side."""
    desk.evaluate("+retriever=bm25")
    run = desk.evaluate("+retriever=bm25", dataset=tuned(desk))
    return desk.type("promote", f"gate.run={run}", "dataset.name=copied", "threshold.floors={}")


@attack(
    TOPIC, 3, "of the 7 dev questions of this run 1 are held out in the set tiny: it was tuned on"
)
def the_lock_is_edited(desk):
    """Move a held-out question to the dev side by hand, in the lock and in the set."""
    desk.evaluate("+retriever=bm25", dataset=LOCAL)
    lock, golden = desk.folder / "split.lock", desk.folder / "tiny" / "golden.yaml"
    content = json.loads(lock.read_text())
    content["questions"]["umzug"], content["held_out"] = "dev", []
    lock.write_text(json.dumps(content))
    golden.write_text(golden.read_text().replace("split: holdout", "split: dev"))
    run = desk.evaluate("+retriever=bm25", dataset=LOCAL)
    return desk.promote(run)


@attack(TOPIC, 3, "of the … dev questions of this run … are held out in the set handbook")
def a_copy_of_the_sample_on_another_store(desk):
    """Copy the sample without its lock to a new store, and promote what it was tuned on."""
    from rageval.config.places import shipped

    sample = shipped("examples") / "handbook"
    shutil.copytree(sample, desk.folder / "mine", ignore=shutil.ignore_patterns("split.lock"))
    own = (
        "dataset=markdown", "dataset.path=mine/documents", "dataset.questions=mine/golden.yaml",
        "dataset.askers=mine/access.yaml", "+dataset.split.holdout=false", "dataset.name=mine",
    )  # fmt: skip
    run = desk.evaluate("+retriever=bm25", dataset=own)
    return desk.type("promote", f"gate.run={run}", "dataset.name=mine", "threshold.floors={}")

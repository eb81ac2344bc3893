"""Sets that are taken for another, locks that are taken for another set's."""

import json
import shutil

from desk import LOCAL, QUICK

from attacks.attack import attack

TOPIC = "Who is who"
NAMED = tuple(word for word in LOCAL if not word.startswith(("dataset.name", "dataset.split")))


def two_teams(desk, one="a", other="b"):
    """Lay out two golden sets of one name in two folders, and evaluate the first."""
    for folder in (one, other):
        shutil.copytree(desk.folder / "tiny", desk.folder / folder)
    golden = desk.folder / other / "golden.yaml"
    text = golden.read_text().replace('question: "', 'question: "In the other team: ')
    golden.write_text(text)
    desk.evaluate("+retriever=bm25", dataset=of(one))
    return of(other)


def of(folder):
    return tuple(word.replace("tiny/", f"{folder}/") for word in NAMED)


@attack(
    TOPIC, 2, "two different sets are called 'tiny' in sqlite:///mlruns/mlflow.db: … and …; name"
)
def another_team_has_a_set_of_this_name(desk):
    """Evaluate a set on a store where another team's set has its name already."""
    other = two_teams(desk)
    return desk.type("+retriever=bm25", *other, *QUICK)


@attack(TOPIC, 2, "two different sets are called 'tiny' in … and …; name this one otherwise")
def another_team_has_a_set_of_this_name_in_a_sweep(desk):
    """Sweep over a set on a store where another team's set has its name already."""
    other = two_teams(desk)
    return desk.type("-m", "+retriever=bm25", *other, *QUICK)


@attack(TOPIC, 3, "two different sets are called 'tiny': the champion (rageval-tiny version 1)")
def the_champion_is_another_teams(desk):
    """Gate a run against the champion of another set of its name, whose experiment went away."""
    other = two_teams(desk)
    first = desk.type("promote", "run=latest", "dataset.name=tiny", "holdout.budget=1000")
    assert first.code == 0, first
    for experiment in desk.client.search_experiments():
        for tag in [t for t in experiment.tags if t.startswith("rageval.")]:
            desk.client.delete_experiment_tag(experiment.experiment_id, tag)
    run = desk.evaluate("+retriever=bm25", dataset=other)
    return desk.gate(run)


@attack(
    TOPIC,
    2,
    "dataset.name: cannot name a set: use lowercase letters, digits and _, with dots between",
)
def a_name_that_no_file_may_have(desk):
    """Give a set a name by an override that a golden file may not have."""
    return desk.type("+retriever=bm25", *LOCAL, "dataset.name=HR leave", *QUICK)


@attack(TOPIC, 2, "split.lock locks this set; another lock, or none, would show questions")
def a_copy_beside_its_lock_under_another_name(desk):
    """Copy a locked golden set beside itself, with new ids, and split the copy without its lock."""
    folder = desk.folder / "tiny"
    desk.evaluate("+retriever=bm25", dataset=NAMED)
    held = json.loads((folder / "split.lock").read_text())
    assert "holdout" in held["questions"].values()
    text = (folder / "golden.yaml").read_text()
    (folder / "mine.yaml").write_text(text.replace("- id: ", "- id: my-"))
    copied = [word.replace("golden.yaml", "mine.yaml") for word in NAMED]
    return desk.type("+retriever=bm25", *copied, "+dataset.split.holdout=false", *QUICK)


@attack(TOPIC, 2, "belongs to golden.yaml, not to other.yaml; give this set a lock of its own")
def the_lock_of_another_set(desk):
    """Split a set by the lock of another golden file."""
    folder = desk.folder / "tiny"
    desk.evaluate("+retriever=bm25", dataset=NAMED)
    (folder / "other.yaml").write_text(
        "set: other\nquestions:\n  - {id: x, question: 'Who cleans?', expected: [hr/leave-2025]}\n"
    )
    others = [word.replace("golden.yaml", "other.yaml") for word in NAMED]
    lock = "dataset.split.lock=tiny/split.lock"
    return desk.type("+retriever=bm25", *others, lock, *QUICK)

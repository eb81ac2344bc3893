"""What is judged is what was named: nothing is judged or promoted by chance."""

from __future__ import annotations

import re
import shlex

from desk import LOCAL, QUICK

from attacks.attack import attack

TOPIC = "What is judged is what was named"
BM25, TFIDF = "+retriever=bm25", "+retriever=tfidf"
SET = "dataset.name=tiny"
SWEEP = ("-m", "retriever=bm25,tfidf", *LOCAL, *QUICK)


def _cell(desk):
    assert desk.type(*SWEEP).code == 0
    known = [e.experiment_id for e in desk.client.search_experiments()]
    return desk.client.search_runs(known, "tags.`rageval.kind` = 'cell'")[0].info.run_id


def _next(said, to):
    """Return the words of the command line that a `next:` line ends with."""
    lines = said.out[said.out.index("next:") :].replace("\n", " ")
    found = re.search(rf"python -m rageval ((?:(?!python -m).)*{to}.*?)(?:   |\Z)", lines)
    return shlex.split(found[1])


@attack(TOPIC, 2, "gate.run: [] names no run; give run ids, or null for the newest run")
def no_run_is_named(desk):
    """A script passes an empty list of runs."""
    desk.evaluate(BM25, dataset=LOCAL)
    return desk.type("gate", "gate.run=[]", SET)


@attack(TOPIC, 2, "gate.run: must not be blank")
def a_blank_run_is_named(desk):
    """A script passes an empty variable as the run."""
    desk.evaluate(BM25, dataset=LOCAL)
    return desk.type("gate", "gate.run=''", SET)


@attack(TOPIC, 2, "gate.run: '0123abcd' is no run id, version or alias of rageval-tiny; there are:")
def a_run_id_is_cut(desk):
    """The id of the run is cut short."""
    desk.evaluate(BM25, dataset=LOCAL)
    return desk.type("gate", "gate.run=0123abcd", SET)


@attack(TOPIC, 2, "gate.run: run 00000000000000000000000000000000 is not in sqlite:///…")
def an_unknown_run_is_named(desk):
    """The run lies in another store."""
    desk.evaluate(BM25, dataset=LOCAL)
    return desk.type("gate", f"gate.run={'0' * 32}", SET)


@attack(TOPIC, 2, "is named twice")
def a_run_is_named_twice(desk):
    """One run is named twice, so that its verdict would count twice."""
    run = desk.evaluate(BM25, dataset=LOCAL)
    return desk.type("gate", f"gate.run=[{run},{run}]", SET)


@attack(TOPIC, 2, "is of the set 'tiny', and this command is about 'handbook': use …")
def a_run_of_another_set_is_named(desk):
    """A run of one set is gated by a command line that is about another."""
    run = desk.evaluate(BM25, dataset=LOCAL)
    return desk.type("gate", f"gate.run={run}", "tracking.experiment=tiny")


@attack(TOPIC, 2, "is a cell of a sweep; measure it in a run of its own: python -m rageval …")
def a_cell_of_a_sweep_is_named(desk):
    """The best of many cells is gated as if it were the only one that was tried."""
    return desk.type("gate", f"gate.run={_cell(desk)}", SET)


@attack(TOPIC, 0, "gate PASSED")
def the_command_for_a_cell_measures_and_gates_it(desk):
    """The command that the answer above gives is typed."""
    said = desk.type("gate", f"gate.run={_cell(desk)}", SET)
    words = shlex.split(said.err.partition("python -m rageval ")[2])
    return desk.type(*words)


@attack(TOPIC, 2, "is of kind rescore, only a single run of the dev split is judged")
def a_champion_that_was_run_again_is_named(desk):
    """The run that a gate made of the champion is named as a candidate."""
    assert desk.promote(desk.evaluate(BM25, dataset=LOCAL)).code == 0
    golden = desk.folder / "tiny" / "golden.yaml"
    more = '  - {id: more, question: "flow of the pump", expected: [pump], split: dev}\n'
    golden.write_text(golden.read_text() + more)
    assert desk.gate(desk.evaluate(TFIDF, dataset=LOCAL)).code == 0
    known = [e.experiment_id for e in desk.client.search_experiments()]
    (again,) = desk.client.search_runs(known, "tags.`rageval.kind` = 'rescore'")
    return desk.gate(again.info.run_id)


@attack(TOPIC, 3, "no run of the set tiny was gated yet; gate one first: python -m rageval gate …")
def an_ungated_run_is_promoted(desk):
    """`promote` is typed without a run, and no gate has judged any."""
    desk.evaluate(BM25, dataset=LOCAL)
    return desk.type("promote", SET)


@attack(TOPIC, 0, "is newer than run …, which the last gate judged")
def a_newer_run_stands_between_gate_and_promote(desk):
    """Another run is made after the gate: what the gate judged is promoted, and not that one."""
    judged = desk.evaluate(BM25, dataset=LOCAL)
    desk.gate(judged)
    desk.evaluate(TFIDF, dataset=LOCAL)
    said = desk.type("promote", SET)
    version = desk.client.get_model_version("rageval-tiny", "1")
    assert version.run_id == judged
    return said


@attack(TOPIC, 2, "run and gate.run both name what to promote; give one of them")
def two_keys_name_what_is_promoted(desk):
    """Two keys name different runs."""
    one, two = (desk.evaluate(words, dataset=LOCAL) for words in (BM25, TFIDF))
    return desk.type("promote", f"run={one}", f"gate.run={two}", SET)


@attack(TOPIC, 0, "rageval-tiny@champion is version 1")
def the_best_cell_is_measured_alone_before_it_is_promoted(desk):
    """`promote run=best` runs the best cell of the last sweep again, by itself."""
    _cell(desk)
    said = desk.type("promote", "run=best", SET)
    run = desk.client.get_run(desk.client.get_model_version("rageval-tiny", "1").run_id)
    assert run.data.tags["rageval.kind"] == "single"
    return said


@attack(TOPIC, 0, "gate PASSED: tiny, tfidf")
def the_next_line_of_an_evaluation_gates_that_run(desk):
    """Another run is made before the `next:` line of the first is typed."""
    first = desk.type(TFIDF, *LOCAL, *QUICK)
    desk.evaluate(BM25, dataset=LOCAL)
    return desk.type(*_next(first, "gate"))


@attack(TOPIC, 0, "gate PASSED: tiny, bm25")
def the_next_line_of_a_sweep_measures_and_gates_its_best_cell(desk):
    """The `next:` line of a sweep that an experiment file began does not begin another."""
    conf = desk.folder / "conf" / "experiment"
    conf.mkdir(parents=True)
    (conf / "two.yaml").write_text(
        "# @package _global_\nhydra:\n  mode: MULTIRUN\n  sweeper:\n    params:\n"
        "      retriever: bm25,tfidf\n"
    )
    said = desk.type("--config-dir=conf", "+experiment=two", *LOCAL, *QUICK)
    assert said.code == 0, said
    words = _next(said, "gate.enabled=true")
    assert "--config-dir=conf" in words
    return desk.type(*words)


@attack(
    TOPIC, 3, "has no champion, but run … was promoted as one: the model was deleted or lives in"
)
def the_registered_model_is_deleted(desk):
    """The model is deleted with its history, so that a bad run would be the first champion."""
    assert desk.promote(desk.evaluate(BM25, dataset=LOCAL)).code == 0
    desk.client.delete_registered_model("rageval-tiny")
    return desk.gate(desk.evaluate("+retriever=custom", "retriever._target_=plugged.Nothing",
                                   dataset=LOCAL))  # fmt: skip


@attack(TOPIC, 3, "rageval-tiny was promoted before, but its alias 'champion' is gone")
def the_alias_is_deleted(desk):
    """The alias is deleted, so that nothing would be compared."""
    assert desk.promote(desk.evaluate(BM25, dataset=LOCAL)).code == 0
    desk.client.delete_registered_model_alias("rageval-tiny", "champion")
    return desk.gate(desk.evaluate(TFIDF, dataset=LOCAL))


@attack(TOPIC, 3, "was set to version 2 by hand: the last promotion made version 1 the champion")
def the_alias_is_moved_by_hand(desk):
    """The alias is moved to a version that no gate has judged."""
    _moved_alias(desk)
    return desk.gate(desk.evaluate(TFIDF, dataset=LOCAL))


@attack(
    TOPIC, 0, "by hand, and the last promotion made version 1 the champion; accepted: a hot fix"
)
def the_alias_is_moved_by_hand_for_a_reason(desk):
    """The same, accepted with a reason that stands in the verdict."""
    _moved_alias(desk)
    accepted = "gate.accept_alias=a hot fix"
    return desk.gate(desk.evaluate(TFIDF, dataset=LOCAL), accepted)


def _moved_alias(desk):
    assert desk.promote(desk.evaluate(BM25, dataset=LOCAL)).code == 0
    desk.type(TFIDF, "register=true", *LOCAL, *QUICK)
    desk.client.set_registered_model_alias("rageval-tiny", "champion", "2")


@attack(TOPIC, 3, "was set to version 1 by hand: no promotion is recorded")
def the_alias_is_set_by_hand_at_first(desk):
    """A registered version that was never promoted gets the alias by hand."""
    desk.type(BM25, "register=true", *LOCAL, *QUICK)
    desk.client.set_registered_model_alias("rageval-tiny", "champion", "1")
    return desk.gate(desk.evaluate(TFIDF, dataset=LOCAL))


@attack(TOPIC, 2, "hydra/sweeper=optuna runs its trials one after the other in this process")
def a_refused_search_leaves_no_finished_parent(desk):
    """A search is typed with a launcher that it does not go with."""
    said = desk.type(*SWEEP, "hydra/sweeper=optuna", "hydra/launcher=joblib")
    known = [e.experiment_id for e in desk.client.search_experiments()]
    assert not desk.client.search_runs(known, "attributes.status = 'FINISHED'")
    return said

"""The champion of a set: found, checked, and measured again where it must be."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from rageval.comparison.result import Result, same_answers
from rageval.errors import NoVerdictError
from rageval.evaluation.provenance.variant import changed_libraries
from rageval.experiment.plan import Plan
from rageval.experiment.rerun import (
    champion_at_home,
    champion_plan,
)
from rageval.experiment.rules import Rules
from rageval.experiment.workflow import measure_and_keep
from rageval.gate.verdict import State
from rageval.golden.identity import SetIdentity
from rageval.registry.baseline import Baseline, baseline
from rageval.registry.portable import read_portable
from rageval.registry.promotion import history, settle_what_was_left
from rageval.schema.fingerprint import text_digest
from rageval.tracking.reading import RESCORE, Kept, fetch, finished
from rageval.tracking.store import Store


class OwnRunError(NoVerdictError):
    """The candidate is the run that the champion came from."""


def champion_of(store: Store, rules: Rules, dataset: str) -> Baseline | None:
    """Return the champion of a set, from the registry or a file; None if nothing was promoted.

    Raises
    ------
    NoVerdictError
        If it cannot be read, or is of another set.
    """
    if rules.gate.baseline is None:
        settle_what_was_left(store, rules.registry, dataset, insist=False)
        found = baseline(store, rules.registry, dataset)
    else:
        found = read_portable(Path(rules.gate.baseline))
    if found is not None and found.kept.result.dataset != dataset:
        raise NoVerdictError(
            f"{found.model} is of the set {found.kept.result.dataset!r}, the candidate of "
            f"{dataset!r}"
        )
    return found


def require_same_set(candidate: Kept, found: Baseline) -> None:
    """Make sure that candidate and champion are of one set, where both say which.

    Raises
    ------
    NoVerdictError
        If they are of two sets of one name.
    """
    mine, other = (_identity(kept) for kept in (candidate, found.kept))
    if mine.location and other.location and not mine.same_as(other):
        raise NoVerdictError(
            f"two different sets are called {mine.name!r}: the champion ({found.model} version "
            f"{found.version}) is of {other.location}, the candidate of {mine.location}; name one "
            "of them otherwise, by its `set:` line or dataset.name=…"
        )


def _identity(kept: Kept) -> SetIdentity:
    return SetIdentity(
        kept.result.dataset,
        kept.tags.get("rageval.set_id", ""),
        kept.tags.get("rageval.set_location", ""),
        tuple(text_digest(row.text) for row in kept.result.rows.values()),
    )


def moved_by_hand(store: Store, rules: Rules, found: Baseline) -> str:
    """Return what to note of an alias that is not where the last promotion put it; empty if it is.

    Raises
    ------
    NoVerdictError
        If it is not, and no reason was given to accept that.
    """
    if rules.gate.baseline is not None:
        return ""
    past = history(store, found.model)
    if past and past[-1].after == found.version:
        return ""
    settle_what_was_left(store, rules.registry, found.kept.result.dataset)  # one that is under way
    alias = f"{found.model}@{rules.registry.alias}"
    said = (
        f"the last promotion made version {past[-1].after} the champion"
        if past
        else ("no promotion is recorded")
    )
    if rules.gate.accept_alias is None:
        raise NoVerdictError(
            f"{alias} was set to version {found.version} by hand: {said}. Promote a run, roll "
            "back, or accept that version by gate.accept_alias='why'"
        )
    return (
        f"{alias} was set to version {found.version} by hand, and {said}; accepted: "
        f"{rules.gate.accept_alias}"
    )


def champion_on(
    home: Store, candidate: Kept, found: Baseline, rules: Rules, target: Console
) -> tuple[Result, State, str]:
    """Return the champion's result on the candidate's benchmark, its state and what to note."""
    if found.kept.run == candidate.run:
        raise OwnRunError(
            f"run {candidate.run} is the baseline's own run ({found.model} version "
            f"{found.version}): there is nothing to compare; make a run of the change"
        )
    if found.kept.result.benchmark == candidate.result.benchmark:
        note = _reproduced(home, found, rules, target)
        return found.kept.result, State.COMPARABLE, note
    if rules.gate.on_mismatch == "refuse":
        raise NoVerdictError(
            f"run {candidate.run} and the baseline {found.kept.run} were measured on different "
            "benchmarks (corpus, labels, cutoffs or rights differ); gate.on_mismatch=rescore runs "
            "the champion again"
        )
    plan = champion_plan(candidate, found, rules.trust)
    champion = _measured(home, plan, target, "on the candidate's benchmark")
    note = _same_answers(found, champion, plan, rules)
    return champion.result, State.RESCORED, note


def _measured(home: Store, plan: Plan, target: Console, where: str) -> Kept:
    """Return the champion's retrieval as measured here and now, or by an equal run before."""
    known = finished(home, RESCORE, plan.benchmark, plan.variant.whole)
    if known is None:
        target.print(f"running the champion ({plan.retrieval}) {where}")
        known = measure_and_keep(plan, home, target)[1]
    return fetch(home, known)


def _reproduced(home: Store, found: Baseline, rules: Rules, target: Console) -> str:
    """Make sure that the champion's table still holds where other libraries are installed.

    Returns what to note; empty if the environment is the same, or was not kept by 0.1.0.

    Raises
    ------
    NoVerdictError
        If the same retrieval finds something else here, or its benchmark cannot be had any more.
    """
    changed = changed_libraries(found.kept.libraries)
    if not changed or rules.gate.on_environment == "accept":
        return f"not checked in this environment: {changed}" if changed else ""
    plan = champion_at_home(found, rules.trust)
    if plan is None:
        raise _environment(found, changed, "its own benchmark is no longer there to check it on")
    again = _measured(home, plan, target, "again, since other libraries are installed")
    if not same_answers(found.kept.result, again.result):
        raise _environment(found, changed, "it answers differently now")
    return f"the champion gives the same table in this environment ({changed})"


def _same_answers(found: Baseline, champion: Kept, plan: Plan, rules: Rules) -> str:
    """As `_reproduced`, for a champion that was run on another benchmark anyway.

    Where only questions were added or relabelled, those that stayed are answered from the same
    documents, so that their rows must be the same.
    """
    changed = changed_libraries(found.kept.libraries)
    if not changed or rules.gate.on_environment == "accept":
        return f"not checked in this environment: {changed}" if changed else ""
    if found.kept.facts["benchmark"]["corpus"] != plan.benchmark_facts["corpus"]:
        raise _environment(found, changed, "the documents changed too, so it cannot be checked")
    if not same_answers(found.kept.result, champion.result):
        raise _environment(found, changed, "it answers differently now")
    return f"the champion gives the same answers in this environment ({changed})"


def _environment(found: Baseline, changed: str, why: str) -> NoVerdictError:
    return NoVerdictError(
        f"the champion ({found.model} version {found.version}) was measured in another "
        f"environment: {changed}, and {why}; install what it was measured with and promote a run "
        "of this environment, or compare all the same by gate.on_environment=accept"
    )

"""Promotions that are interrupted, disturbed, or pretended."""

from desk import killed

from attacks.attack import attack
from rageval.registry.promotion import claimed
from rageval.tracking.settings import RegistryConfig, TrackingConfig
from rageval.tracking.store import locate, open_store

TOPIC = "Promotion"
MODEL = "rageval-tiny"
CONFIG = RegistryConfig(model=None, alias="champion", previous="previous", allow=())


def with_champion(desk):
    """Promote bm25, and return a run of tfidf."""
    said = desk.promote(desk.evaluate("+retriever=bm25"))
    assert said.code == 0, said
    return desk.evaluate("+retriever=tfidf")


def scorings(desk):
    """Return how many scorings of held-out questions the ledger holds."""
    found = desk.client.get_experiment_by_name("tiny-holdout")
    return len(desk.client.search_runs([found.experiment_id])) if found else 0


@attack(TOPIC, 0, "rageval-tiny@champion is version 2, version 1 is previous")
def a_note_on_the_model(desk):
    """Put a tag of somebody else's beside the promotions of a model, and promote."""
    run = with_champion(desk)
    desk.client.set_registered_model_tag(MODEL, "promotion.note", "see the wiki")
    return desk.promote(run)


@attack(TOPIC, 3, "rageval-tiny: its promotion history cannot be read")
def a_broken_entry_in_the_history(desk):
    """Overwrite an entry of the promotion history, and roll back."""
    assert desk.promote(with_champion(desk)).code == 0
    desk.client.set_registered_model_tag(MODEL, "promotion.0001", "it was me")
    return desk.type("rollback", "dataset.name=tiny")


@attack(TOPIC, 0, "rageval-tiny@champion is version 1 again, 2 is previous")
def a_promotion_is_killed_after_the_alias_moved(desk):
    """Kill a promotion right after it moved the alias, and roll it back at once."""
    killed(desk, with_champion(desk), "_settle")
    said = desk.type("rollback", "dataset.name=tiny")
    assert [entry["after"] for entry in desk.history(MODEL)] == ["1", "2", "1"]
    return said


@attack(TOPIC, 0, "rageval-tiny@champion is version 2, version 1 is previous")
def a_promotion_is_killed_before_the_alias_moved(desk):
    """Kill a promotion before it moves the alias, and promote again at once."""
    run = with_champion(desk)
    killed(desk, run, "Claim.move")
    assert desk.aliases(MODEL) == {"champion": "1"}
    return desk.promote(run)


@attack(TOPIC, 3, "another promotion of rageval-tiny is under way; gate the candidate again when")
def two_promotions_at_once(desk):
    """Promote while another promotion runs; no held-out scoring is spent on it."""
    run, before = with_champion(desk), scorings(desk)
    tracking = TrackingConfig(
        enabled=True, uri=None, experiment="tiny", root=str(desk.folder / "mlruns")
    )
    with claimed(open_store(locate(tracking, {}), "tiny"), CONFIG, "tiny"):
        said = desk.promote(run)
    assert (scorings(desk), desk.aliases(MODEL)) == (before, {"champion": "1"})
    return said


@attack(TOPIC, 3, "version 1 is rageval-tiny@champion already")
def the_champion_is_promoted_again_by_force(desk):
    """Promote the champion again by force; no held-out scoring is spent on it."""
    run = desk.evaluate("+retriever=bm25")
    assert desk.promote(run).code == 0
    before = scorings(desk)
    said = desk.promote(run, "force=true", "reason=again")
    assert scorings(desk) == before
    return said


@attack(
    TOPIC, 0, "version 1 again, the last that was promoted: the alias had been moved by hand to …"
)
def rollback_after_the_alias_was_moved_by_hand(desk):
    """Move the alias by hand to a version that no gate saw, and roll back."""
    run = with_champion(desk)
    version = desk.client.create_model_version(MODEL, source=str(desk.folder), run_id=run)
    desk.client.set_registered_model_alias(MODEL, "champion", str(version.version))
    said = desk.type("rollback", "dataset.name=tiny")
    assert desk.aliases(MODEL) == {"champion": "1"}
    return said


@attack(TOPIC, 0, "version 1 again, the last that was promoted: the alias had been removed by hand")
def rollback_after_the_alias_was_removed(desk):
    """Take the alias away by hand, and roll back."""
    with_champion(desk)
    desk.client.delete_registered_model_alias(MODEL, "champion")
    return desk.type("rollback", "dataset.name=tiny")

"""Limits that would be passed over: misspelt, about nothing, or switched off by a tool."""

from desk import LOCAL, QUICK, Desk

from attacks.attack import attack

TOPIC = "Limits"
NARROW = "threshold.no_tolerance=[tag.permission_narrow]"


def run(desk: Desk, *words: str) -> str:
    return desk.evaluate("+retriever=bm25", *words, dataset=LOCAL)


def relabelled(desk: Desk, old: str, new: str) -> None:
    golden = desk.folder / "tiny" / "golden.yaml"
    text = golden.read_text()
    assert old in text
    golden.write_text(text.replace(old, new))


@attack(TOPIC, 2, "threshold.flors: unknown key; did you mean 'floors'?")
def gate_with_a_misspelt_kind_of_limit(desk):
    """`gate +threshold.flors.all.recall=0.99`"""
    return desk.gate(run(desk), "+threshold.flors.all.recall=0.99")


@attack(TOPIC, 2, "threshold.floors.all.recal: no such measure; did you mean 'recall'?")
def gate_with_a_floor_on_a_misspelt_measure(desk):
    """`gate threshold.floors.all.recal=0.99`"""
    return desk.gate(run(desk), "threshold.floors.all.recal=0.99")


@attack(TOPIC, 2, "threshold.max_drop.all.recal: no such measure; did you mean 'recall'?")
def rollback_with_a_limit_on_a_misspelt_measure(desk):
    """`rollback threshold.max_drop.all.recal=0`"""
    return desk.type("rollback", "dataset.name=tiny", "threshold.max_drop.all.recal=0")


@attack(TOPIC, 2, "threshold.flors: unknown key; did you mean 'floors'?")
def promote_with_a_misspelt_kind_of_limit(desk):
    """`promote +threshold.flors.all.recall=0.99`"""
    return desk.promote(run(desk), "+threshold.flors.all.recall=0.99")


@attack(TOPIC, 2, "gate.require_baselin: unknown key; did you mean 'require_baseline'?")
def gate_with_a_misspelt_setting(desk):
    """`gate +gate.require_baselin=true`"""
    return desk.gate(run(desk), "+gate.require_baselin=true")


@attack(TOPIC, 2, "thresold: unknown key; did you mean 'threshold'?")
def gate_with_a_misspelt_node(desk):
    """`gate +thresold.floors.all.recall=0.99`"""
    return desk.gate(run(desk), "+thresold.floors.all.recall=0.99")


@attack(TOPIC, 2, "the set has no subset 'tag.negatoin'; did you mean 'tag.negation'?")
def gate_with_a_floor_on_a_misspelt_subset(desk):
    """`gate threshold.floors.tag.negatoin.recall=0.9`"""
    return desk.gate(run(desk), "threshold.floors.tag.negatoin.recall=0.9")


@attack(
    TOPIC, 2, "threshold.no_tolerance: the set has no subset 'tag.permision_narrow'; did you mean"
)
def gate_with_no_tolerance_for_a_misspelt_subset(desk):
    """`gate threshold.no_tolerance=[tag.permision_narrow]`"""
    return desk.gate(run(desk), "threshold.no_tolerance=[tag.permision_narrow]")


@attack(TOPIC, 2, "this cutoff is not measured, only hit_rate_at_1, hit_rate_at_3")
def gate_with_a_limit_on_a_cutoff_that_is_not_measured(desk):
    """`gate threshold.max_drop.all.hit_rate_at_5=0` where hit_at is [1, 3]"""
    return desk.gate(run(desk), "threshold.max_drop.all.hit_rate_at_5=0")


@attack(TOPIC, 2, "the set has no subset 'tag.negatoin'; did you mean 'tag.negation'?")
def evaluate_with_a_floor_on_a_misspelt_subset(desk):
    """`evaluate threshold.floors.tag.negatoin.recall=0.9`: refused before anything is retrieved"""
    words = (*LOCAL, *QUICK, "threshold.floors.tag.negatoin.recall=0.9")
    said = desk.type("+retriever=bm25", *words)
    assert "hit@1" not in said.out
    return said


@attack(
    TOPIC, 1, "✗ tag.permission_narrow no_tolerance: had 1 question when the champion was promoted"
)
def untag_the_question_that_a_limit_protects(desk):
    """the last question of a subset with a limit loses its tag, in the change that loses it"""
    assert desk.promote(run(desk), NARROW).code == 0
    relabelled(desk, "    tags: [permission_narrow]\n", "")
    return desk.gate(run(desk), NARROW)


@attack(TOPIC, 2, "gate.report_only: a promotion rests on the gate")
def promote_what_is_only_reported(desk):
    """`promote gate.report_only=true`"""
    return desk.promote(run(desk), "gate.report_only=true")


@attack(TOPIC, 3, "gate INCONCLUSIVE")
def pass_a_gate_that_could_not_see_the_loss(desk):
    """`gate gate.must_see=0.05 gate.on_inconclusive=fail` on a set of six questions"""
    assert desk.promote(run(desk)).code == 0
    return desk.gate(run(desk), "gate.must_see=0.05", "gate.on_inconclusive=fail")


@attack(TOPIC, 3, "not promoted: the gate is inconclusive")
def promote_what_a_gate_could_not_judge(desk):
    """`promote gate.must_see=0.05 gate.on_inconclusive=fail` on a set of six questions"""
    assert desk.promote(run(desk)).code == 0
    return desk.promote(run(desk), "gate.must_see=0.05", "gate.on_inconclusive=fail")


@attack(TOPIC, 2, "gate.must_see.all.recal: max_drop has no such limit; did you mean 'all.recall'?")
def ask_a_misspelt_limit_to_see_enough(desk):
    """`gate gate.must_see.all.recal=0.05`"""
    return desk.gate(run(desk), "gate.must_see.all.recal=0.05")


@attack(TOPIC, 1, "1 cells: 1 done")
def sweep_past_the_gate(desk):
    """`-m … gate.enabled=true`: a cell that fails the gate makes the sweep exit with 1"""
    assert desk.promote(run(desk)).code == 0
    words = ("window.min_score=99", "gate.enabled=true")
    return desk.type("-m", "+retriever=bm25", *words, *LOCAL, *QUICK)


@attack(TOPIC, 0, "0 floors written to")
def lower_a_committed_floor_by_a_suggestion(desk):
    """`gate suggest=true` on a file with higher floors, a comment and limits of its own"""
    file = desk.folder / "conf" / "threshold" / "tiny.yaml"
    file.parent.mkdir(parents=True)
    measures = ("hit_rate_at_1", "hit_rate_at_3", "recall", "mrr", "completeness")
    floors = f"  all: {{{', '.join(f'{name}: 1.0' for name in measures)}}}\n"
    file.write_text(f"# ours\ndefaults:\n  - default\nfloors:\n{floors}no_tolerance: [all]\n")
    before = file.read_text()
    said = desk.gate(run(desk), "suggest=true", "gate.report_only=true")
    assert file.read_text() == before
    return said


@attack(TOPIC, 2, "broken.yaml:2: is not YAML: …")
def a_threshold_file_is_broken(desk):
    """a threshold file is cut in the middle"""
    run = desk.evaluate("+retriever=bm25", dataset=LOCAL)
    (desk.folder / "conf" / "threshold").mkdir(parents=True)
    (desk.folder / "conf" / "threshold" / "broken.yaml").write_text("floors: [\n")
    return desk.gate(run, "threshold=broken", "--config-dir=conf")


@attack(TOPIC, 2, "suggest_to: tiny/golden.yaml would never be read: thresholds lie in a folder")
def floors_are_suggested_to_the_golden_set(desk):
    """`gate suggest=true suggest_to=golden.yaml`"""
    run = desk.evaluate("+retriever=bm25", dataset=LOCAL)
    return desk.gate(run, "suggest=true", "suggest_to=tiny/golden.yaml")


@attack(TOPIC, 2, "uses YAML aliases (*name), so floors of one subset would …")
def floors_are_suggested_to_a_file_with_aliases(desk):
    """`gate suggest=true` on a file in which two subsets share a mapping"""
    run = desk.evaluate("+retriever=bm25", dataset=LOCAL)
    (desk.folder / "conf" / "threshold").mkdir(parents=True)
    text = "floors:\n  all: &a {recall: 0.1}\n  form.GAP: *a\n"
    (desk.folder / "conf" / "threshold" / "mine.yaml").write_text(text)
    return desk.gate(run, "suggest=true", "suggest_to=conf/threshold/mine.yaml")


@attack(TOPIC, 0, "note: no limit compares the candidate with the champion")
def no_limit_is_left(desk):
    """`gate ~threshold.max_drop`: it passes, and says that nothing was compared"""
    assert desk.promote(desk.evaluate("+retriever=bm25", dataset=LOCAL)).code == 0
    return desk.gate(desk.evaluate("+retriever=tfidf", dataset=LOCAL), "~threshold.max_drop")


@attack(TOPIC, 2, "gate.sets: [] names no set; give each set once, or null for that of the dataset")
def no_set_is_named(desk):
    """`gate gate.sets=[]`"""
    desk.evaluate("+retriever=bm25", dataset=LOCAL)
    return desk.type("gate", "gate.sets=[]", "dataset.name=tiny")


@attack(TOPIC, 3, "run=best: no cell of sweep … passed the gate")
def the_best_cell_failed_its_gate(desk):
    """`promote run=best` after a sweep in which every cell failed the gate"""
    words = ("retriever=bm25,tfidf", "threshold.floors.all.mrr=1", "gate.enabled=true")
    assert desk.type("-m", *words, *LOCAL, *QUICK).code == 1
    return desk.type("promote", "run=best", "dataset.name=tiny")

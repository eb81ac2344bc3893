"""Every key of the configuration, changed alone: exactly the stages that depend on it recompute.

The keys are those that Hydra composes, so a new one that is not thought of here fails.
"""

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from rageval.cache.store import Cache
from rageval.config.places import shipped
from rageval.config.reading import parameters, plain
from rageval.config.resolvers import register
from rageval.experiment.plan import Plan
from rageval.experiment.workflow import work
from rageval.tracking.reading import CELL

BASE = ["retriever=hybrid", "latency.sample=2"]
INDEXED = {"index", "scores", "rankings", "latency"}
ENCODED = {*INDEXED, "vectors"}
CUT = {*ENCODED, "chunks", "qrels"}
NOTHING = set()

# What a key changes, by the longest beginning of its name.
STAGES = {
    "gate": NOTHING, "registry": NOTHING, "sweep": NOTHING, "output": NOTHING, "run": NOTHING,
    "register": NOTHING, "threshold": NOTHING, "tracking": NOTHING, "cache": NOTHING,
    "measures": NOTHING, "window": NOTHING, "limits": NOTHING, "index": NOTHING,
    "noise": NOTHING, "repeats": NOTHING,
    "measures.ndcg_at": {"latency"},  # production asks as deep as the deepest cutoff wants
    "judging": {"qrels"},
    "latency": {"latency"},
    # Read again; the content is the same, and so are the sides, which the set itself names.
    "dataset": {"dataset"},
    "dataset.languages": {"dataset", *ENCODED},
    "chunking": CUT,
    "analyser": ENCODED,
    "encoder": ENCODED,
    "retriever.retrievers.lexical": INDEXED,
    "retriever.statistics": ENCODED,  # of its parts, too
    "retriever": {"index", "rankings", "latency"},  # the mixture
    "variant": ENCODED,  # whatever it stands for may have changed
    "rewriting": {"latency"},  # no question of the set has earlier turns: the same are asked
    "window.depth": {"rankings", "latency"},
}  # fmt: skip

# Another value where none can be made from the one that is there.
VALUES = {
    "gate.run": "abc", "gate.sets": "[other]", "gate.baseline": "x.json", "gate.output": "out",
    "gate.on_mismatch": "refuse", "gate.on_environment": "accept", "gate.must_see": "0.1",
    "gate.on_inconclusive": "fail", "gate.exceptions": "x.yaml", "gate.accept_alias": "why",
    "variant.tag": "two", "registry.model": "m", "registry.alias": "best",
    "registry.previous": "last", "registry.allow": "[rageval.,mine.]",
    "measures.hit_at": "[1,5]", "measures.ndcg_at": "9", "measures.standard": "[P@5]",
    "chunking.header": "title",
    "sweep.on_error": "stop", "sweep.objective": "mrr",
    "output.questions": "none", "output.format": "quiet", "run.name": "n", "run.notes": "n",
    "dataset.name": "other",
    "dataset.languages": "[french]", "dataset.quotes": "loose",
    "dataset.corpus.pattern": "'**/*.m[d]'",
    "dataset.corpus.links": "follow",
    "dataset.split.lock": "other.lock",
    "dataset.path": "copy/documents", "dataset.corpus.path": "copy/documents",
    "dataset.questions": "copy/golden.yaml", "dataset.golden.path": "copy/golden.yaml",
    "dataset.askers": "copy/access.yaml", "dataset.access.path": "copy/access.yaml",
    "threshold.no_tolerance": "[]", "threshold.new_distractors": "0",
    "tracking.uri": "sqlite:///x.db",
    "tracking.experiment": "x", "tracking.root": "y", "cache.kind": "disk", "cache.dir": "z",
    "window.min_score": "0.1", "window.per_document": "1", "window.depth": "300",
    "retriever.statistics": "public", "retriever.fusion": "minmax",
    "retriever.floor": "lexical", "chunking.level": "1",
    "dataset.split.seed": "7", "dataset.split.dev_share": "0.3",
}  # fmt: skip
METHODS = {"method": "robertson", "languages": "[french]", "dev_share": "0.3"}

# What is no key of its own.
GROUPS = "_target_"  # a class: chosen by its group, see tests/test_cache.py
SINGLE = ("threshold.evidence",)  # may hold one value alone
EMPTY = ("secrets", "threshold.floors", "threshold.max_drop")  # maps that hold users' own names


def composed(*words):
    register()
    with initialize_config_dir(str(shipped("conf").resolve()), version_base="1.3"):
        return plain(compose("config", list(words)))


def keys(words):
    """Return the keys with their values; what refers to a whole node has none of its own."""
    tree = composed(*words)
    written = parameters(replace(tree, whole=tree.raw))
    return {
        key: value
        for key, value in written.items()
        if not key.endswith(GROUPS)
        and not key.startswith((*EMPTY, *SINGLE))
        and (key in VALUES or not value.startswith("${"))  # as another key says, which is changed
        and not isinstance(OmegaConf.select(OmegaConf.create(tree.whole), key), DictConfig)
    }


def another(key, value):
    if key in VALUES:
        return VALUES[key]
    name = key.rpartition(".")[2]
    if name in METHODS:
        return METHODS[name]
    if value in {"True", "False"}:
        return str(value == "False").lower()
    if value.isdigit():
        return str(int(value) + 1)
    return str(round(float(value) * 0.9, 4))  # what is no number must be named in VALUES


def expected(key):
    parts = key.split(".")
    names = [".".join(parts[:n]) for n in range(len(parts), 0, -1)]
    return next(STAGES[name] for name in names if name in STAGES)


@pytest.fixture
def measured(tmp_path, tiny, monkeypatch):
    """What changing keys computes, with what the unchanged configuration computes at hand."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(Path(__file__).parent / "data" / "tiny", "copy")
    words, quiet = [*BASE, *tiny], Console(quiet=True)
    first = composed(*words)

    def stages(*more):
        kept = []
        for tree in (first, composed(*words, *more)):
            before = Counter(kept[0].misses) if kept else Counter()
            plan = Plan.of(
                tree,
                lambda parts: "",
                CELL,
                lambda config: kept[0] if kept else kept.append(Cache(config)) or kept[0],
            )
            work(plan, quiet)
        return set(kept[0].misses - before)

    return words, stages


@pytest.mark.thorough
def test_every_key_recomputes_what_depends_on_it_and_no_more(measured):
    words, stages = measured
    wrong = {}
    for key, old in keys(words).items():
        value = another(key, old)
        changed = stages(f"{key}={value}")
        if changed != expected(key):
            wrong[f"{key}={value}"] = (sorted(changed), sorted(expected(key)))
    assert not wrong, "\n".join(f"{key}: {said}" for key, said in wrong.items())


def test_no_rule_is_about_a_key_that_is_not_there(measured):
    words, _ = measured
    there = keys(words)
    assert [name for name in VALUES if name not in there] == []
    assert [n for n in STAGES if not any(f"{key}.".startswith(f"{n}.") for key in there)] == []

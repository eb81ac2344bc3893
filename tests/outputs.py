"""What each component of ours makes of the tiny set; `python outputs.py` writes it down.

The file data/outputs.json holds a digest of every output beside the version of the component. A
test compares them: an output that changes must come with a new version, or results that an older
release kept would be used as if nothing had happened.
"""

import json
import sys
from pathlib import Path

from hydra import compose, initialize_config_dir

from rageval.config.build import build, build_parts
from rageval.config.loading import load
from rageval.config.places import shipped
from rageval.config.reading import plain, typed
from rageval.config.resolvers import register
from rageval.config.settings import EvaluationConfig
from rageval.evaluation.provenance.contents import Contents
from rageval.evaluation.provenance.variant import made_of
from rageval.retrieval.pipeline import Ask, Pipeline
from rageval.schema.fingerprint import digest

HERE = Path(__file__).parent
FILE = HERE / "data" / "outputs.json"
TINY = (
    "dataset=markdown",
    f"dataset.path={HERE / 'data' / 'tiny' / 'documents'}",
    f"dataset.questions={HERE / 'data' / 'tiny' / 'golden.yaml'}",
    f"dataset.askers={HERE / 'data' / 'tiny' / 'access.yaml'}",
    "dataset.split.lock=null",
    "encoder.dimensions=4",
)
CHUNKINGS = {
    "whole": [], "fixed": ["chunking.size=60", "chunking.overlap=10"], "sentence": [],
    "heading": [], "recursive": ["chunking.size=60", "chunking.overlap=10"],
}  # fmt: skip
RETRIEVERS = {
    "bm25": ["retriever=bm25"],
    "tfidf": ["retriever=tfidf"],
    "dense": ["retriever=dense"],
    **{
        f"hybrid {fusion}": ["retriever=hybrid", f"retriever.fusion={fusion}"]
        for fusion in ("zscore", "minmax", "rrf")
    },
    "window": ["retriever=bm25", "window.per_document=1", "window.min_score=0.1"],
    "no turns": ["retriever=bm25", "rewriting=none"],
}


def configured(*words):
    """Return a typed configuration with its plain tree."""
    register()
    with initialize_config_dir(str(shipped("conf").resolve()), version_base="1.3"):
        tree = plain(compose("config", [*TINY, *words]))
    return typed(tree.whole, EvaluationConfig), tree


def outputs():
    """Return name → versions of the components and the digest of what they make."""
    found = {}
    for name, words in CHUNKINGS.items():
        config, tree = configured("retriever=bm25", f"chunking={name}", *words)
        chunker = build(config.chunking, "chunking")
        spans = [[d.id, chunker.spans(d)] for d in load(config.dataset).corpus]
        found[f"chunking {name}"] = entry(tree.whole["chunking"], spans)
    for name, words in RETRIEVERS.items():
        config, tree = configured(*words)
        found[name] = entry(
            {key: tree.whole[key] for key in ("retriever", "rewriting")}, answers(config)
        )
    return found


def entry(node, output):
    versions = made_of(node, Contents()).configuration["versions"]
    return {"versions": dict(sorted(versions.items())), "output": digest(output)}


def answers(config):
    """Return the windows of every question: passages in order, with coarse scores."""
    dataset = load(config.dataset)
    pipeline = Pipeline.build(dataset.corpus, build_parts(config, dataset.access), lambda _: None)
    asks = [Ask(q.text, q.asker, q.history) for q in dataset.golden]
    return [
        [[p.document, p.start, p.end, f"{p.score:.3g}"] for p in pipeline.retrieve(ask)]
        for ask in asks
    ]


if __name__ == "__main__":
    sys.stdout.write(json.dumps(outputs(), indent=1) + "\n")

"""Every file in conf/ is composed, checked and built."""

import importlib.util
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.utils import instantiate

from rageval.cli.commands import COMMANDS
from rageval.config.build import build, build_parts
from rageval.config.commands import CheckConfig, MineConfig
from rageval.config.launch import take_names
from rageval.config.places import shipped
from rageval.config.reading import parameters, read
from rageval.config.resolvers import register
from rageval.config.settings import EvaluationConfig
from rageval.config.tree import Tree
from rageval.golden.access import PublicOnly

CONF = shipped("conf")
FILES = sorted(str(file.relative_to(CONF)) for file in CONF.rglob("*.yaml"))
NEEDS = {  # what a choice cannot do without
    "dataset/labels.yaml": ["dataset.questions=q.yaml"],
    "dataset/beir.yaml": ["dataset.path=d"],
    "dataset/markdown.yaml": ["dataset.path=d", "dataset.questions=q.yaml"],
    "dataset/ragas.yaml": ["dataset.path=d", "dataset.questions=r.jsonl"],
    "dataset/deepeval.yaml": ["dataset.path=d", "dataset.questions=g.json"],
    "dataset/haystack.yaml": ["dataset.path=d", "dataset.questions=l.json"],
    "dataset/adr.yaml": ["dataset.path=d", "dataset.questions=q.json"],
    "dataset/table.yaml": ["dataset.path=d", "dataset.questions=q.csv"],
    "dataset/mapped.yaml": ["dataset.path=d", "dataset.questions=g.jsonl"],
    "dataset/hotpotqa.yaml": ["dataset.path=d.json"],
    "dataset/musique.yaml": ["dataset.path=d.jsonl"],
    "dataset/squad_rows.yaml": ["dataset.path=d.parquet"],
    "dataset/msmarco.yaml": ["dataset.path=d", "dataset.questions=t.tsv", "dataset.qrels=q.txt"],
    "dataset/miracl.yaml": ["dataset.path=d", "dataset.questions=t.tsv", "dataset.qrels=q.txt"],
    "dataset/mtrag.yaml": ["dataset.path=d", "dataset.questions=t.jsonl", "dataset.qrels=q.tsv"],
    "dataset/squad.yaml": ["dataset.path=d"],
    "dataset/llama_index.yaml": ["dataset.path=d"],
    "dataset/autorag.yaml": ["dataset.path=d"],
    "dataset/chroma.yaml": ["dataset.path=d"],
    "dataset/trec.yaml": ["dataset.path=d", "dataset.questions=t.tsv", "dataset.qrels=q.txt"],
    "retriever/trec_run.yaml": ["retriever.run=r.txt", "retriever.topics=t.tsv"],
    "retriever/custom.yaml": ["retriever._target_=plugged.Nothing"],
    "retriever/http.yaml": ["retriever.url=http://localhost:1/"],
    "retriever/postgres.yaml": ["retriever.url=postgresql://localhost/d"],
    "retriever/pgvector.yaml": ["retriever.url=postgresql://localhost/d"],
    "retriever/elasticsearch.yaml": ["retriever.url=http://localhost:1"],
    "retriever/opensearch.yaml": ["retriever.url=http://localhost:1"],
    "retriever/qdrant.yaml": ["retriever.location=q"],
    "retriever/lancedb.yaml": ["retriever.uri=l"],
    **{
        f"retriever/{name}.yaml": ["retriever.source._target_=plugged.make"]
        for name in ("langchain", "llama_index", "haystack")
    },
    "reranker/rerankers.yaml": ["retriever.reranker.model=m"],
    "retriever/command.yaml": ["retriever.command=[cat]"],
    "ids/pattern.yaml": [
        "retriever._target_=plugged.Nothing",
        "retriever.ids.pattern='{document}'",
    ],
    "ids/file.yaml": ["retriever._target_=plugged.Nothing", "retriever.ids.path=i.csv"],
    "ids/sql.yaml": [
        "retriever._target_=plugged.Nothing",
        "retriever.ids.url=u",
        "retriever.ids.query=q",
    ],
    "ids/fields.yaml": ["retriever._target_=plugged.Nothing", "retriever.ids.document=d"],
}


@pytest.fixture(autouse=True)
def hydra():
    register()
    GlobalHydra.instance().clear()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        yield


def composed(*overrides, config="config"):
    return compose(config, list(overrides), return_hydra_config=False)


@pytest.mark.parametrize("file", [name for name in FILES if name.startswith("export/")])
def test_every_export_composes_passes_the_check_and_builds(file):
    path = [] if file == "export/none.yaml" else ["export.path=p"]
    config = read(composed(f"export={Path(file).stem}", *path, config="check"), CheckConfig)
    assert hasattr(build(config.export, "export"), "write")


MINING = ("log/", "masking/")
HYDRAS = "hydra/"  # what Hydra launches and sweeps with


@pytest.mark.parametrize("file", [name for name in FILES if name.startswith(MINING)])
def test_every_log_and_masking_composes_passes_the_check_and_builds(file):
    group, name = Path(file).parent.as_posix(), Path(file).stem
    log = ["log=csv"] if group == "masking" else []
    needs = ["log.url=sqlite:///l.db", "log.table=t"] if name == "sql" else ["log.path=l"]
    config = read(composed(f"{group}={name}", *log, *needs, config="mine"), MineConfig)
    assert hasattr(build(config.log.source, "log"), "rows")
    assert build(config.masking, "masking").mask("a@example.org") in {"a@example.org", "<email>"}


@pytest.mark.parametrize(
    "file", [n for n in FILES if "/" in n and not n.startswith(("export/", HYDRAS, *MINING))]
)
def test_every_choice_composes_passes_the_check_and_builds(file):
    group, name = Path(file).parent.as_posix(), Path(file).stem
    retriever = [] if group in {"retriever", "experiment"} else ["retriever=hybrid"]
    needs = NEEDS.get(file, [])
    if group == "mapping":
        needs = ["dataset=mapped", *NEEDS["dataset/mapped.yaml"]]
    if group == "ids":  # they say what the ids of a user's retriever stand for
        retriever, group = ["retriever=custom"], "+ids@retriever.ids"
    if group == "reranker":
        retriever, group = ["retriever=reranked"], "reranker@retriever.reranker"
    config = read(composed(f"{group}={name}", *retriever, *needs), EvaluationConfig)
    parts = build_parts(config, PublicOnly())
    assert hasattr(parts.retriever, "index")
    assert hasattr(parts.chunker, "spans")
    assert hasattr(build(config.encoder, "encoder"), "fit")
    assert hasattr(build(config.dataset.corpus, "corpus"), "load")
    assert hasattr(build(config.dataset.golden, "golden"), "load")
    assert hasattr(build(config.dataset.split, "split"), "assign")


@pytest.mark.parametrize("file", [name for name in FILES if name.startswith(HYDRAS)])
def test_every_launcher_and_sweeper_composes_and_is_ours_whatever_is_installed(file):
    group, name = Path(file).parent.as_posix(), Path(file).stem
    # As a plugin of that name would have it, which is not what the file says.
    ConfigStore.instance().store(group=group, name=name, node={"_target_": "theirs", "more": 1})
    take_names()
    whole = compose("config", [f"{group}={name}", "retriever=bm25"], return_hydra_config=True)
    node = whole.hydra[group.removeprefix(HYDRAS)]
    assert node._target_.startswith("hydra_plugins.rageval_sweep.")
    made = instantiate(node)
    assert hasattr(made, "launch" if group.endswith("launcher") else "sweep")
    if hasattr(made, "crew"):
        assert hasattr(made.crew(), "run")


@pytest.mark.parametrize("verb", COMMANDS)
def test_every_verb_has_a_primary_config_and_a_module(verb):
    assert composed(config=COMMANDS[verb].config)
    assert importlib.util.find_spec(COMMANDS[verb].module)


def test_every_file_begins_with_a_comment_that_says_what_it_is_for():
    bare = [name for name in FILES if not (CONF / name).read_text().startswith("#")]
    assert bare == []


def test_every_composed_value_is_a_parameter_and_secrets_are_not():
    words = ["retriever=hybrid", "window.k=7", "+secrets.token=abc", "run.notes=${secrets.token}"]
    found = parameters(Tree.of(composed(*words)))
    assert found["window.k"] == "7"
    assert found["retriever.retrievers.lexical.k1"] == "1.5"
    assert found["measures.hit_at"] == "[1, 3]"
    assert found["run.notes"] == "(secret)"
    assert "abc" not in found.values()
    assert not any(name.startswith("secrets") for name in found)


def test_a_part_of_the_hybrid_is_exchanged_from_the_command_line():
    config = read(
        composed(
            "retriever=hybrid",
            "retriever@retriever.retrievers.lexical=tfidf",
            "+retriever@retriever.retrievers.third=bm25",
            "+retriever.weights.third=0.5",
        ),
        EvaluationConfig,
    )
    parts = build_parts(config, PublicOnly())
    kinds = {name: type(part).__name__ for name, part in parts.retriever.retrievers.items()}
    assert kinds == {"lexical": "TfIdf", "semantic": "Dense", "third": "Bm25"}


def test_a_users_retriever_is_wrapped_with_its_concurrency_at_any_depth():
    config = read(
        composed(
            "retriever=hybrid",
            "retriever@retriever.retrievers.lexical=custom",
            "retriever.retrievers.lexical._target_=plugged.Nothing",
            "retriever.retrievers.lexical.concurrency=3",
        ),
        EvaluationConfig,
    )
    wrapped = build_parts(config, PublicOnly()).retriever.retrievers["lexical"]
    assert (type(wrapped).__name__, wrapped.concurrency) == ("Foreign", 3)

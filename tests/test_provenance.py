"""What a retrieval is made of: configuration, inputs by content, environment; what is unseen."""

import os
import sys
from pathlib import Path

import pytest

from rageval.errors import InputError
from rageval.evaluation.provenance.contents import Contents
from rageval.evaluation.provenance.sources import Sources
from rageval.evaluation.provenance.variant import Variant, changed_libraries, made_of
from rageval.retrieval.window import Window

BM25 = {"_target_": "rageval.retrieval.retrievers.bm25.Bm25", "k1": 1.5}
WINDOW = Window(depth=40)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder of a user's project, from which modules are imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def variant(retriever, tag=None, **others):
    nodes = {"chunking": {"_target_": "rageval.chunking.whole.WholeDocument"}, **others}
    return Variant.of({**nodes, "retriever": retriever}, WINDOW, Contents(), tag)


# --- inputs


def test_a_file_is_named_by_its_content_and_not_by_its_size_or_time(project):
    file = project / "run.txt"
    file.write_text("one")
    times = file.stat().st_atime_ns, file.stat().st_mtime_ns
    before = Contents().named({"run": "run.txt"})
    file.write_text("two")
    os.utime(file, ns=times)
    after = Contents().named({"run": "run.txt"})
    assert list(before) == list(after) == ["run.txt"]
    assert before != after


@pytest.mark.parametrize("name", ["m2v", "./m2v", "models/../m2v", "m2v/", "{absolute}"])
def test_a_folder_is_seen_however_it_is_written(project, name):
    (project / "models").mkdir()
    (project / "m2v" / "deep").mkdir(parents=True)
    (project / "m2v" / "deep" / "weights.bin").write_bytes(b"1")
    text = name.format(absolute=project / "m2v")
    before = Contents().named([text])
    (project / "m2v" / "deep" / "weights.bin").write_bytes(b"2")
    assert before
    assert Contents().named([text]) != before


def test_a_renamed_file_in_a_folder_is_a_change(project):
    (project / "model").mkdir()
    (project / "model" / "a").write_text("x")
    before = Contents().named(["model"])
    (project / "model" / "a").rename(project / "model" / "b")
    assert Contents().named(["model"]) != before


@pytest.mark.parametrize(
    "text", ["sqlite:///data.db", "sqlite+pysqlite:///data.db", "file://{here}/data.db"]
)
def test_the_file_behind_an_address_is_seen(project, text):
    (project / "data.db").write_text("x")
    assert list(Contents().named([text.format(here=project)])) == [text.format(here=project)]


@pytest.mark.parametrize("text", ["", " ", "no/such", "x" * 5000, "a\0b", "https://host/data.db"])
def test_a_text_that_names_nothing_here_is_no_input(project, text):
    assert Contents().named({"a": [text]}) == {}


def test_a_named_pipe_is_never_opened(project):
    os.mkfifo(project / "pipe")
    (project / "folder").mkdir()
    os.mkfifo(project / "folder" / "pipe")
    assert list(Contents().named(["pipe", "folder"])) == ["folder"]


def test_links_that_go_round_are_followed_once(project):
    (project / "data").mkdir()
    (project / "data" / "x").write_text("1")
    (project / "data" / "again").symlink_to(project / "data")
    (project / "elsewhere").mkdir()
    (project / "elsewhere" / "y").write_text("1")
    (project / "data" / "link").symlink_to(project / "elsewhere")
    before = Contents().named(["data"])
    (project / "elsewhere" / "y").write_text("2")
    assert Contents().named(["data"]) != before


def test_what_runs_write_is_no_part_of_a_folder(project):
    (project / "here").mkdir()
    before = Contents().named(["here"])
    for name in (".git", "mlruns", "__pycache__"):
        (project / "here" / name).mkdir()
        (project / "here" / name / "x").write_text("1")
    assert Contents().named(["here"]) == before


def test_a_file_is_read_once_by_one_command(project):
    (project / "run.txt").write_text("one")
    contents = Contents()
    before = contents.named(["run.txt"])
    (project / "run.txt").write_text("two")
    assert contents.named(["run.txt"]) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused_by_name(project):
    (project / "secret").write_text("x")
    (project / "secret").chmod(0)
    with pytest.raises(InputError, match="secret: cannot be read"):
        Contents().named(["secret"])


# --- a user's classes


def write(project, **modules):
    for name, text in modules.items():
        file = project / f"{name.replace('_of_', '/')}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def sources_of(target):
    found = Sources()
    found.add(target)
    return found


def test_every_module_of_the_project_that_a_class_imports_is_seen(project):
    write(
        project,
        search="import words\nfrom pack import part\nclass Mine: pass\n",
        words="import json, numpy\n",
        pack_of___init__="",
        pack_of_part="from . import other\nfrom .deep import thing\n",
        pack_of_other="",
        pack_of_deep_of___init__="",
        pack_of_deep_of_thing="def f():\n    import lazily\n",
        lazily="import importlib\nimportlib.import_module('named')\n",
        named="",
        unrelated="",
    )
    found = sources_of("search.Mine")
    assert set(found.modules) == {
        "search", "words", "pack", "pack.part", "pack.other", "pack.deep", "pack.deep.thing",
        "lazily", "named",
    }  # fmt: skip
    assert found.libraries == {"numpy"}  # json is part of Python


def test_a_class_that_is_named_where_it_was_imported_is_followed_to_its_own_module(project):
    write(project, api="from inner import Mine\n", inner="class Mine: pass\n")
    assert set(sources_of("api.Mine").modules) == {"api", "inner"}


def test_an_edit_of_an_imported_module_changes_the_inputs_alone(project):
    write(project, search="import words\nclass Mine: pass\n", words="W = 1\n")
    before = variant({"_target_": "search.Mine"})
    write(project, words="W = 2\n")
    after = variant({"_target_": "search.Mine"})
    assert before.inputs != after.inputs
    assert (before.configuration, before.environment) == (after.configuration, after.environment)
    assert before.whole != after.whole


def test_a_data_file_in_a_default_argument_is_seen(project):
    write(project, search="class Mine:\n    def __init__(self, words='words.json'): ...\n")
    (project / "words.json").write_text("[]")
    before = variant({"_target_": "search.Mine"})
    (project / "words.json").write_text("[1]")
    assert variant({"_target_": "search.Mine"}).inputs != before.inputs


def test_what_cannot_be_seen_is_reported_unless_it_is_named(project):
    write(project, search="from os import environ\nclass Mine: pass\n")
    told = variant({"_target_": "search.Mine"}).made.uncovered
    assert told == (
        "what search.Mine reads beyond its arguments and its source, such as a remote index",
        "environment variables that search reads",
    )
    one, two = (variant({"_target_": "search.Mine"}, tag) for tag in ("index-1", "index-2"))
    assert one.made.uncovered == ()
    assert one.whole != two.whole


def test_a_model_that_is_loaded_by_name_is_reported_and_a_folder_is_not(project):
    node = {"_target_": "rageval.retrieval.encoders.model2vec.Model2Vec", "model": "some/model"}
    dense = {"_target_": "rageval.retrieval.retrievers.dense.Dense", "encoder": node}
    assert variant(dense).made.uncovered == (
        "the files of the model 'some/model', which is loaded by name",
    )
    (project / "some" / "model").mkdir(parents=True)
    assert variant(dense).made.uncovered == ()


# --- ours


def test_the_version_of_a_component_is_part_of_the_configuration_and_rageval_s_is_not(monkeypatch):
    from rageval.retrieval.retrievers.bm25 import Bm25

    before = variant(BM25)
    monkeypatch.setattr("rageval.__version__", "99.0")
    assert variant(BM25).whole == before.whole
    monkeypatch.setattr(Bm25, "version", Bm25.version + 1)
    after = variant(BM25)
    assert after.configuration != before.configuration
    assert after.chunking == before.chunking


def test_the_parts_that_a_component_makes_by_default_count():
    made = made_of(BM25, Contents())
    assert set(made.configuration["versions"]) == {"Bm25", "Analyser"}
    assert {"python", "numpy", "bm25s", "PyStemmer"} <= set(made.libraries)


def test_libraries_that_do_not_compute_are_no_part_of_the_environment():
    libraries = variant(BM25).made.libraries
    assert {"mlflow", "hydra-core", "scikit-learn", "wordllama"}.isdisjoint(libraries)


def test_every_component_in_conf_says_its_version_and_its_libraries():
    import yaml
    from hydra.utils import get_class

    conf = Path(__file__).parents[1] / "conf"
    files = [
        file
        for group in ("chunking", "analyser", "encoder", "retriever", "rewriting")
        for file in (conf / group).glob("*.yaml")
    ]
    targets = {yaml.safe_load(file.read_text())["_target_"] for file in files} - {"???"}
    assert len(targets) > 12
    for target in targets:
        found = get_class(target)
        assert isinstance(found.version, int), target
        assert isinstance(found.libraries, tuple), target


def test_how_many_are_asked_at_a_time_is_no_part_of_a_retrieval():
    one, eight = (variant({**BM25, "concurrency": n}) for n in (1, 8))
    assert one.whole == eight.whole


def test_a_difference_names_the_library_and_both_versions():
    assert changed_libraries({"no-such-library": "1.0"}) == (
        "no-such-library was 1.0 and is not installed now"
    )
    assert changed_libraries(variant(BM25).made.libraries) == ""

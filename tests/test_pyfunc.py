"""A registered version as MLflow loads it: the production path, from anywhere."""

import json
import shutil
import subprocess
import sys

import pytest
from desk import DATA, TINY, Desk

from rageval.errors import InputError, UnreachableError
from rageval.production import pipeline
from rageval.registry.version import requirement
from rageval.version import __version__

ASKED = [
    {"question": "How many days of leave does everybody have?"},
    {"question": "What does band C pay?", "asker": "maria"},
    {"question": "What does band C pay?", "asker": "tom"},
    {"question": "Und bei Umzug?", "history": ["Wie viel Sonderurlaub gibt es?"]},
    {"question": "Zeppelin xylophone?"},
]
ELSEWHERE = """
import json, sys, mlflow
mlflow.set_tracking_uri(sys.argv[1])
model = mlflow.pyfunc.load_model(sys.argv[2], model_config=json.loads(sys.argv[3]))
print(json.dumps(model.predict(json.loads(sys.argv[4]))))
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A champion whose corpus and access file lie in the folder that it was evaluated in."""
    folder = tmp_path_factory.mktemp("pyfunc")
    shutil.copytree(DATA, folder / "tiny")
    found = Desk(folder)
    found.own = tuple(word.replace(str(DATA), "tiny") for word in TINY)
    run = found.evaluate("+retriever=hybrid", dataset=found.own)
    assert found.promote(run).code == 0
    return found


def settings(shop, corpus="documents"):
    return {
        "corpus": str(shop.folder / "tiny" / corpus),
        "access": str(shop.folder / "tiny" / "access.yaml"),
    }


def expected(shop, monkeypatch):
    """What the production path answers from the configuration itself."""
    monkeypatch.chdir(shop.folder)
    handle = pipeline(["retriever=hybrid", "encoder.dimensions=4", *shop.own])
    windows = [
        handle.retrieve(a["question"], a.get("asker"), tuple(a.get("history", ()))) for a in ASKED
    ]
    return [
        [(f.document, f.start, f.end, f.text, pytest.approx(f.score)) for f in window]
        for window in windows
    ]


def told(answers):
    return [
        [(f["document"], f["start"], f["end"], f["text"], f["score"]) for f in window]
        for window in answers
    ]


@pytest.mark.thorough
def test_another_process_in_an_empty_folder_answers_as_the_pipeline_does(
    shop, tmp_path, program, monkeypatch
):
    words = [shop.uri, "models:/rageval-tiny@champion", json.dumps(settings(shop)),
             json.dumps(ASKED)]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, *words],
        cwd=tmp_path,
        env=program.environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    answers = told(json.loads(done.stdout.splitlines()[-1]))
    assert answers == expected(shop, monkeypatch)
    found = [[document for document, *_ in window] for window in answers]
    assert found[0][0] == "leave"
    assert found[1][0] == "hr/salaries"  # maria belongs to hr
    assert "hr/salaries" not in found[2]  # tom does not
    assert found[3][0] == "urlaub"
    assert found[4] == []  # no word of it occurs


def test_a_data_frame_answers_like_a_list_though_its_empty_cells_are_nan(shop, monkeypatch):
    import pandas as pd

    model = shop.load("rageval-tiny", **settings(shop))
    frame = pd.DataFrame(ASKED)
    assert told(model.predict(frame)) == expected(shop, monkeypatch)
    assert model.predict([ASKED[0]["question"]]) == model.predict(ASKED[:1])
    assert (
        model.predict(ASKED[0]) == model.predict(ASKED[0]["question"]) == model.predict(ASKED)[:1]
    )


@pytest.mark.parametrize("row", [{"asker": "maria"}, {"question": None}, {"question": 7}])
def test_a_row_without_a_question_is_refused(shop, row):
    with pytest.raises(InputError, match="a question must be text"):
        shop.load("rageval-tiny", **settings(shop)).predict([row])


def test_a_corpus_that_is_not_the_registered_one_is_refused_unless_it_may_live_on(shop):
    other = shop.folder / "tiny" / "changed"
    shutil.copytree(DATA / "documents", other)
    (other / "pump.md").write_text("# Pump KL-4411\n\nIt costs 990 EUR.\n")
    with pytest.raises(InputError, match="the corpus is not the one that was registered"):
        shop.load("rageval-tiny", **settings(shop, "changed"))
    model = shop.load("rageval-tiny", **settings(shop, "changed"), allow_corpus_change=True)
    ((best, *_),) = model.predict(["What does KL-4411 cost?"])
    assert best["text"].strip().endswith("It costs 990 EUR.")


def test_a_corpus_that_is_not_there_is_a_sentence(shop, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="tiny/documents"):
        shop.load("rageval-tiny")


def test_a_version_is_data_and_holds_no_pickled_object(shop):
    run = shop.client.get_model_version_by_alias("rageval-tiny", "champion").run_id
    folder = shop.file(run, "model")
    names = {path.name for path in folder.rglob("*") if path.is_file()}
    assert {"MLmodel", "config.yaml", "corpus.sha256", "requirements.txt"} <= names
    assert not any(name.endswith((".pkl", ".pickle", ".joblib")) for name in names)
    assert "rageval==" in (folder / "requirements.txt").read_text()


# --- secrets: used, never kept

KEYED = '''
class Keyed:
    """A retriever that answers to the right key alone."""

    def __init__(self, key):
        self.key = key

    def retrieve(self, question, limit, groups):
        if self.key != "opensesame":
            raise RuntimeError(f"wrong key {self.key}")
        return [("pump", 1.0)]
'''


@pytest.fixture(scope="module")
def keyed(shop):
    """A promoted retriever that needs a key, and how it is configured."""
    (shop.folder / "keyed_retriever.py").write_text(KEYED)
    sys.path.insert(0, str(shop.folder))
    words = ("+retriever=custom", "retriever._target_=keyed_retriever.Keyed", "chunking=whole",
             "+retriever.key=${secrets.key}", "+secrets.key=opensesame")  # fmt: skip
    shop.keyed = shop.evaluate(*words, dataset=shop.own)
    shop.words = words
    yield ("registry.model=keyed", "registry.allow=[keyed_retriever.]")
    sys.path.remove(str(shop.folder))


def test_a_secret_is_nowhere_in_the_store_and_must_be_given_again(shop, keyed):
    said = shop.promote(shop.keyed, *keyed)
    assert (said.code, "secrets.key: secrets are not kept" in said.err) == (3, True)
    assert shop.promote(shop.keyed, *keyed, "+secrets.key=opensesame").code == 0
    mlruns = shop.folder / "mlruns"
    holding = [p for p in mlruns.rglob("*") if p.is_file() and b"opensesame" in p.read_bytes()]
    assert holding == []
    given = {**settings(shop), "allow": ["keyed_retriever."]}
    with pytest.raises(InputError, match="secrets are not kept, so it must be given again"):
        shop.load("keyed", **given)
    given["secrets"] = {"key": "opensesame"}
    ((best,),) = shop.load("keyed", **given).predict(["price?"])
    assert best["document"] == "pump"


def test_a_new_secret_makes_no_new_retrieval(shop, keyed):
    other = shop.evaluate(*shop.words[:-1], "+secrets.key=somethingelse", dataset=shop.own)
    variants = {shop.client.get_run(r).data.tags["rageval.variant"] for r in (shop.keyed, other)}
    assert len(variants) == 1


def test_a_service_loads_the_champion_by_its_alias(shop, monkeypatch):
    right = expected(shop, monkeypatch)
    handle = pipeline("models:/rageval-tiny@champion", **settings(shop))
    for ask, window in zip(ASKED, right, strict=True):
        found = handle.retrieve(ask["question"], ask.get("asker"), tuple(ask.get("history", ())))
        assert [(f.document, f.start, f.end, f.text, f.score) for f in found] == window


def test_a_service_is_told_what_it_cannot_load(shop, monkeypatch):
    monkeypatch.chdir(shop.folder)
    with pytest.raises(UnreachableError, match="rageval-nothing"):
        pipeline("models:/rageval-nothing@champion")
    with pytest.raises(InputError, match="neither models:/NAME@ALIAS nor a list of overrides"):
        pipeline("rageval-tiny")
    with pytest.raises(InputError, match="corpus: it is a setting of a registered version alone"):
        pipeline(["retriever=bm25"], corpus="x")


def test_a_version_asks_for_the_extras_that_it_needs():
    encoder = "{_target_: rageval.retrieval.encoders.wordllama.WordLlama, model: l2_supercat}"
    dense = f"{{_target_: rageval.retrieval.retrievers.dense.Dense, encoder: {encoder}}}"
    unused = "encoder: {_target_: rageval.retrieval.encoders.model2vec.Model2Vec}"
    assert requirement(f"retriever: {dense}\n{unused}\n") == f"rageval[wordllama]=={__version__}"
    bm25 = "{_target_: rageval.retrieval.retrievers.bm25.Bm25}"
    assert requirement(f"retriever: {bm25}\n{unused}\n") == f"rageval=={__version__}"

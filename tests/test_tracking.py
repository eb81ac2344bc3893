"""What an evaluation leaves in MLflow, read back through MLflow's own client."""

import json
import signal
import threading
from pathlib import Path

import pytest
from desk import Desk
from mlflow import MlflowClient
from mlflow.exceptions import MlflowException

from rageval.errors import UnreachableError
from rageval.registry.version import make_model
from rageval.schema.names import metric_key, subset_and_measure
from rageval.tracking.client import Client
from rageval.tracking.run import Dataset, Record, running, write
from rageval.tracking.settings import TrackingConfig
from rageval.tracking.store import ignored, locate, open_store


def client(folder: Path):
    mlflow = pytest.importorskip("mlflow")
    return mlflow.MlflowClient(f"sqlite:///{folder / 'mlruns' / 'mlflow.db'}")


def runs(folder: Path):
    known = client(folder)
    ids = [experiment.experiment_id for experiment in known.search_experiments()]
    return known.search_runs(ids, order_by=["attributes.start_time"])


def table(run, name):
    file = Path(run.info.artifact_uri.removeprefix("file://")) / name
    content = json.loads(file.read_text())
    return [dict(zip(content["columns"], row, strict=True)) for row in content["data"]]


@pytest.fixture(scope="module")
def twice(tmp_path_factory, program):
    """The same command twice in one folder, and what it printed."""
    folder = tmp_path_factory.mktemp("twice")
    tiny = Path(__file__).parent / "data" / "tiny"
    words = [
        "+retriever=hybrid", "dataset=markdown", f"dataset.path={tiny / 'documents'}",
        f"dataset.questions={tiny / 'golden.yaml'}", f"dataset.askers={tiny / 'access.yaml'}",
        "dataset.split.lock=split.lock", "dataset.name=tiny", "encoder.dimensions=4",
        "run.notes=a first try",
    ]  # fmt: skip
    done = [program.run(folder, *words) for _ in range(2)]
    assert [said.code for said in done] == [0, 0], done[0].err
    return folder, done


@pytest.mark.thorough
def test_the_run_is_finished_and_says_what_it_was(twice):
    folder, _ = twice
    run = runs(folder)[0]
    assert run.info.status == "FINISHED"
    assert run.info.run_name == "hybrid (lsa), heading, k=6"
    assert run.data.params["window.k"] == "6"
    assert run.data.params["retriever.weights.lexical"] == "0.6"
    assert run.data.tags["rageval.split"] == "dev"
    assert len(run.data.tags["rageval.benchmark"]) == 64
    assert run.data.tags["mlflow.note.content"].startswith("**tiny")
    assert "a first try" in run.data.tags["mlflow.note.content"]


def test_metrics_are_by_subset_in_the_names_of_the_layout(twice):
    metrics = runs(twice[0])[0].data.metrics
    assert metrics["all/n"] == 6
    assert {"all/hit_rate_at_1", "form.GAP/hit_rate_at_3", "tag.negation/completeness"} <= set(
        metrics
    )
    assert metrics["all/errors"] == metrics["all/leaks"] == 0
    assert metrics["latency/p95_ms"] >= metrics["latency/p50_ms"] > 0


def test_inputs_carry_digests_that_differ(twice):
    inputs = runs(twice[0])[0].inputs.dataset_inputs
    digests = {found.dataset.name: found.dataset.digest for found in inputs}
    assert set(digests) == {"tiny corpus", "tiny questions"}
    assert len(set(digests.values())) == 2
    assert all(len(value) == 32 for value in digests.values())


def test_every_file_of_the_layout_is_there(twice):
    run = runs(twice[0])[0]
    root = Path(run.info.artifact_uri.removeprefix("file://"))
    names = {str(file.relative_to(root)) for file in root.rglob("*") if file.is_file()}
    assert names == {
        "config.yaml", "latency.json", "questions.json", "report.html", "subsets.json",
        "trec/qrels.txt", "trec/run.txt", "documents.json", "provenance.json",
    }  # fmt: skip
    logged = json.loads(run.data.tags["mlflow.loggedArtifacts"])
    assert {entry["path"] for entry in logged} == {
        "questions.json", "subsets.json", "documents.json", "latency.json",
    }  # fmt: skip


def test_pictures_are_drawn_where_they_are_asked_for(tmp_path):
    desk = Desk(tmp_path)
    run = desk.evaluate("+retriever=bm25", "tracking.plots=true")
    for name in ("hit_rate_at_1", "target_ranks"):
        assert desk.file(run, f"plots/{name}.png").read_bytes().startswith(b"\x89PNG")


def test_the_table_of_questions_has_a_row_each_and_no_held_out_one(twice):
    rows = {row["id"]: row for row in table(runs(twice[0])[0], "questions.json")}
    assert set(rows) == {"leave", "carry", "pump", "band", "denied", "nothing"}
    assert rows["pump"]["target_rank"] == 1
    assert rows["denied"]["recall"] is None
    assert rows["denied"]["denied_pass"] == 1.0
    assert rows["pump"]["window"][0].startswith("pump#0-")


def test_the_same_command_twice_gives_the_same_rankings_measures_and_fingerprints(twice):
    first, second = runs(twice[0])
    assert table(first, "questions.json") == table(second, "questions.json")
    assert table(first, "subsets.json") == table(second, "subsets.json")
    for tag in ("rageval.benchmark", "rageval.variant"):
        assert first.data.tags[tag] == second.data.tags[tag]
    measures = [
        {key: value for key, value in run.data.metrics.items() if not key.startswith("latency")}
        for run in (first, second)
    ]
    assert measures[0] == measures[1]


def test_the_last_line_says_how_to_open_the_run(twice):
    folder, (done, _) = twice
    assert runs(folder)[0].info.run_id in done.out
    opening, gating = done.out.splitlines()[-2:]
    assert opening.startswith("next: mlflow ui --backend-store-uri sqlite:///mlruns/mlflow.db")
    assert gating.split()[:4] == ["python", "-m", "rageval", "gate"]
    assert done.err == ""


@pytest.mark.thorough
def test_several_processes_on_a_fresh_store_lose_no_run(tmp_path, tiny, program):
    words = ["+retriever=bm25", *tiny, "latency.sample=0"]
    started = [program.start(tmp_path, *words) for _ in range(3)]
    told = [process.communicate()[1] for process in started]
    assert [process.returncode for process in started] == [0, 0, 0], told
    assert [run.info.status for run in runs(tmp_path)] == ["FINISHED"] * 3


@pytest.mark.thorough
def test_an_evaluation_that_breaks_leaves_a_failed_run(tmp_path, tiny, program):
    (tmp_path / "broken.py").write_text(
        "class Broken:\n"
        "    def index(self, passages):\n"
        "        raise ConnectionError('gone')\n"
        "    def retrieve(self, question, limit, groups):\n"
        "        return []\n"
    )
    said = program.run(tmp_path, "+retriever=custom", "retriever._target_=broken.Broken", *tiny)
    assert said.code == 4
    assert [run.info.status for run in runs(tmp_path)] == ["FAILED"]


def test_the_store_is_tracking_uri_then_the_environment_then_sqlite_below_the_root(tmp_path):
    def config(uri):
        return TrackingConfig(enabled=True, uri=uri, experiment="e", root=str(tmp_path))

    environment = {"MLFLOW_TRACKING_URI": "http://server"}
    assert locate(config("sqlite:////a/b.db"), environment).uri == "sqlite:////a/b.db"
    assert locate(config(None), environment).uri == "http://server"
    assert locate(config(None), {}).uri == f"sqlite:///{tmp_path / 'mlflow.db'}"


def test_what_would_hijack_the_run_is_ignored_with_a_sentence():
    found = ignored({"MLFLOW_RUN_ID": "x", "MLFLOW_EXPERIMENT_NAME": "y", "MLFLOW_OTHER": "z"})
    assert [sentence.split()[0] for sentence in found] == [
        "MLFLOW_RUN_ID", "MLFLOW_EXPERIMENT_NAME",
    ]  # fmt: skip


@pytest.mark.parametrize("subset", ["tag.a/b", "class.größer", "tag.x-x2d-y", "tag.=@%", "tag.-x-"])
def test_metric_keys_name_the_subset_both_ways(subset):
    key = metric_key(subset, "mrr")
    assert set(key) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. /")
    assert subset_and_measure(key) == (subset, "mrr")


def test_ctrl_c_during_a_call_of_the_store_waits_for_its_end():
    # Half a transaction would keep sqlite locked for the very process that must write how it ended.
    class Slow:
        ended = False

        def create_run(self):
            signal.raise_signal(signal.SIGINT)
            self.ended = True

    store = Slow()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in background jobs
    try:
        with pytest.raises(KeyboardInterrupt):
            Client(store, "here").create_run()
        assert store.ended
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("experiment", ["one", "two", "three", "four"])
def test_the_first_runs_of_an_experiment_may_be_written_at_once(tmp_path, experiment):
    # MLflow itself refuses all but one of them: it looks for the dataset and then adds it.
    config = TrackingConfig(enabled=True, uri=None, experiment=experiment, root=str(tmp_path))
    store = open_store(locate(config, {}), experiment)
    inputs = [Dataset(name, "d" * 32, "here", name, {}) for name in ("corpus", "questions")]
    record = Record(params={}, metrics={}, tags={}, datasets=inputs, files={})
    ready, faults = threading.Barrier(6), []

    def make():
        try:
            with running(store, "at once") as run:
                ready.wait()
                write(store, run, record)
        except UnreachableError as fault:
            faults.append(fault)

    threads = [threading.Thread(target=make) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    found = store.client.search_runs([store.experiment])
    assert [len(run.inputs.dataset_inputs) for run in found] == [2] * 6


def at_once(act, times=6):
    """Do something in several threads that begin together; return what came of each."""
    ready, found = threading.Barrier(times), []

    def run():
        ready.wait()
        try:
            found.append(act())
        except (UnreachableError, MlflowException) as fault:
            found.append(fault)

    threads = [threading.Thread(target=run) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_an_experiment_that_somebody_makes_at_the_same_time_is_theirs_and_ours(tmp_path):
    config = TrackingConfig(enabled=True, uri=None, experiment="first", root=str(tmp_path))
    store = open_store(locate(config, {}), "first")
    found = at_once(lambda: store.beside("second").experiment)
    assert len(found) == 6
    assert len(set(found)) == 1


def test_a_model_that_somebody_registers_at_the_same_time_is_theirs_and_ours(tmp_path):
    config = TrackingConfig(enabled=True, uri=None, experiment="first", root=str(tmp_path))
    store = open_store(locate(config, {}), "first")
    assert at_once(lambda: make_model(store, "m")) == [None] * 6
    assert store.client.get_registered_model("m").name == "m"


SYNONYMS = """
class Long:
    def __init__(self, synonyms):
        self.synonyms = synonyms

    def retrieve(self, question, limit, groups):
        return []
"""


def test_keys_that_mlflow_refuses_do_not_lose_the_run(typed, tiny, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "long_keys.py").write_text(SYNONYMS)
    folder = tmp_path / "my" / "retriever"
    folder.mkdir(parents=True)
    keys = ["title^3", "title-x5e-3", "a@b", "x" * 300, "x" * 299 + "y", "a//b", "../up"]
    lines = "".join(f"  {json.dumps(key)}: [a]\n" for key in keys)
    (folder / "boost.yaml").write_text(f"_target_: long_keys.Long\nsynonyms:\n{lines}")
    said = typed("--config-dir=my", "+retriever=boost", *tiny, "latency.sample=0")
    assert said.code == 0, said.err
    client = MlflowClient(f"sqlite:///{tmp_path}/mlruns/mlflow.db")
    known = [found.experiment_id for found in client.search_experiments()]
    (run,) = client.search_runs(known)
    logged = [key for key in run.data.params if key.startswith("retriever.synonyms")]
    assert (run.info.status, len(logged)) == ("FINISHED", len(keys))
    assert "retriever.synonyms.title-x5e-3" in logged

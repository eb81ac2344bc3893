"""A folder with its tracking store, and commands typed in it one after the other."""

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from conftest import Said

import rageval
from rageval.cli.main import run_command

DATA = Path(__file__).parent / "data" / "tiny"
TINY = (
    "dataset=markdown",
    f"dataset.path={DATA / 'documents'}",
    f"dataset.questions={DATA / 'golden.yaml'}",
    f"dataset.askers={DATA / 'access.yaml'}",
    "dataset.split.lock=split.lock",
    "dataset.name=tiny",
)
LOCAL = tuple(word.replace(str(DATA), "tiny") for word in TINY)  # of a copy in the desk's folder
QUICK = ("encoder.dimensions=4", "latency.sample=0", "output.questions=none")


@contextlib.contextmanager
def _unset(prefix):
    """Take away the variables that would choose a store; MLflow's own calls leave some behind."""
    taken = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(prefix)}
    try:
        yield
    finally:
        os.environ.update(taken)


_KILLED = """
import os, signal, sys
from rageval.cli.main import run_command
from rageval.registry import promotion

where, name = promotion, sys.argv.pop(1)
if name.startswith("Claim."):
    where, name = promotion.Claim, name.removeprefix("Claim.")
setattr(where, name, lambda *words: os.kill(os.getpid(), signal.SIGKILL))
words, sys.argv = sys.argv[1:], ["rageval"]
sys.exit(run_command(words))
"""


def killed(desk, run, step):
    """Let a program of its own promote a run, and kill it as it begins a step."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("MLFLOW_")}
    words = ["promote", f"gate.run={run}", "dataset.name=tiny", "holdout.budget=1000"]
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, step, *words, *desk.store],
        cwd=desk.folder, capture_output=True, text=True, check=False,
        env={**clean, "PYTHONPATH": str(Path(rageval.__file__).parents[1])},
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL, done


class Desk:
    """Where the commands of a test are typed, in this process."""

    def __init__(self, folder, uri=None):
        self.folder = folder
        self.uri = uri or f"sqlite:///{folder / 'mlruns' / 'mlflow.db'}"
        self.store = () if uri is None else (f"tracking.uri={uri}",)

    def type(self, *words) -> Said:
        """Type one command line."""
        out, err = io.StringIO(), io.StringIO()
        argv = sys.argv
        sys.argv = ["rageval"]
        try:
            with (
                contextlib.chdir(self.folder),
                contextlib.redirect_stdout(out),
                contextlib.redirect_stderr(err),
                _unset("MLFLOW_"),
            ):
                code = run_command([*words, *self.store])
        finally:
            sys.argv = argv
        return Said(code, out.getvalue(), err.getvalue())

    def evaluate(self, *words, dataset=TINY) -> str:
        """Make a run and return its id."""
        said = self.type(*words, *dataset, *QUICK)
        found = re.search(r"^run ([0-9a-f]{32}) in experiment", said.out, re.M)
        assert found, said
        return found[1]

    def gate(self, run, *words) -> Said:
        """Gate a run."""
        return self.type("gate", f"gate.run={run}", self._set_of(run), *words)

    def promote(self, run, *words) -> Said:
        """Promote a run."""
        many = "holdout.budget=1000"  # tests promote more often than a quarter allows
        return self.type("promote", f"gate.run={run}", self._set_of(run), many, *words)

    def _set_of(self, run):
        """Name the set of a run, as the command line must; of an unknown run the tiny set."""
        from mlflow.exceptions import MlflowException

        try:
            tags = self.client.get_run(run).data.tags
        except MlflowException:
            tags = {}
        return f"dataset.name={tags.get('rageval.set', 'tiny')}"

    @property
    def client(self):
        """MLflow's own client of the store."""
        from mlflow import MlflowClient

        return MlflowClient(self.uri)

    def load(self, name, **config):
        """Load a champion as a service does; MLflow's own choice of a store is put back after."""
        import mlflow

        try:
            mlflow.set_tracking_uri(self.uri)
            return mlflow.pyfunc.load_model(f"models:/{name}@champion", model_config=config)
        finally:
            mlflow.set_tracking_uri(None)
            os.environ.pop("MLFLOW_TRACKING_URI", None)

    def aliases(self, model) -> dict[str, str]:
        """Return alias → version."""
        found = self.client.get_registered_model(model).aliases
        return {alias: str(version) for alias, version in found.items()}

    def history(self, model) -> list[dict]:
        """Return the promotion history as it is kept on the model."""
        tags = self.client.get_registered_model(model).tags
        return [json.loads(tags[key]) for key in sorted(tags) if key.startswith("promotion.")]

    def verdict(self, run) -> dict:
        """Return the verdict kept with a run."""
        return json.loads(self.file(run, "gate/verdict.json").read_text())

    def file(self, run, path) -> Path:
        """Return where an artifact of a run lies, in a store of files."""
        uri = self.client.get_run(run).info.artifact_uri
        return Path(uri.removeprefix("file://")) / path

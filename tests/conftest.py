"""What several tests share."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# pytest -n has a process for each core already; numpy reads this when it is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import rageval
from rageval.cli.main import run_command

# How long an example takes says how busy the machine is, and nothing of the code.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")


@pytest.fixture
def realdata() -> Path:
    """The folder of the public collections; a test that needs it is skipped without."""
    folder = os.environ.get("RAGEVAL_TEST_DATA")
    if not folder:
        pytest.skip("RAGEVAL_TEST_DATA does not name the folder of the public collections")
    return Path(folder)


@pytest.fixture(autouse=True)
def own_modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Unload the modules that a test wrote, so that the next test's module of that name is read."""
    path = list(sys.path)
    yield
    written = str(tmp_path_factory.getbasetemp())
    for name, module in list(sys.modules.items()):
        places = [getattr(module, "__file__", None) or "", *getattr(module, "__path__", ())]
        if any(str(place).startswith(written) for place in places):
            del sys.modules[name]
    sys.path[:] = path
    importlib.invalidate_caches()


@dataclass(frozen=True)
class Said:
    """What a command line answered."""

    code: int
    out: str
    err: str


@pytest.fixture
def tiny() -> list[str]:
    """The overrides that choose the five documents in tests/data/tiny."""
    folder = Path(__file__).parent / "data" / "tiny"
    return [
        "dataset=markdown",
        f"dataset.path={folder / 'documents'}",
        f"dataset.questions={folder / 'golden.yaml'}",
        f"dataset.askers={folder / 'access.yaml'}",
        "dataset.split.lock=split.lock",
    ]


@pytest.fixture
def typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Said]:
    """Type a command line in an empty folder, in this process."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("MLFLOW_", "HYDRA_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(sys, "argv", ["rageval"])

    def enter_words(*words: str) -> Said:
        capsys.readouterr()
        code = run_command(list(words))
        said = capsys.readouterr()
        return Said(code, said.out, said.err)

    return enter_words


def interruptible() -> None:
    """Let this process end by Ctrl-C and SIGTERM, which a background job inherits as ignored."""
    ends = {signal.SIGINT, signal.SIGTERM}
    for number in ends:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ends)


class Program:
    """`python -m rageval` as a process of its own, as a user's shell would start it."""

    @property
    def environment(self) -> dict[str, str]:
        """The environment without what would choose a store, and with this rageval found first."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("MLFLOW_", "HYDRA_"))}
        return {**clean, "PYTHONPATH": str(Path(rageval.__file__).parents[1])}

    def start(self, folder: Path, *words: str) -> subprocess.Popen[str]:
        """Start it without waiting."""
        return subprocess.Popen(
            [sys.executable, "-m", "rageval", *words],
            cwd=folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=interruptible,
        )

    def interrupted(self, process: subprocess.Popen[str], folder: Path, begun: str) -> Said:
        """Press Ctrl-C as soon as a file says that it is at work, and return what it answered."""
        end = time.monotonic() + 120
        while not list(folder.glob(begun)) and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        return Said(process.returncode, out, err)

    def run(self, folder: Path, *words: str) -> Said:
        """Run it to its end."""
        process = self.start(folder, *words)
        out, err = process.communicate()
        return Said(process.returncode, out, err)


@pytest.fixture(scope="session")
def program() -> Program:
    """The program as a process."""
    return Program()

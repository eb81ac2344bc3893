"""The CI examples run as they stand: their commands, in their order, in a shell."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
import yaml
from desk import Desk

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[1]
CI = ROOT / "examples" / "ci"


def commands(file, job):
    """Return the shell commands of a job, without the installation."""
    content = yaml.safe_load((CI / file).read_text(encoding="utf-8"))
    if "jobs" in content:
        found = [step["run"] for step in content["jobs"][job]["steps"] if "run" in step]
    else:
        found = content[job]["script"]
    return [command for command in found if "pip install" not in command]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a store that has a champion, and the champion as a file."""
    desk = Desk(tmp_path_factory.mktemp("ci"))
    quick = ("output.questions=none", "latency.sample=0")
    assert desk.type("+retriever=hybrid", *quick).code == 0
    assert desk.type("promote", "run=latest", "threshold=handbook").code == 0
    assert desk.type("report", "run=champion", "format=baseline").code == 0
    return desk


def shell(folder, program, lines, **environment):
    """Run commands in one shell that stops at the first failure, as CI does."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-e", "-c", "\n".join(lines)],
        cwd=folder,
        env={**program.environment, "PATH": path, **environment},
        capture_output=True,
        text=True,
    )


def test_the_github_job_gates_and_promotes_against_the_store(place, program):
    summary = place.folder / "summary.md"
    done = shell(
        place.folder, program, commands("github-actions.yml", "against-the-registry"),
        MLFLOW_TRACKING_URI=place.uri, GITHUB_STEP_SUMMARY=str(summary), GITHUB_SHA="c0ffee",
    )  # fmt: skip
    assert done.returncode == 0, done
    assert summary.read_text().startswith("### ✅ gate PASSED: handbook, hybrid")
    assert place.history("rageval-handbook")[-1]["reason"] == "commit-c0ffee"
    assert place.aliases("rageval-handbook") == {"champion": "2", "previous": "1"}
    assert Xml.parse(place.folder / "verdict" / "junit.xml").getroot().tag == "testsuites"


def test_the_gitlab_job_gates_against_the_committed_file_without_a_store(place, program, tmp_path):
    baseline = (place.folder / "baseline.json").read_bytes()
    (tmp_path / "baseline.json").write_bytes(baseline)
    done = shell(tmp_path, program, commands("gitlab-ci.yml", "against-a-file"))
    assert done.returncode == 0, done
    assert "gate PASSED: handbook, hybrid" in done.stdout
    (tmp_path / "baseline.json").write_bytes(baseline.replace(b"tra-001", b"tra-999"))
    worse = shell(tmp_path, program, commands("gitlab-ci.yml", "against-a-file")[-1:])
    assert (worse.returncode, "was altered since it was exported" in worse.stderr) == (3, True)


def test_both_systems_are_given_the_same_commands():
    def of(file, job):
        return [
            " ".join(line.split())
            for command in commands(file, job)
            for line in command.splitlines()
            if line.strip().startswith("python -m rageval") and "reason=" not in line
        ]

    for job in ("against-the-registry", "against-a-file"):
        assert of("github-actions.yml", job) == of("gitlab-ci.yml", job)


@pytest.mark.parametrize(
    "script",
    ["regression_gate.py", "promote.py"],
)
def test_the_scripts_are_thin_doors_to_the_verbs(place, program, script):
    file = ROOT / "scripts" / script
    assert len(file.read_text().splitlines()) <= 25
    done = subprocess.run(
        [sys.executable, file, "gate.run=00000000000000000000000000000000"],
        cwd=place.folder, env=program.environment, capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, "is not in sqlite:///mlruns/mlflow.db" in done.stderr) == (2, True)

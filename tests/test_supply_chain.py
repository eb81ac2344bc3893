"""The lock file, the bill of materials, and what is sent to nobody."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from conftest import interruptible
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]


def locked():
    rows = (ROOT / "requirements.lock").read_text().split()
    return {canonicalize_name(name): version for name, version in (r.split("==") for r in rows)}


def test_the_lock_holds_every_dependency_in_its_bounds():
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    for requirement in map(Requirement, asked):
        version = locked()[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version, prereleases=True), requirement


def test_the_bill_of_materials_is_that_of_the_lock_and_names_no_machine():
    text = (ROOT / "sbom.cdx.json").read_text()
    parts = {
        canonicalize_name(part["name"]): part["version"] for part in json.loads(text)["components"]
    }
    missing = {name: v for name, v in locked().items() if parts.get(name) != v}
    assert missing == {}
    assert re.search(r"file:|/home/|/root/|/tmp/", text) is None


def test_the_version_is_stated_once():
    from rageval.version import __version__

    stated = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert __version__ == stated


SPY = """
import sys
def note(event, words):
    address = words[1] if event == "socket.connect" else None
    if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1"):
        sys.stderr.write(f"CONNECTED {words[1]}\\n")
    if event == "socket.getaddrinfo" and words[0] not in ("127.0.0.1", "localhost", "", None):
        sys.stderr.write(f"LOOKED UP {words[0]}\\n")
sys.addaudithook(note)
from rageval.__main__ import main
sys.argv = ["rageval", *sys.argv[1:]]
main()
"""


def test_nothing_is_sent_to_anybody(program, tmp_path, tiny):
    for words in (["+retriever=bm25", "latency.sample=0", *tiny], ["gate", "dataset.name=tiny"]):
        done = subprocess.run(
            [sys.executable, "-c", SPY, *words],
            cwd=tmp_path,
            env=program.environment,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=interruptible,
        )
        assert "CONNECTED" not in done.stderr, done.stderr
        assert "LOOKED UP" not in done.stderr, done.stderr
        assert done.returncode == 0, done

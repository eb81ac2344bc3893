"""Help is quick because it loads nothing that only an evaluation needs."""

import subprocess
import sys

import pytest

HEAVY = (
    "mlflow", "sklearn", "scipy", "numpy", "pandas", "matplotlib", "hydra", "omegaconf", "pydantic",
    "bm25s",
)  # fmt: skip
CODE = """
import sys
from rageval.cli.main import run_command
try:
    run_command(sys.argv[1:])
finally:
    print("loaded:", *sorted({name.partition(".")[0] for name in sys.modules}))
"""


@pytest.mark.parametrize("words", [["--help"], ["evaluate", "--help"], ["check", "--help"]])
def test_help_loads_none_of_the_heavy_libraries(words):
    ended = subprocess.run(
        [sys.executable, "-c", CODE, *words], capture_output=True, text=True, check=True
    )
    loaded = set(ended.stdout.splitlines()[-1].split())
    assert "rageval" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_showing_the_composed_configuration_loads_no_library_of_an_evaluation():
    ended = subprocess.run(
        [sys.executable, "-c", CODE, "+retriever=hybrid", "--cfg", "job"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(ended.stdout.splitlines()[-1].split())
    assert "hydra" in loaded
    assert loaded.isdisjoint({"mlflow", "sklearn", "matplotlib", "bm25s"})

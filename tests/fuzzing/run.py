"""Running the cases of a target, by hypothesis or guided by coverage."""

from __future__ import annotations

import contextlib
import io
import shutil
import sys
import tempfile
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fuzzing.mutations import CHANGES, TOKENS, damaged
from fuzzing.seeds import write_seeds
from fuzzing.targets import TARGETS
from rageval.cli.commands import COMMANDS
from rageval.errors import RagevalError

CLI = "command line"
TARGETS_AND_CLI = (*TARGETS, CLI)
_COMMANDS = (*COMMANDS,)
_KEYS = (
    "retriever", "+retriever", "retriever.k1", "window.k", "window.min_score", "chunking",
    "chunking.size", "dataset.path", "dataset", "threshold.floors.all.recall", "gate.run", "run",
    "+secrets.a", "tracking", "limits.cells", "measures.hit_at", "++x.y", "~retriever",
    "hydra.run.dir", "--cfg", "variant.tag", "sweep.objective", "run.notes",
)  # fmt: skip
_VALUES = (
    "bm25", "hybrid", "", "null", "[]", "{}", "[1,2]", "1", "-1", "nan", "1e999", "${oc.env:HOME}",
    "${window.k}", "'", '"', "a,b", "range(1,3)", "job", "\x00", "é", "x" * 500, "{a:b}", "???",
    "${", "off", "[1,",
)  # fmt: skip
WORDS = st.lists(
    st.one_of(
        st.builds("{}={}".format, st.sampled_from(_KEYS), st.sampled_from(_VALUES)),
        st.sampled_from(_COMMANDS),
        st.sampled_from(_KEYS),
        st.text(st.characters(codec="utf-8"), max_size=12),
        st.sampled_from(TOKENS).map(lambda token: token.decode("utf-8", "replace")),
    ),
    max_size=5,
)


@dataclass(frozen=True)
class Count:
    """What became of the cases of a target."""

    cases: int
    read: int
    refused: int
    failure: str | None  # the smallest case that was neither, with its traceback


def fuzz(name: str, cases: int) -> Count:
    """Run cases of a target; each is to be read, or refused with a sentence."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        attempt = _command if name == CLI else _Files(Path(folder), name).attempt
        return _counted(
            attempt, WORDS if name == CLI else st.tuples(st.integers(0, 9), CHANGES), cases
        )


def _counted(attempt, strategy, cases: int) -> Count:
    counts = {True: 0, False: 0}

    @settings(
        max_examples=cases, deadline=None, database=None, derandomize=True,
        phases=(Phase.generate, Phase.shrink), suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(strategy)
    def run(case):
        counts[attempt(case)] += 1

    failure = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run()
    except Exception:
        failure = traceback.format_exc()
    return Count(sum(counts.values()), counts[True], counts[False], failure)


class _Files:
    """The seeds of a target in a folder, of which a case damages one."""

    def __init__(self, root: Path, name: str) -> None:
        self.root, self.target = root, TARGETS[name]
        write_seeds(root)
        self.files: list[Path] = []
        for file in self.target.files:
            found = root / file
            self.files += [found] if found.is_file() else sorted(found.rglob("*.*"))
        self.seeds = [file.read_bytes() for file in self.files]

    def attempt(self, case) -> bool:
        """Read one damaged file; return whether it was read."""
        number, changes = case
        place = number % len(self.files)
        return self.read(place, damaged(self.seeds[place], changes))

    def read(self, place: int, content: bytes) -> bool:
        """Read a file with other content, and put it back."""
        self.files[place].write_bytes(content)
        try:
            self.target.read(self.root)
        except RagevalError as fault:
            assert str(fault).strip(), "an empty sentence"
            return False
        finally:
            self.files[place].write_bytes(self.seeds[place])
        return True


def _command(words) -> bool:
    """Type a command line in an empty folder; return whether it ended with 0."""
    from desk import Desk

    here = Path.cwd()
    with contextlib.redirect_stdout(io.StringIO()):
        said = (
            Desk(here).type(*words, "tracking=off")
            if words[:1] == ["evaluate"]
            else Desk(here).type(*words)
        )
    for path in here.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert said.code in (0, 1, 2, 3, 4), said
    assert "Traceback" not in said.out + said.err, said
    assert said.code == 0 or (said.out + said.err).strip(), "refused without a sentence"
    return said.code == 0


def guided(name: str, cases: int) -> None:
    """Let atheris choose the bytes of a target's first file; ends the program."""
    import atheris

    folder = Path(tempfile.mkdtemp())
    files = _Files(folder, name)
    atheris.instrument_all()

    def one(content: bytes) -> None:
        files.read(0, content)

    corpus = folder / "corpus"
    corpus.mkdir()
    (corpus / "seed").write_bytes(files.seeds[0])
    atheris.Setup([sys.argv[0], str(corpus), f"-runs={cases}", "-max_len=20000"], one)
    atheris.Fuzz()

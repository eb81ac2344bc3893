"""The pytest plugin: `pytest --rageval golden.yaml`, and the fixture `rageval_evaluate`.

Every pytest that runs where rageval is installed loads this module, so it imports nothing heavy.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from rageval.comparison.result import Result
    from rageval.testing.measuring import Measurement

_MARK = "rageval"
_HELP = "a golden set whose questions, and the gate, become tests"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, and the settings that stand for them in a file."""
    group = parser.getgroup("rageval", "rageval: retrieval")
    group.addoption("--rageval", action="append", default=[], metavar="FILE", help=_HELP)
    group.addoption(
        "--rageval-with",
        action="append",
        default=[],
        metavar="SETTINGS",
        help="settings as on rageval's command line, such as 'retriever=hybrid window.k=8'",
    )
    group.addoption(
        "--rageval-baseline",
        metavar="FILE",
        help="baseline.json: a question fails only if it regressed against it",
    )
    parser.addini("rageval_with", "settings of every rageval set", type="linelist", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark, and collect the golden sets that are named."""
    config.addinivalue_line("markers", f"{_MARK}: a question of a golden set, or its gate")
    for name in _files(config):
        if not name.is_file():
            raise pytest.UsageError(f"--rageval: {name}: there is no such file")
        if str(name) not in config.args:
            config.args.append(str(name))


def _files(config: pytest.Config) -> list[Path]:
    return [(config.invocation_params.dir / name).resolve() for name in config.option.rageval]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a golden set that was named."""
    if file_path.resolve() not in _files(parent.config):
        return None
    found: pytest.Collector = GoldenSetFile.from_parent(parent, path=file_path)
    return found


class GoldenSetFile(pytest.File):
    """A golden set: a test for each question, and one for the gate."""

    def collect(self) -> Iterator[pytest.Item]:
        """Measure the set once in this process and yield its tests."""
        from rageval.errors import RagevalError
        from rageval.testing.measuring import measure_file

        config = self.config
        settings = [word for line in config.getini("rageval_with") for word in shlex.split(line)]
        settings += [word for line in config.option.rageval_with for word in shlex.split(line)]
        baseline = config.option.rageval_baseline
        try:
            found = measure_file(self.path, settings, baseline and Path(baseline))
        except RagevalError as fault:
            raise self.CollectError(str(fault)) from fault
        for name in found.result.rows:
            item = QuestionItem.from_parent(self, name=name)
            item.measured = found
            for subset in found.result.rows[name].subsets:
                item.add_marker(_mark(config, subset))
            item.add_marker(_MARK)
            yield item
        gate = GateItem.from_parent(self, name="gate")
        gate.measured = found
        gate.add_marker(_MARK)
        yield gate


def _mark(config: pytest.Config, subset: str) -> Any:  # noqa: ANN401  a MarkDecorator
    """Return the mark of a subset: `tag.negation` is `-m tag_negation`."""
    name = re.sub(r"\W", "_", subset)
    config.addinivalue_line("markers", f"{name}: questions of the subset {subset}")
    return getattr(pytest.mark, name)


class LostError(Exception):
    """What to say of a question or a gate that failed."""


class _Item(pytest.Item):
    measured: Measurement

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:  # noqa: ANN401  pytest's own types
        """Return the failure in words; a traceback of ours would say nothing."""
        if isinstance(excinfo.value, LostError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return where the question stands."""
        return self.path, None, f"{self.path.name}: {self.name}"


class QuestionItem(_Item):
    """One question."""

    def runtest(self) -> None:
        """Fail if nothing that was looked for came back, or, with a baseline, if it regressed."""
        if self.measured.trial:
            pytest.skip("a draft: confirm it by deleting its line `draft: true`")
        state = self.measured.state_of(self.name)
        if state == "missed in the baseline, too":
            pytest.xfail(self.measured.diagnosis_of(self.name))
        if state:
            raise LostError(self.measured.told(self.name, state))


class GateItem(_Item):
    """The gate of the set: floors, errors, leaks, and drops against a baseline."""

    def runtest(self) -> None:
        """Fail if a limit was not kept."""
        lost = self.measured.broken_limits()
        if lost:
            raise LostError("\n".join(lost))


@pytest.fixture(scope="session")
def rageval_evaluate() -> Callable[..., Result]:
    """Return a function that evaluates: settings as on the command line → the result.

    Examples
    --------
    ::

        def test_negation_is_understood(rageval_evaluate):
            found = rageval_evaluate("retriever=hybrid", "dataset=docs", "--config-dir=conf")
            total, n = found.mean("tag.negation", "recall")
            assert total / n >= 0.8
    """
    from rageval.testing.measuring import measure

    return lambda *settings: measure(settings).result

"""A program of any language that answers questions on its standard input and output."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import IO, Any, ClassVar

from pydantic import Field

from rageval.errors import InputError
from rageval.retrieval.adapters.payload import require_passages
from rageval.retrieval.retrievers.foreign import Passage
from rageval.schema.fields import Flag, Name, Positive, component

_KEPT = 5  # last lines of standard error in a message
_SHOWN = 200  # characters of an answer that is an error
_ENDING = 5.0  # seconds that a program has to end after its input has


class CommandError(Exception):
    """A program that ended, hung or answered what cannot be read."""


@component
class Command:
    r"""Starts a program once, and writes a line of JSON a question to its standard input.

    The line is `{"question": …, "limit": …, "groups": […]}`. The answer is one line, too: a list
    of hits, or `{"hits": […]}`, or `{"error": "why"}` for a question that failed. With
    `index.build=true` the program first gets a line `{"passage": {"id": …, "document": …,
    "text": …, "groups": […]}}` for each passage and then `{"passages": n}`, which it answers with
    any line. It should end when its input does.

    Parameters
    ----------
    command
        The program and its arguments; no shell reads them.
    build
        Whether the program is given our chunks.
    timeout
        Seconds that an answer may take. A program that is late is ended, and started again for the
        next question.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ()
    unseen: ClassVar[str] = "what the program of retriever.command answers"

    command: tuple[Name, ...] = Field(min_length=1)
    build: Flag = False
    timeout: Positive = 60.0

    def index(self, passages: list[Passage]) -> None:
        """Start the program, and give it the passages if it is to index them.

        Raises
        ------
        InputError
            If it cannot be started, or does not take the passages.
        """
        if self.build:
            require_passages(passages)
        try:
            self._running.start(passages if self.build else [])
        except CommandError as fault:
            raise InputError(f"retriever.command: {self.command[0]}: {fault}") from fault

    def retrieve(self, question: str, limit: int, groups: frozenset[str]) -> list[Any]:
        """Return the hits of one question.

        Raises
        ------
        CommandError
            If the program ends, does not answer in time, or answers what is no list of hits.
        """
        asked = {"question": question, "limit": limit, "groups": sorted(groups)}
        answer = self._running.ask(asked)
        if isinstance(answer, dict) and "error" in answer:
            raise CommandError(str(answer["error"]))
        found = answer.get("hits") if isinstance(answer, dict) else answer
        if not isinstance(found, list):
            raise CommandError(f"answered {answer!r}, not a list of hits")
        return [_hit(entry) for entry in found]

    @cached_property
    def _running(self) -> _Running:
        return _Running(self.command, self.timeout)


class _Running:
    """The program as it runs now; one that broke is started again for the next question."""

    def __init__(self, command: Sequence[str], timeout: float) -> None:
        self._command, self._timeout = command, timeout
        self._passages: Sequence[Passage] = ()
        self._program: _Program | None = None

    def start(self, passages: Sequence[Passage]) -> None:
        """Start the program with passages to index, which may be none."""
        self._passages = passages
        self._program = self._started()

    def ask(self, line: object) -> Any:  # noqa: ANN401  any JSON value
        """Return the answer to a line."""
        program = self._program or self._started()
        self._program = None
        try:
            answer = program.ask(line)
        except CommandError:
            program.end()
            raise
        self._program = program
        return answer

    def _started(self) -> _Program:
        program = _Program(self._command, self._timeout)
        for passage in self._passages:
            row = {"id": passage.id, "document": passage.document, "text": passage.text}
            program.tell({"passage": {**row, "groups": sorted(passage.groups)}})
        if self._passages:
            program.ask({"passages": len(self._passages)})
        return program


def _hit(entry: Any) -> Any:  # noqa: ANN401  any JSON value
    """Return an entry as a hit: JSON has lists where Python has tuples."""
    return tuple(_hit(part) for part in entry) if isinstance(entry, list) else entry


class _Program:
    """A running program; its output is read by a thread, so that it can be late."""

    def __init__(self, command: Sequence[str], timeout: float) -> None:
        self._timeout = timeout
        try:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as fault:
            raise CommandError(f"cannot be started: {fault.strerror or fault}") from fault
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._said: deque[str] = deque(maxlen=_KEPT)
        # They know the pipes and not this object, so that it can end when nobody needs it.
        self._threads = [
            threading.Thread(target=_read_output, args=(self._process, self._lines), daemon=True),
            threading.Thread(target=_read_errors, args=(self._process, self._said), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def tell(self, line: object) -> None:
        """Write a line of JSON."""
        try:
            if self._process.stdin is not None:
                self._process.stdin.write(json.dumps(line, ensure_ascii=False) + "\n")
                self._process.stdin.flush()
        except OSError:
            raise CommandError(self._ended()) from None

    def ask(self, line: object) -> Any:  # noqa: ANN401  any JSON value
        """Write a line of JSON and return the one that answers it."""
        self.tell(line)
        try:
            answer = self._lines.get(timeout=self._timeout)
        except queue.Empty:
            raise CommandError(
                f"no answer within {self._timeout:g} s (retriever.timeout)"
            ) from None
        if answer is None:
            raise CommandError(self._ended())
        try:
            return json.loads(answer)
        except ValueError:
            raise CommandError(
                f"answered a line that is no JSON: {answer.strip()[:200]!r}"
            ) from None

    def end(self) -> None:
        """End the program at once: it is late or broken."""
        self._process.kill()
        self._close()

    def __del__(self) -> None:
        if not hasattr(self, "_threads"):
            return  # it was never started
        self._shut(self._process.stdin)
        try:
            self._process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._close()

    def _close(self) -> None:
        self._process.wait()
        for thread in self._threads:
            thread.join(1)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            self._shut(pipe)

    @staticmethod
    def _shut(pipe: IO[str] | None) -> None:
        with suppress(OSError):  # what was written last cannot be flushed any more
            if pipe is not None:
                pipe.close()

    def _ended(self) -> str:
        code = self._process.wait()
        self._threads[1].join(1)
        said = f": {' / '.join(self._said)}" if self._said else ""
        return f"ended with {code}{said}"


def _read_output(process: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
    for line in process.stdout or ():
        lines.put(line)
    lines.put(None)


def _read_errors(process: subprocess.Popen[str], said: deque[str]) -> None:
    for line in process.stderr or ():
        if line.strip():
            said.append(line.strip())

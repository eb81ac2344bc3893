"""An evaluation in a terminal: progress, the table, the questions, where it was kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
from rich.segment import Segment
from rich.text import Text

from rageval.comparison.changes import Comparison, Turn
from rageval.comparison.table import Table as Cells
from rageval.escaping.characters import one_line, visible
from rageval.escaping.streams import ClosedOutputError
from rageval.evaluation.evaluation import Evaluation
from rageval.gate.verdict import Outcome, Verdict
from rageval.report.answer import for_people
from rageval.report.comparison import overview, told, verdict_lines
from rageval.report.fitting import Column, fitted
from rageval.report.header import Header
from rageval.report.summary import Row, Sheet

_THIN = 5  # with fewer questions no paired test can tell a loss of them all from chance: 2⁻⁴ > 0.05
_COLOURS = {Outcome.PASSED: "green", Outcome.FAILED: "red", Outcome.INCONCLUSIVE: "yellow"}
_PLAIN_WIDTH = 160  # columns where there is no terminal to fit
_RECORDS = 110  # columns below which a question takes several lines


def console(stream: TextIO | None = None) -> Console:
    """Return a console that is plain and wide enough where its output is not a terminal.

    Where the output is for programs it prints nothing; see `rageval.report.answer`.
    Text is printed as it is: a question or a reason with `[/b]` or `:key:` in it is no markup.
    """
    quiet = not for_people()
    plain = _Console(file=stream, highlight=False, markup=False, emoji=False, quiet=quiet)
    if plain.is_terminal:
        return plain
    return _Console(
        file=stream,
        highlight=False,
        markup=False,
        emoji=False,
        width=_PLAIN_WIDTH,
        color_system=None,
        quiet=quiet,
    )


class _Console(Console):
    """A console on which text is text: control characters in it are shown as their escapes."""

    def on_broken_pipe(self) -> None:
        """Leave it to the way in: rich would end the program with 1, a failed gate."""
        raise ClosedOutputError

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """Yield the pieces to print; our own colours are apart from their text."""
        for piece in super().render(renderable, options):
            yield piece if piece.control else Segment(visible(piece.text), piece.style)


@dataclass(frozen=True)
class Steps:
    """How work reports that it goes on."""

    begin: Callable[[str], None]  # what begins now
    expect: Callable[[int], None]  # how many questions will be asked
    advance: Callable[[int], None]  # so many more are done


@contextmanager
def progress(target: Console) -> Iterator[Steps]:
    """Show what is being done, on a terminal; elsewhere say nothing."""
    if not target.is_terminal:
        yield Steps(lambda what: None, lambda total: None, lambda step: None)
        return
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=target,
        transient=True,
    ) as bar:
        task = bar.add_task("reading", total=None)
        yield Steps(
            begin=lambda what: bar.update(task, description=what),
            expect=lambda total: bar.update(
                task, description="asking questions", total=total, completed=0
            ),
            advance=lambda step: bar.advance(task, step),
        )


def show(target: Console, header: Header, sheet: Sheet) -> None:
    """Print the header, the table of subsets and the lines below it."""
    target.print(Text(header.title, style="bold"))
    target.print(f"{header.size} · {header.provenance}")
    for note in header.notes:
        target.print(Text(f"note: {note}", style="dim"))
    target.print()
    _print(target, _columns(sheet))
    weak = [f"  {row.subset}: {'; '.join(row.weak)}" for row in sheet.rows if row.weak]
    if weak:
        target.print(Text("weak (⚠):\n" + "\n".join(weak), style="yellow"))
    target.print()
    for line in sheet.side:
        target.print(line)


def _print(target: Console, columns: Sequence[Column]) -> None:
    for place, table in enumerate(fitted(columns, target.width)):
        if place:
            target.print()
        target.print(table)


def _columns(sheet: Sheet) -> list[Column]:
    cells = list(zip(*(_cells(row) for row in sheet.rows), strict=True))
    return [
        _text("subset", [row.subset for row in sheet.rows]),
        _text("n", [str(row.questions) for row in sheet.rows], right=True),
        *(
            Column(measure.heading, found)
            for measure, found in zip(sheet.columns, cells, strict=True)
        ),
        replace(_text("", ["⚠" if row.weak else "" for row in sheet.rows]), repeated=True),
    ]


def _text(
    heading: str, cells: Sequence[str], right: bool = False, sentences: bool = False
) -> Column:
    return Column(heading, list(map(Text, cells)), right=right, sentences=sentences)


def _cells(row: Row) -> Iterator[Text]:
    for column, cell in enumerate(row.cells):
        yield Text(cell, style="bold yellow" if column in row.weak_cells else "")


def say(target: Console, line: str) -> None:
    """Print a line that is to be copied: it runs on past the width, nothing breaks it."""
    target.print(Text(line), soft_wrap=True)


def show_questions(
    target: Console, evaluation: Evaluation, rows: Sequence[int], title: str
) -> None:
    """Print questions with their hits and diagnosis: a line each, or three where it is narrow."""
    cutoffs = evaluation.benchmark.cutoffs.hit_at
    found = [_told(evaluation, row) for row in rows]
    target.print()
    target.print(Text(title, style="bold"))
    if target.width < _RECORDS:
        for one in found:
            target.print(Text(one.id, style="bold"), Text(one.hits))
            target.print(Padding(Text(one.text), (0, 0, 0, 3)))
            target.print(Padding(Text(one.diagnosis), (0, 0, 0, 3)))
        return
    marks = list(zip(*(one.marks for one in found), strict=True))
    headings = [*(f"hit@{k}" for k in cutoffs), "mrr"]
    columns = [
        _text("question", [one.id for one in found]),
        _text("", [one.text for one in found], sentences=True),
        *(_text(heading, cells) for heading, cells in zip(headings, marks, strict=True)),
        _text("diagnosis", [one.diagnosis for one in found], sentences=True),
    ]
    _print(target, columns)


@dataclass(frozen=True)
class _Told:
    """A question as it is listed below the table."""

    id: str
    text: str
    marks: tuple[str, ...]  # hit at each cutoff, mrr
    hits: str  # the same with their names
    diagnosis: str


def _told(evaluation: Evaluation, row: int) -> _Told:
    question, cutoffs = evaluation.questions[row], evaluation.benchmark.cutoffs.hit_at
    hits = [_mark(evaluation.values[name].at(row)) for name in evaluation.benchmark.cutoffs.hits]
    mrr = evaluation.values["mrr"].at(row)
    marks = (*hits, "–" if mrr is None else f"{mrr:.2f}")
    names = (*(f"hit@{k}" for k in cutoffs), "mrr")
    return _Told(
        id=one_line(question.id),
        text=one_line(question.text),
        marks=marks,
        hits="  ".join(f"{name} {mark}" for name, mark in zip(names, marks, strict=True)),
        diagnosis=one_line(str(evaluation.diagnoses[row])),
    )


def _mark(value: float | None) -> str:
    return "–" if value is None else ("✓" if value else "✗")


def show_counts(target: Console, counts: Sequence[tuple[str, int, int]]) -> None:
    """Print how many questions each subset has on either side of the split, and what is thin."""
    split = any(holdout for _, _, holdout in counts)  # a set without a holdout is on one side
    thin = [_thin(dev, holdout if split else _THIN) for _, dev, holdout in counts]
    columns = [
        _text("subset", [subset for subset, _, _ in counts]),
        _text("questions", [str(dev + holdout) for _, dev, holdout in counts], right=True),
        _text("dev", [str(dev) for _, dev, _ in counts], right=True),
        _text("holdout", [str(holdout) for _, _, holdout in counts], right=True),
        _text("", [f"thin in {' and '.join(sides)}" if sides else "" for sides in thin]),
    ]
    _print(target, columns)


def _thin(dev: int, holdout: int) -> list[str]:
    return [side for side, n in (("dev", dev), ("holdout", holdout)) if n < _THIN]


def show_verdict(target: Console, verdict: Verdict) -> None:
    """Print a verdict: its limits, and the questions that regressed."""
    first, *rest = verdict_lines(verdict)
    target.print(Text(first, style=f"bold {_COLOURS[verdict.outcome]}"))
    for line in rest:
        target.print(Text(line))
    if verdict.comparison is not None:
        target.print()
        show_comparison(target, verdict.comparison)


def show_comparison(target: Console, comparison: Comparison) -> None:
    """Print a comparison: who improved and regressed, and the regressed ones one by one."""
    for line in overview(comparison, most=None):
        target.print(Text(line))
    for change in comparison.of(Turn.REGRESSED):
        found = told(change)
        target.print()
        target.print(Text(one_line(f"{found.id}  “{found.question}”"), style="bold"))
        for line in (found.values, found.ranks, found.diagnosis):
            target.print(Text(f"   {one_line(line)}"))


def show_table(target: Console, shown: Cells) -> None:
    """Print a table of names and numbers."""
    cells = list(zip(*shown.data, strict=True)) or [()] * len(shown.columns)
    _print(
        target,
        [
            _text(heading, list(map(_shown, found)), right=bool(place))
            for place, (heading, found) in enumerate(zip(shown.columns, cells, strict=True))
        ],
    )


def _shown(cell: object) -> str:
    if cell is None:
        return "–"
    return f"{cell:.2f}" if isinstance(cell, float) else one_line(str(cell))

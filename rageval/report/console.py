"""An evaluation in a terminal: progress, the table, the questions, where it was kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from rageval.comparison.changes import Comparison, Turn
from rageval.escaping.characters import one_line, visible
from rageval.escaping.streams import ClosedOutputError
from rageval.evaluation.evaluation import Evaluation
from rageval.gate.verdict import Outcome, Verdict
from rageval.report.comparison import overview, told, verdict_lines
from rageval.report.header import Header
from rageval.report.summary import Row, Sheet
from rageval.report.tables import Table as Cells

_THIN = 5  # with fewer questions no paired test can tell a loss of them all from chance: 2⁻⁴ > 0.05
_COLOURS = {Outcome.PASSED: "green", Outcome.FAILED: "red", Outcome.INCONCLUSIVE: "yellow"}
_PLAIN_WIDTH = 160  # columns where there is no terminal to fit


def console(stream: TextIO | None = None) -> Console:
    """Return a console that is plain and wide enough where its output is not a terminal.

    Text is printed as it is: a question or a reason with `[/b]` or `:key:` in it is no markup.
    """
    plain = _Console(file=stream, highlight=False, markup=False, emoji=False)
    if plain.is_terminal:
        return plain
    return _Console(
        file=stream,
        highlight=False,
        markup=False,
        emoji=False,
        width=_PLAIN_WIDTH,
        color_system=None,
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
    target.print(_table(sheet))
    weak = [f"  {row.subset}: {'; '.join(row.weak)}" for row in sheet.rows if row.weak]
    if weak:
        target.print(Text("weak (⚠):\n" + "\n".join(weak), style="yellow"))
    target.print()
    for line in sheet.side:
        target.print(line)


def _table(sheet: Sheet) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("subset", no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    for measure in sheet.columns:
        table.add_column(measure.heading, justify="right", no_wrap=True)
    table.add_column("")
    for row in sheet.rows:
        table.add_row(row.subset, str(row.questions), *_cells(row), "⚠" if row.weak else "")
    return table


def _cells(row: Row) -> Iterator[Text]:
    for column, cell in enumerate(row.cells):
        yield Text(cell, style="bold yellow" if column in row.weak_cells else "")


def show_questions(
    target: Console, evaluation: Evaluation, rows: Sequence[int], title: str
) -> None:
    """Print questions with their hits and diagnosis, a line each."""
    cutoffs = evaluation.benchmark.cutoffs.hit_at
    table = Table(box=None, pad_edge=False, header_style="bold", title_justify="left")
    for heading in ("question", "", *(f"hit@{k}" for k in cutoffs), "mrr"):
        table.add_column(heading, no_wrap=heading not in {""}, overflow="ellipsis")
    table.add_column("diagnosis", overflow="fold")
    for row in rows:
        question = evaluation.questions[row]
        hits = [_mark(evaluation.values[f"hit_rate_at_{k}"].at(row)) for k in cutoffs]
        mrr = evaluation.values["mrr"].at(row)
        table.add_row(
            Text(one_line(question.id)),
            Text(one_line(question.text)),
            *hits,
            "–" if mrr is None else f"{mrr:.2f}",
            Text(one_line(str(evaluation.diagnoses[row]))),
        )
    target.print()
    target.print(Text(title, style="bold"))
    target.print(table)


def _mark(value: float | None) -> str:
    return "–" if value is None else ("✓" if value else "✗")


def show_counts(target: Console, counts: Sequence[tuple[str, int, int]]) -> None:
    """Print how many questions each subset has on either side of the split, and what is thin."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("subset", no_wrap=True)
    for heading in ("questions", "dev", "holdout"):
        table.add_column(heading, justify="right")
    table.add_column("")
    split = any(holdout for _, _, holdout in counts)  # a set without a holdout is on one side
    for subset, dev, holdout in counts:
        thin = _thin(dev, holdout if split else _THIN)
        told = f"thin in {' and '.join(thin)}" if thin else ""
        table.add_row(subset, str(dev + holdout), str(dev), str(holdout), told)
    target.print(table)


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
    for line in overview(comparison):
        target.print(Text(line))
    for change in comparison.of(Turn.REGRESSED):
        found = told(change)
        target.print()
        target.print(Text(one_line(f"{found.id}  “{found.question}”"), style="bold"))
        for line in (found.values, found.ranks, found.diagnosis):
            target.print(Text(f"   {one_line(line)}"))


def show_table(target: Console, shown: Cells) -> None:
    """Print a table of names and numbers."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, heading in enumerate(shown.columns):
        table.add_column(heading, justify="right" if place else "left", no_wrap=True)
    for row in shown.data:
        table.add_row(*map(_shown, row))
    target.print(table)


def _shown(cell: object) -> str:
    if cell is None:
        return "–"
    return f"{cell:.2f}" if isinstance(cell, float) else one_line(str(cell))

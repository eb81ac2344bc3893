"""An evaluation in a terminal: progress, the table, the questions, where it was kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
from rich.table import Table
from rich.text import Text

from rageval.evaluation.evaluation import Evaluation
from rageval.report.header import Header
from rageval.report.summary import Row, Sheet

_PLAIN_WIDTH = 160  # columns where there is no terminal to fit


def console(stream: TextIO | None = None) -> Console:
    """Return a console that is plain and wide enough where its output is not a terminal."""
    plain = Console(file=stream, highlight=False)
    if plain.is_terminal:
        return plain
    return Console(file=stream, highlight=False, width=_PLAIN_WIDTH, color_system=None)


@dataclass(frozen=True)
class Steps:
    """How work reports that it goes on."""

    begin: Callable[[str], None]  # what begins now
    expect: Callable[[int], None]  # how many questions will be asked
    advance: Callable[[int], None]  # so many more are done


@contextmanager
def progress(target: Console) -> Iterator[Steps]:
    """Show what is being done, on a terminal; elsewhere say nothing."""
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=target,
        transient=True,
        disable=not target.is_terminal,
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
    target.print(f"{header.documents:,} documents, {header.chunks:,} chunks · {header.provenance}")
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
            Text(question.id),
            Text(question.text),
            *hits,
            "–" if mrr is None else f"{mrr:.2f}",
            Text(str(evaluation.diagnoses[row])),
        )
    target.print()
    target.print(Text(title, style="bold"))
    target.print(table)


def _mark(value: float | None) -> str:
    return "–" if value is None else ("✓" if value else "✗")


def show_counts(target: Console, counts: Sequence[tuple[str, int, int]]) -> None:
    """Print how many questions each subset has on either side of the split."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("subset", no_wrap=True)
    for heading in ("questions", "dev", "holdout"):
        table.add_column(heading, justify="right")
    for subset, dev, holdout in counts:
        table.add_row(subset, str(dev + holdout), str(dev), str(holdout))
    target.print(table)

"""An evaluation as one HTML page that needs nothing beside it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template, select_autoescape
from markupsafe import Markup

from rageval.comparison.table import Table
from rageval.escaping.characters import visible
from rageval.evaluation.evaluation import Evaluation
from rageval.measures.catalogue import catalogue
from rageval.report.header import Header
from rageval.report.summary import Sheet
from rageval.report.tables import questions


def _shown(value: Any) -> Any:  # noqa: ANN401  whatever a template prints
    """Return a text with its control characters and direction marks as their escapes."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _template(name: str) -> Template:
    environment = Environment(
        loader=PackageLoader("rageval", "report/templates"),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    return environment.get_template(name)


def comparison_page(facts: Mapping[str, Any]) -> str:
    """Return a comparison as a page: what changed, how sure that is, who regressed."""
    return _template("comparison.html.j2").render(facts)


def page(evaluation: Evaluation, header: Header, sheet: Sheet, params: Mapping[str, str]) -> str:
    """Return the page: header, subsets with their intervals, every question, the configuration."""
    table = questions(evaluation)
    cutoffs = evaluation.benchmark.cutoffs
    return _template("run.html.j2").render(
        header=header,
        sheet=sheet,
        subsets=evaluation.subsets,
        measures=catalogue(cutoffs),
        hits=[f"hit_rate_at_{k}" for k in cutoffs.hit_at],
        questions=[dict(zip(table.columns, row, strict=True)) for row in table.data],
        params=params,
    )


def sweep_page(
    title: str,
    tables: Mapping[str, Table],
    sentences: Sequence[str],
    pictures: Mapping[str, bytes],
) -> str:
    """Return the page of a sweep: leaderboard, main effects, plots, failures."""
    return _template("sweep.html.j2").render(
        title=title,
        tables=tables,
        sentences=sentences,
        pictures={path: b64encode(png).decode() for path, png in pictures.items()},
    )

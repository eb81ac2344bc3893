"""Pages that need nothing beside them: one HTML file, or a folder where there is much to show.

A page holds its data as JSON, two kept libraries (Tabulator for tables, uPlot for plots; both MIT,
see `assets/`) and a script of ours. Opened from a disk, a page may not read other files but as
scripts; so data above `MOST` bytes lies in scripts beside the page.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template, select_autoescape
from markupsafe import Markup

from rageval.comparison.table import Table
from rageval.escaping.characters import visible
from rageval.schema.names import PAGE_DATA

MOST = 15_000_000  # bytes of a page's data that are kept in the page itself
_PART = 8_000_000  # bytes of a script of data, about
_STYLES = ("tabulator.min.css", "uplot.min.css", "page.css")
_LICENCES = ("tabulator.LICENSE.txt", "uplot.LICENSE.txt")  # they ask to go with every copy
_SCRIPTS = ("tabulator.min.js", "uplot.min.js", "page.js")

Rows = Sequence[Mapping[str, Any]]


def page(
    kind: str, title: str, shown: Mapping[str, Any], head: Mapping[str, Any], rows: Rows
) -> dict[str, bytes]:
    """Return a page as files: its HTML under the name "", and data that lies beside it.

    Parameters
    ----------
    kind
        run | comparison | sweep: the template and the script.
    title
        What the page is of.
    shown
        What the template shows.
    head
        Data for the script that all rows share.
    rows
        Data of each question or cell.

    Returns
    -------
    dict[str, bytes]
        Path below the page's folder → content; "" is the page.
    """
    parts = list(_parts(rows))
    alone = sum(map(len, parts)) + len(_json(head)) <= MOST
    beside = {} if alone else {f"{PAGE_DATA}/{n}.js": part for n, part in enumerate(parts, start=1)}
    content = _template(f"{kind}.html.j2").render(
        **shown,
        title=title,
        kind=kind,
        styles=[Markup(_asset(name)) for name in _STYLES],
        scripts=[Markup(_asset(name)) for name in (*_SCRIPTS, f"{kind}.js")],
        licences=[_asset(name) for name in _LICENCES],
        head=Markup(_script(_json(head))),
        parts=[Markup(_script(part)) for part in parts] if alone else [],
        beside=list(beside),
    )
    return {
        "": content.encode(),
        **{path: f"rageval.add({_script(part)})".encode() for path, part in beside.items()},
    }


def cells(table: Table) -> list[dict[str, Any]]:
    """Return a table's rows as a page reads them: column → value."""
    return [dict(zip(table.columns, row, strict=True)) for row in table.data]


def _parts(rows: Rows) -> Iterator[str]:
    """Yield the rows as JSON lists of a size that a browser reads in one go."""
    part: list[str] = []
    size = 0
    for row in rows:
        text = _json(row)
        if size + len(text) > _PART and part:
            yield f"[{','.join(part)}]"
            part, size = [], 0
        part.append(text)
        size += len(text)
    yield f"[{','.join(part)}]"


def _json(content: object) -> str:
    return json.dumps(
        _clean(content), ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str
    )


def _clean(content: object) -> object:
    """Return data whose texts show their control characters and direction marks as escapes."""
    if isinstance(content, str):
        return visible(content)
    if isinstance(content, Mapping):
        return {_clean(key): _clean(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_clean(value) for value in content]
    return content


def _script(text: str) -> str:
    r"""Return JSON that may stand in a script: nothing in it ends the script or opens a comment."""
    return text.replace("<", "\\u003c")


@cache
def _asset(name: str) -> str:
    return files("rageval.report").joinpath("assets", name).read_text(encoding="utf-8")


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

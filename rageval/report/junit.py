"""JUnit XML. A verdict is a suite for the limits, one for each subset, a case for each question."""

from __future__ import annotations

import re
from xml.etree import ElementTree as Xml

from rageval.comparison.changes import Change, Comparison, Turn
from rageval.comparison.result import Result
from rageval.comparison.table import Table
from rageval.escaping.characters import visible
from rageval.gate.verdict import Verdict
from rageval.report.comparison import told

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0


def junit(verdict: Verdict) -> str:
    """Return the XML. A limit that was not kept fails, and so does a question that regressed."""
    root = Xml.Element("testsuites", name=_clean(f"rageval {verdict.candidate.dataset}"))
    _limits(root, verdict)
    if verdict.comparison is not None:
        _changes(root, verdict.comparison)
    return Xml.tostring(root, encoding="unicode", xml_declaration=True)


def comparison_junit(comparison: Comparison) -> str:
    """Return two runs as XML: a suite for each subset; a question that regressed fails."""
    title = f"rageval {comparison.before.name} → {comparison.after.name}"
    root = Xml.Element("testsuites", name=_clean(title))
    _changes(root, comparison)
    return Xml.tostring(root, encoding="unicode", xml_declaration=True)


def run_junit(result: Result) -> str:
    """Return a run as XML: a question fails if nothing that was looked for was found."""
    root = Xml.Element("testsuites", name=_clean(f"rageval {result.dataset} {result.name}"))
    for subset in result.subsets:
        rows = result.inside(subset)
        lost = sum(not row.found and not row.failed for row in rows)
        counted = {"tests": len(rows), "failures": lost, "errors": sum(r.failed for r in rows)}
        numbers = {name: str(number) for name, number in counted.items()}
        suite = Xml.SubElement(root, "testsuite", {"name": _clean(subset)} | numbers)
        for row in rows:
            case = Xml.SubElement(suite, "testcase", classname=_clean(subset), name=_clean(row.id))
            if row.failed or not row.found:
                kind = "error" if row.failed else "failure"
                told = Xml.SubElement(case, kind, message=_clean(row.diagnosis))
                told.text = _clean(f"{row.text}\ngot: {', '.join(row.documents) or 'nothing'}")
    return Xml.tostring(root, encoding="unicode", xml_declaration=True)


def sweep_junit(leaderboard: Table, failures: Table) -> str:
    """Return a sweep as XML: a case for each cell; one that was not evaluated is an error."""
    places = {name: n for n, name in enumerate(leaderboard.columns)}
    faults = {str(row[0]): f"{row[1]}: {row[2]}" for row in failures.data}
    cells = [str(row[places["cell"]]) for row in leaderboard.data]
    cells += [cell for cell in faults if cell not in cells]
    numbers = {"tests": str(len(cells)), "errors": str(len(faults))}
    root = Xml.Element("testsuites", name="rageval sweep")
    suite = Xml.SubElement(root, "testsuite", {"name": "cells"} | numbers)
    for cell in cells:
        case = Xml.SubElement(suite, "testcase", classname="sweep", name=_clean(cell))
        if cell in faults:
            Xml.SubElement(case, "error", message=_clean(faults[cell]))
    return Xml.tostring(root, encoding="unicode", xml_declaration=True)


def _changes(root: Xml.Element, comparison: Comparison) -> None:
    for subset in comparison.subsets:
        changes = [c for c in comparison.changes if subset in c.after.subsets]
        suite = _suite(root, subset, changes)
        for change in changes:
            _question(suite, subset, change)


def _limits(root: Xml.Element, verdict: Verdict) -> None:
    blind = "errors" if verdict.fail_blind else "skipped"
    counted = {"tests": len(verdict.checks), "failures": len(verdict.failures)}
    counted |= {blind: len(verdict.blind)} if verdict.blind else {}
    numbers = {name: str(number) for name, number in counted.items()}
    suite = Xml.SubElement(root, "testsuite", {"name": "gate"} | numbers)
    for check in verdict.checks:
        name = _clean(f"{check.rule.value} {check.subset} {check.measure}".strip())
        case = Xml.SubElement(suite, "testcase", classname="gate", name=name)
        if check.passed and check.blind:
            kind = "error" if verdict.fail_blind else "skipped"
            Xml.SubElement(case, kind, message=_clean(f"inconclusive: {check.sight}"))
        if not check.passed:
            failure = Xml.SubElement(case, "failure", message=_clean(check.sentence))
            failure.text = _clean(check.shown.sentence) if check.shown else None
        elif check.shown is not None:
            said = Xml.SubElement(case, "system-out")
            said.text = _clean(f"{check.shown.sentence}; {check.sight}")


def _suite(root: Xml.Element, subset: str, changes: list[Change]) -> Xml.Element:
    failed = sum(change.turn is Turn.REGRESSED for change in changes)
    return Xml.SubElement(
        root, "testsuite", name=_clean(subset), tests=str(len(changes)), failures=str(failed)
    )


def _question(suite: Xml.Element, subset: str, change: Change) -> None:
    case = Xml.SubElement(suite, "testcase", classname=_clean(subset), name=_clean(change.after.id))
    if change.turn is Turn.REGRESSED:
        found = told(change)
        failure = Xml.SubElement(case, "failure", message=_clean(f"{found.values}; {found.ranks}"))
        failure.text = _clean(f"{found.question}\n{found.diagnosis}")


def _clean(text: str) -> str:
    """Escape control characters, and leave out what else XML cannot hold."""
    return _FORBIDDEN.sub("", visible(text))

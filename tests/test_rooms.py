"""The house: no room imports in a circle, and the page about it names each of them."""

import re
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "rageval"
PACKAGES = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))


def imports():
    """Return which room imports which, as import-linter sees them."""
    grimp = pytest.importorskip("grimp", reason="extra: dev (import-linter)")
    graph = grimp.build_graph("rageval")
    found = defaultdict(set)
    for module in graph.modules:
        for other in graph.find_modules_directly_imported_by(module):
            one, two = ((*name.split("."), "")[1] for name in (module, other))
            if one != two:
                found[one].add(two)
    return found


def test_no_room_imports_in_a_circle():
    try:
        order = list(TopologicalSorter(imports()).static_order())
    except CycleError as circle:
        pytest.fail(f"rooms import each other in a circle: {' → '.join(circle.args[1])}")
    assert order.index("errors") < order.index("corpus") < order.index("cli")


def test_the_page_about_the_house_names_every_room_and_no_other():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)/`", page, re.MULTILINE)
    assert sorted(rows) == PACKAGES


def test_every_module_that_the_page_names_is_there():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w/]+\.py)`", page)
    assert named
    real = [name for name in named if not name.startswith(("tests/", "NAME", "commands/NAME"))]
    assert [name for name in real if not (PACKAGE / name).is_file()] == []


def test_no_two_modules_of_one_room_have_the_same_name_but_the_parts_of_formats():
    names = defaultdict(list)
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).parts
        if parts[0] != "formats" and path.name != "__init__.py":
            names[parts[0], path.name].append(path)
    assert [paths for paths in names.values() if len(paths) > 1] == []

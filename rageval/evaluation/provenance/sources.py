"""The source of a user's class: its module, and the modules of the same project that it imports."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

_OURS = frozenset({"rageval", "hydra_plugins"})
_READS = frozenset({"environ", "environb", "getenv", "getenvb"})


@dataclass
class Sources:
    """What a user's classes are made of."""

    modules: dict[str, Path] = field(default_factory=dict)  # name → file, those of the project
    libraries: set[str] = field(default_factory=set)  # distributions that those import
    environment: set[str] = field(default_factory=set)  # modules that read environment variables
    defaults: dict[str, list[Any]] = field(default_factory=dict)  # class → default arguments

    def add(self, target: str) -> None:
        """Add a class by its import path; a path that does not lead to one adds nothing."""
        module, _, name = target.rpartition(".")
        try:
            found = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError, ValueError):
            return  # building the class reports the fault
        self.defaults[target] = _defaults(found)
        for origin in {module, getattr(found, "__module__", module)}:
            self._follow(str(origin))

    def _follow(self, name: str) -> None:
        """Add a module with its packages and what they import, each once."""
        if name.partition(".")[0] in _OURS or name in self.modules:
            return
        spec = _spec(name)
        if spec is None:
            return
        if not _of_project(spec):
            self.libraries.update(_distributions(name.partition(".")[0]))
            return
        parent = name.rpartition(".")[0]
        if parent:
            self._follow(parent)
        if spec.origin is None:  # a folder without __init__.py
            return
        file = Path(spec.origin)
        self.modules[name] = file
        if file.suffix == ".py":
            self._read(name, file, bool(spec.submodule_search_locations))

    def _read(self, name: str, file: Path, package: bool) -> None:
        try:
            tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError):
            return
        if any(_reads_environment(node) for node in ast.walk(tree)):
            self.environment.add(name)
        for imported in sorted(set(_imports(tree, name if package else name.rpartition(".")[0]))):
            self._follow(imported)


def defining_file(target: str) -> Path | None:
    """Return the file of the module that an import path begins with; None if it has no source."""
    try:
        file = inspect.getsourcefile(importlib.import_module(target.rpartition(".")[0]))
    except (ImportError, TypeError, ValueError):
        return None
    return Path(file) if file else None


def _defaults(found: Any) -> list[Any]:  # noqa: ANN401  whatever a user's module holds
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.default for p in parameters if isinstance(p.default, str | list | tuple | dict)]


def _imports(tree: ast.AST, package: str) -> Iterator[str]:
    """Yield every module that may be meant by an import, wherever in the file it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _base(node, package)
            if base:
                yield base
            yield from (f"{base}.{alias.name}".strip(".") for alias in node.names)
        elif isinstance(node, ast.Call) and node.args and _called(node) == "import_module":
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value.lstrip(".")


def _base(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    above = parts[: len(parts) - node.level + 1]
    return ".".join([*above, *([node.module] if node.module else [])])


def _called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _reads_environment(node: ast.AST) -> bool:
    name = getattr(node, "attr", None) or getattr(node, "id", None) or getattr(node, "name", None)
    return isinstance(node, ast.Attribute | ast.Name | ast.alias) and name in _READS


def _spec(name: str) -> ModuleSpec | None:
    """Return where a module comes from; nothing outside the project is imported to find out."""
    top = name.partition(".")[0]
    try:
        spec = importlib.util.find_spec(top)
        if spec is None or name == top or not _of_project(spec):
            return spec
        return importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return None


def _of_project(spec: ModuleSpec) -> bool:
    """Say whether a module belongs to the user: neither Python's own nor an installed package."""
    places = [spec.origin] if spec.origin else list(spec.submodule_search_locations or ())
    if not places or spec.origin in {"built-in", "frozen"}:
        return False
    return not any(_is_installed(Path(place).resolve()) for place in places)


def _is_installed(place: Path) -> bool:
    folders = {"site-packages", "dist-packages"}
    return not folders.isdisjoint(place.parts) or any(
        place.is_relative_to(root) for root in _installed()
    )


@cache
def _installed() -> tuple[Path, ...]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    return tuple({Path(sysconfig.get_path(name)).resolve() for name in names})


@cache
def _distributions(top: str) -> tuple[str, ...]:
    return tuple(_of_packages().get(top, ()))


@cache
def _of_packages() -> dict[str, list[str]]:
    return dict(packages_distributions())

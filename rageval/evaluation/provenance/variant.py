"""The variant: which retrieval was measured, as three digests.

`configuration` is what was composed, with the version of each component of ours that it names;
`inputs` is the content of what the configuration names and of the source of a user's classes;
`environment` is the versions of the libraries that compute. Results that are kept may be used again
only where all three are equal. What none of them can cover is listed.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from rageval.evaluation.provenance.contents import Contents
from rageval.evaluation.provenance.sources import Sources, defining_file
from rageval.retrieval.window import Window
from rageval.schema.component_names import first_name
from rageval.schema.fingerprint import digest

Node = Mapping[str, Any]
_WINDOW = 1  # version of the rules of `rageval.retrieval.window` and `rageval.retrieval.pipeline`
_ALWAYS = ("python", "numpy")
# What every component did before there was a choice.
_BEFORE = (
    ("statistics", "all"),
    ("header", "none"),
    ("max_unmatched", 0),
    ("ids", None),
    ("name", None),
    ("dimensions", None),
)
_OPERATION = frozenset({"concurrency", "timeout"})  # how a retriever is asked, not what it answers


@dataclass(frozen=True)
class Made:
    """What a component, with everything below its node, is made of."""

    configuration: Mapping[str, Any]  # the node and the versions of our classes in it
    inputs: Mapping[str, str]  # text of the configuration, or module:name → sha256
    libraries: Mapping[str, str]  # distribution → version; "" = not installed
    uncovered: tuple[str, ...]  # what may change the results and is not in here, as sentences

    @cached_property
    def key(self) -> str:
        """Name all of it: equal keys, equal results (64 hex digits)."""
        return digest([self.configuration, dict(self.inputs), dict(self.libraries)])


@dataclass(frozen=True)
class Variant:
    """A retrieval: what it is made of, and the digests of that (64 hex digits each)."""

    made: Made
    chunking: str  # how documents are cut
    sources: str  # as version 0.1.0 named the files of a user's classes

    @classmethod
    def of(
        cls, nodes: Mapping[str, Node], window: Window, contents: Contents, tag: str | None
    ) -> Variant:
        """Return the variant of components as configured, `chunking` among them.

        How many questions a retriever is asked at a time, and how long it may take, does not
        count. `tag` is the user's name
        for the state of what cannot be seen.

        Raises
        ------
        InputError
            If a file that a configuration names cannot be read.
        """
        made = made_of(nodes, contents, tag)
        rules = {"window": window.model_dump(mode="json"), "rules": _WINDOW}
        chunking = made_of(nodes["chunking"], contents, tag)
        return cls(
            made=Made(
                {**made.configuration, **rules, **({"tag": tag} if tag is not None else {})},
                made.inputs,
                made.libraries,
                made.uncovered,
            ),
            chunking=digest([chunking.configuration, dict(chunking.inputs)]),
            sources=_sources_of_0_1(nodes, contents),
        )

    @cached_property
    def configuration(self) -> str:
        """Name what was composed."""
        return digest(self.made.configuration)

    @cached_property
    def inputs(self) -> str:
        """Name the content of what the configuration names."""
        return digest(dict(self.made.inputs))

    @cached_property
    def environment(self) -> str:
        """Name the libraries that compute."""
        return digest(dict(self.made.libraries))

    @cached_property
    def whole(self) -> str:
        """Name the retrieval: the three digests in one."""
        return digest([self.configuration, self.inputs, self.environment])

    @property
    def facts(self) -> dict[str, Any]:
        """Return everything that names the variant, to say later what became different."""
        return {
            "configuration": dict(self.made.configuration),
            "inputs": dict(self.made.inputs),
            "environment": dict(self.made.libraries),
            "not_covered": list(self.made.uncovered),
        }


def made_of(node: Any, contents: Contents, tag: str | None = None) -> Made:  # noqa: ANN401  a node
    """Return what the components at and below a node are made of."""
    targets = sorted(set(_targets(node)))
    own = {name: loaded for name in targets if (loaded := _ours(name)) is not None}
    parts = {part for loaded in own.values() for part in (loaded, *_parts(loaded))}
    sources = Sources()
    for target in targets:
        if target not in own:
            sources.add(target)
    named = contents.named([_what_counts(node), sources.defaults])
    modules = {f"module:{name}": contents.of(file) for name, file in sources.modules.items()}
    libraries = {*_ALWAYS, *sources.libraries, *(n for p in parts for n in p.libraries)}
    return Made(
        configuration={
            "nodes": _what_counts(node),
            "versions": {part.__qualname__: part.version for part in parts},
        },
        inputs=dict(sorted({**named, **modules}.items())),
        libraries=_libraries(sorted(libraries)),
        uncovered=() if tag is not None else tuple(_uncovered(node, sources, named)),
    )


def _uncovered(node: Any, sources: Sources, named: Mapping[str, str]) -> Iterator[str]:  # noqa: ANN401
    """Yield what may change the results and cannot be seen."""
    for target in sources.defaults:
        yield f"what {target} reads beyond its arguments and its source, such as a remote index"
    if sources.environment:
        yield f"environment variables that {', '.join(sorted(sources.environment))} reads"
    for part in _nodes(node):
        own = _ours(str(part.get("_target_")))
        if hasattr(own, "unseen"):
            yield str(own.unseen)
        field = getattr(own, "by_name", None)
        if own is None or field is None:
            continue
        model = part.get(field, own.__pydantic_fields__[field].default)
        if model not in named:
            yield f"the files of the model {model!r}, which is loaded by name"


def _nodes(node: Any) -> Iterator[Node]:  # noqa: ANN401  any JSON value
    """Yield every node below a node, and the node itself."""
    if isinstance(node, Mapping):
        yield node
        for value in node.values():
            yield from _nodes(value)
    elif isinstance(node, Sequence) and not isinstance(node, str):
        for value in node:
            yield from _nodes(value)


def _targets(node: Any) -> Iterator[str]:  # noqa: ANN401  any JSON value
    for part in _nodes(node):
        if isinstance(part.get("_target_"), str):
            yield part["_target_"]


@cache
def _ours(target: str) -> Any:  # noqa: ANN401  a component's class
    """Return a component of ours by its import path; None if it is somebody else's."""
    if not target.startswith("rageval."):
        return None
    module, _, name = target.rpartition(".")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError):
        return None  # building it reports the fault
    return found if hasattr(found, "version") and hasattr(found, "libraries") else None


def _parts(component: Any) -> Iterator[Any]:  # noqa: ANN401  a component's class
    """Yield the components that a component makes where its configuration names none."""
    for field in getattr(component, "__pydantic_fields__", {}).values():
        made = field.default_factory
        if hasattr(made, "version") and hasattr(made, "libraries"):
            yield made


def _what_counts(node: Any) -> Any:  # noqa: ANN401  any JSON value
    if isinstance(node, Mapping):
        return {
            k: first_name(v) if k == "_target_" and isinstance(v, str) else _what_counts(v)
            for k, v in node.items()
            if k not in _OPERATION and (k, v) not in _BEFORE
        }
    if isinstance(node, list | tuple):
        return [_what_counts(value) for value in node]
    return node


def changed_libraries(then: Mapping[str, str]) -> str:
    """Return which libraries have another version here than they had then, as a clause.

    Examples
    --------
    >>> changed_libraries({"numpy": version("numpy")}), changed_libraries({"no-such": "1.0"})
    ('', 'no-such was 1.0 and is not installed now')
    """
    now = _libraries(then)
    return ", ".join(
        f"{name} was {was or 'not installed'} and is {now[name] or 'not installed'} now"
        for name, was in then.items()
        if now[name] != was
    )


def _libraries(names: Iterable[str]) -> dict[str, str]:
    python = ".".join(platform.python_version_tuple()[:2])
    return {name: python if name == "python" else _version(name) for name in names}


@cache
def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""


def _sources_of_0_1(nodes: Mapping[str, Node], contents: Contents) -> str:
    """Return what version 0.1.0 kept of a user's classes: the files that define them."""
    targets = [name for name in sorted(set(_targets(nodes))) if not name.startswith("rageval.")]
    files = {target: defining_file(target) for target in targets}
    return digest({name: contents.of(file) if file else "" for name, file in files.items()})

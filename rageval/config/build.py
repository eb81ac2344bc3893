"""From nodes that name a class by `_target_` to the objects themselves."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from hydra.errors import InstantiationException
from hydra.utils import get_class, get_object, instantiate
from pydantic import ValidationError

from rageval.config.settings import PipelineConfig
from rageval.errors import InputError, RagevalError
from rageval.golden.access import Access
from rageval.measures.measure import OwnMeasure
from rageval.retrieval.pipeline import Parts
from rageval.retrieval.retrievers.foreign import Foreign
from rageval.retrieval.retrievers.guarded import Guarded
from rageval.schema.component_names import current_name, with_current_names
from rageval.schema.validation import sentences

Nested = dict[str, Any]
# How a user's retriever is asked and what its hits mean: not its own arguments.
_ASKING = ("concurrency", "timeout", "max_unmatched", "ids", "name")
_FOREIGN = f"{Foreign.__module__}.{Foreign.__qualname__}"
_GUARDED = f"{Guarded.__module__}.{Guarded.__qualname__}"


def build(node: Mapping[str, Any], where: str) -> Any:  # noqa: ANN401  any component
    """Build a component and the components inside it.

    Raises
    ------
    InputError
        If a class cannot be found or refuses its arguments; `where` is the node's path.
    """
    try:
        return instantiate(with_current_names(node), _convert_="all")
    except InstantiationException as fault:
        raise _explained(fault, where) from fault


def build_retriever(node: Mapping[str, Any], where: str) -> Any:  # noqa: ANN401  a Retriever
    """Build a retriever; a user's own, at any depth, is wrapped so that it can be asked like ours.

    Raises
    ------
    InputError
        As `build`, and if a class is no retriever.
    """
    _require_retriever(node, where)
    return build(_wrapped(node, where), where)


def _require_retriever(node: Mapping[str, Any], where: str) -> None:
    found = _class(str(node["_target_"]), where)
    if not hasattr(found, "retrieve") and not hasattr(found, "index"):
        raise InputError(
            f"{where}: {found.__name__} is no retriever: it needs a method "
            "retrieve(question, limit, groups)"
        )


def _wrapped(node: Mapping[str, Any], where: str) -> Nested:
    """Return a retriever's node with every class of a user's inside a `Foreign`."""
    content: Nested = {
        key: _wrapped(value, f"{where}.{key}") if isinstance(value, Mapping) else value
        for key, value in node.items()
    }
    found = _loaded(content["_target_"], where) if "_target_" in content else None
    asked = hasattr(found, "retrieve") or getattr(found, "asked_alone", False)
    if found is None or not (asked or hasattr(found, "index")):
        return content  # no component, or what a retriever is made with: an encoder, a factory
    if not asked and found.__module__.startswith("rageval."):
        return content
    settings = {name: content.pop(name) for name in _ASKING if name in content}
    takes = inspect.signature(found).parameters
    content |= {name: value for name, value in settings.items() if name in takes}
    if "statistics" not in takes:
        content.pop("statistics", None)  # a part of a hybrid is given its mixture's
    settings = {name: value for name, value in settings.items() if value is not None}
    if not asked:  # a class that scores every chunk
        named = {key: value for key, value in settings.items() if key == "name"}
        return {"_target_": _GUARDED, "retriever": content, **named}
    return {"_target_": _FOREIGN, "retriever": content, **settings}


def _class(target: str, where: str) -> type:
    found = _loaded(target, where)
    if not inspect.isclass(found):
        raise InputError(f"{where}._target_: {target!r} is no class")
    return found


def _loaded(target: str, where: str) -> Any:  # noqa: ANN401  a class or a function
    try:
        return get_object(current_name(target))
    except (ImportError, ValueError, AttributeError) as fault:
        why = " ".join(str(fault).split())
        raise InputError(f"{where}._target_: {target!r} cannot be loaded: {why}") from fault


def _explained(fault: InstantiationException, where: str) -> RagevalError:
    """Return the cause's own sentence, with the path of the node that it is about."""
    cause = fault.__cause__
    inner = re.search(r"full_key: (\S+)", str(fault))
    place = f"{where}.{inner[1]}" if inner else where
    # A user's own retriever lies inside a `Foreign`, which nobody wrote.
    place = re.sub(r"\bretriever\.retriever(?=\.|$)", "retriever", place)
    if isinstance(cause, RagevalError):
        return cause
    if isinstance(cause, ValidationError):
        return InputError.of(sentences(cause, place, _named(fault)))
    if cause is None:
        return InputError(f"{place}: {str(fault).splitlines()[0]}")
    told = " ".join(f"{type(cause).__name__}: {cause}".split())
    return InputError(f"{place}: {told}")


def build_measures(nodes: Mapping[str, Mapping[str, Any]]) -> dict[str, OwnMeasure]:
    """Build the measures of the user's own by name.

    Raises
    ------
    InputError
        If a class cannot be found, or is not a measure.
    """
    return {name: _measure(node, f"measures.own.{name}") for name, node in nodes.items()}


def _measure(node: Mapping[str, Any], where: str) -> OwnMeasure:
    _class(str(node["_target_"]), where)
    built = build(node, where)
    if not isinstance(built, OwnMeasure):
        raise InputError(f"{where}: {type(built).__name__} needs a method values(rankings)")
    return built


def _named(fault: InstantiationException) -> type:
    """Return the class that an instantiation was for, to list its keys."""
    found = re.search(r"target '([\w.]+)'|instantiating '([\w.]+)'|call to '([\w.]+)'", str(fault))
    target = next(filter(None, found.groups()), "") if found else ""
    try:
        loaded = get_class(target)
    except (ImportError, ValueError):
        return object
    return loaded if inspect.isclass(loaded) else object


def build_parts(config: PipelineConfig, access: Access) -> Parts:
    """Build the settings of a pipeline, with the faults of all of them in one go.

    Raises
    ------
    InputError
        If any component is refused.
    """
    faults: list[str] = []

    def attempt(build_one: Callable[..., Any], node: Mapping[str, Any], where: str) -> Any:  # noqa: ANN401
        try:
            return build_one(node, where)
        except InputError as fault:
            faults.append(str(fault))

    parts = Parts(
        chunker=attempt(build, config.chunking, "chunking"),
        retriever=attempt(build_retriever, config.retriever, "retriever"),
        window=config.settled_window,
        rewriter=attempt(build, config.rewriting, "rewriting"),
        access=access,
    )
    if faults:
        raise InputError.of(faults)
    return parts

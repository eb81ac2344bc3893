"""From a configuration that comes back from the registry to a pipeline: nothing is trusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hydra.utils import get_class
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from rageval.config.compose import needed
from rageval.config.loading import open_pipeline
from rageval.config.reading import read
from rageval.config.resolvers import register
from rageval.config.settings import PipelineConfig
from rageval.config.tree import HIDDEN
from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.pipeline import Pipeline

_OURS = "rageval."


@dataclass(frozen=True)
class Overrides:
    """What may be different where a registered configuration is put to use."""

    corpus: str | None = None  # path in place of the one that was registered
    access: str | None = None
    digest: str | None = None  # how the corpus's digest must begin; None = any corpus
    allow: tuple[str, ...] = ()  # modules whose classes may be built, besides ours
    secrets: Mapping[str, str] = field(default_factory=dict)  # they are not registered


def restore(text: str, overrides: Overrides) -> Pipeline:
    """Return the pipeline of a configuration in YAML.

    Raises
    ------
    InputError
        If a class is not allowed, or the corpus is missing or another one.
    """
    composed = allowed(text, overrides.allow)
    for name in ("corpus", "access"):
        path = getattr(overrides, name)
        if path is not None:
            composed.dataset[name].path = path
    config = read(needed(supplied(composed, overrides.secrets)), PipelineConfig)
    return open_pipeline(config, lambda corpus: _accept(corpus, overrides.digest))


def _accept(corpus: Corpus, registered: str | None) -> None:
    known = (corpus.digest, corpus.digest_as_read)
    if registered is not None and not any(found.startswith(registered) for found in known):
        raise InputError(
            f"the corpus is not the one that was registered (digest {corpus.digest[:10]}, "
            f"registered {registered[:10]}): give its path as model_config={{'corpus': …}}, or set "
            "allow_corpus_change for a corpus that lives on"
        )


def allowed(text: str, allow: tuple[str, ...]) -> DictConfig:
    """Parse a configuration and make sure that it builds no class but ours and the allowed ones.

    Raises
    ------
    InputError
        If it names another.
    """
    register()
    composed = _parsed(text)
    known = tuple(dict.fromkeys((_OURS, *allow)))
    foreign = [name for name in _targets(OmegaConf.to_container(composed)) if not _in(name, known)]
    if foreign:
        raise InputError(
            f"the registered configuration builds {', '.join(foreign)}; only classes of "
            f"{', '.join(known)} are allowed: add theirs to registry.allow"
        )
    return composed


def _parsed(text: str) -> DictConfig:
    try:
        composed = OmegaConf.create(text)
    except (YAMLError, OmegaConfBaseException) as fault:
        raise InputError(f"the registered configuration cannot be read: {fault}") from fault
    if not isinstance(composed, DictConfig) or not isinstance(composed.get("dataset"), DictConfig):
        raise InputError("the registered configuration is none of rageval's")
    lacking = sorted(set(PipelineConfig.model_fields) - {"secrets"} - set(composed))
    if lacking:
        raise InputError(f"the registered configuration lacks {', '.join(lacking)}")
    return composed


def supplied(composed: DictConfig, secrets: Mapping[str, Any]) -> DictConfig:
    """Return a configuration with the secrets that it was not kept with.

    Raises
    ------
    InputError
        If one is not given.
    """
    merged = OmegaConf.merge(composed.get("secrets") or {}, dict(secrets))
    lacking = [str(name) for name, value in merged.items() if value == HIDDEN]
    if lacking:
        raise InputError(
            f"secrets.{lacking[0]}: secrets are not kept, so it must be given again: "
            f"+secrets.{lacking[0]}=… on a command line, model_config={{'secrets': …}} when loading"
        )
    composed.secrets = merged
    return composed


def _in(name: str, known: tuple[str, ...]) -> bool:
    """Say whether a class is an allowed one: by its name, and by where it is really defined.

    `rageval.provenance.subprocess.Popen` begins well, but is no class of ours.
    """
    if not any(name.startswith(prefix) for prefix in known):
        return False
    try:
        found = get_class(name)
    except ImportError:
        return True  # there is no such class; whoever builds it says so
    except (ValueError, AttributeError):
        return False  # no class at all
    return any(f"{found.__module__}.{found.__qualname__}".startswith(prefix) for prefix in known)


def _targets(node: Any) -> Iterator[str]:  # noqa: ANN401  any JSON value
    if isinstance(node, Mapping):
        if isinstance(node.get("_target_"), str):
            yield node["_target_"]
        for value in node.values():
            yield from _targets(value)
    elif isinstance(node, list):
        for value in node:
            yield from _targets(value)

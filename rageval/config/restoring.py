"""From a configuration that comes back from the registry to a pipeline: nothing is trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from omegaconf import DictConfig, OmegaConf

from rageval.config.components import foreign
from rageval.config.compose import needed
from rageval.config.loading import open_pipeline
from rageval.config.reading import read
from rageval.config.settings import PipelineConfig
from rageval.config.stored import parsed
from rageval.config.tree import SECRETS, placeholder, scalars
from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.escaping.redaction import HIDDEN, remember_node
from rageval.retrieval.pipeline import Pipeline

_RETRIEVAL = frozenset(PipelineConfig.model_fields) - {SECRETS}  # what is built again


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
        If it names another, or is not plain data.
    """
    content = parsed(text)
    required = (n for n, field in PipelineConfig.model_fields.items() if field.is_required())
    lacking = sorted(set(required) - set(content))
    if lacking:
        raise InputError(f"the registered configuration lacks {', '.join(lacking)}")
    strangers = foreign(content, allow)
    if strangers:
        raise InputError(
            f"the registered configuration builds {', '.join(dict.fromkeys(strangers))}; only "
            "rageval's components and classes that registry.allow names are built"
        )
    for path, value in scalars(content):
        if isinstance(value, str) and HIDDEN in value and path.partition(".")[0] in _RETRIEVAL:
            raise InputError(
                f"{path}: the registered configuration holds {value!r}: an account or a password "
                "typed into an address is not kept; evaluate again with it below `secrets`: "
                f"{path}='${{secrets.address}}' +secrets.address=…"
            )
    return OmegaConf.create(content)


def supplied(composed: DictConfig, secrets: Mapping[str, Any]) -> DictConfig:
    """Return a configuration with the secrets that it was not kept with.

    Raises
    ------
    InputError
        If one is not given.
    """
    merged = OmegaConf.merge(composed.get(SECRETS) or {}, dict(secrets))
    raw = OmegaConf.to_container(merged, resolve=False)
    lacking = [name for name, value in scalars(raw) if value in (HIDDEN, placeholder(name))]
    if lacking:
        raise InputError(
            f"secrets.{lacking[0]}: secrets are not kept, so it must be given again: "
            f"+secrets.{lacking[0]}=… on a command line, model_config={{'secrets': …}} when loading"
        )
    composed[SECRETS] = merged
    remember_node(OmegaConf.to_container(merged, resolve=True))
    return composed

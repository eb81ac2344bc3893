"""A configuration that comes back from a store builds our components and runs no code."""

import os
from pathlib import Path

import pytest
import yaml
from omegaconf import OmegaConf

from rageval.config.components import COMPONENTS
from rageval.config.resolvers import register
from rageval.config.restoring import allowed, supplied
from rageval.errors import InputError

PARTS = ("chunking", "analyser", "encoder", "retriever", "rewriting", "window", "measures")


def stored(variant=True, **nodes):
    """Return a stored configuration, of today or (without `variant`) of version 0.1.0."""
    whole = {"dataset": {"path": "docs"}, **{name: {} for name in PARTS}, **nodes}
    return yaml.safe_dump({**whole, "variant": {"tag": None}} if variant else whole)


SPAWN = "{_target_: distutils.spawn.spawn, cmd: [touch, owned]}"
PAYLOADS = {
    "oc.create": f"${{oc.create:{SPAWN}}}",
    "nested oc.create": f"${{oc.create:${{oc.create:{SPAWN}}}}}",
    "oc.create in a list": [f"${{oc.create:{SPAWN}}}"],
    "oc.decode": f"${{oc.decode:'{SPAWN}'}}",
    "oc.select": "${oc.select:hydra.runtime.cwd}",
    "oc.env": "${oc.env:HOME}",
    "oc.env as a default": "${oc.env:NOT_SET,x}",
    "oc.env by another value": "${oc.${run.name}:HOME}",
    "oc.dict": "${oc.dict.values:dataset}",
    "oc.deprecated": "${oc.deprecated:dataset}",
    "hydra": "${hydra:runtime.cwd}",
    "a reference": "${dataset.path}",
    "a reference in a text": "x ${dataset.path} y",
    "a reference with blanks": "${ dataset.path }",
    "an open reference": "${dataset.path",
    "a secret of another node": "${secrets.${dataset.path}}",
    "a secret with a resolver": "${secrets.oc.env:HOME}",
    "a missing node": "${nowhere}",
    "target oc.create": {"_target_": "${oc.create:os.system}"},
    "target by reference": {"_target_": "rageval.${dataset.path}"},
    "target by secret": {"_target_": "${secrets.x}"},
    "os.system": {"_target_": "os.system", "command": "touch owned"},
    "subprocess": {"_target_": "subprocess.Popen", "args": ["touch", "owned"]},
    "a module of ours that is no component": {"_target_": "rageval.cli.main.enter"},
    "a class of ours that is no component": {"_target_": "rageval.tracking.store.Store"},
    "an import of ours": {
        "_target_": "rageval.evaluation.provenance.working_copy.subprocess.Popen"
    },
    "a component by another module": {"_target_": "rageval.config.build.Foreign"},
    "a component's attribute": {"_target_": "rageval.retrieval.retrievers.bm25.Bm25.index"},
    "hydra's own": {"_target_": "hydra.utils.get_method", "path": "os.system"},
    "builtins": {"_target_": "builtins.eval", "_args_": ["1"]},
    "deep in a list": {"a": [{"b": [{"_target_": "os.system"}]}]},
    "partial": {"_target_": "os.system", "_partial_": True},
    "a number": {"_target_": 3},
    "a list": {"_target_": ["os.system"]},
    "nothing": {"_target_": None},
}


@pytest.mark.parametrize("variant", [True, False], ids=["today", "0.1.0"])
@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_no_payload_is_built_or_resolved(payload, variant, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    node = payload if isinstance(payload, dict) else {"size": payload}
    if not variant and payload in PAYLOADS_THAT_WERE_PLAIN:
        assert allowed(stored(variant, chunking=node), ()).chunking
        return
    with pytest.raises(InputError, match="the registered configuration"):
        allowed(stored(variant, chunking=node), ())
    assert not Path("owned").exists()


# Version 0.1.0 wrote references to other values of the same configuration.
PAYLOADS_THAT_WERE_PLAIN = [
    PAYLOADS["a reference"], PAYLOADS["a reference in a text"],
    PAYLOADS["a secret of another node"],  # becomes the reference to a secret, which is not given
]  # fmt: skip


def test_what_version_0_1_0_wrote_is_read_as_the_values_that_it_meant():
    text = stored(
        variant=False,
        dataset={"path": "sets/My Docs", "name": "${stem:${dataset.path}}", "lang": ["english"]},
        analyser={"languages": "${dataset.lang}"},
        encoder={"analyser": "${analyser}"},
    )
    found = OmegaConf.to_container(allowed(text, ()))
    assert found["dataset"]["name"] == "my_docs"
    assert found["encoder"] == {"analyser": {"languages": ["english"]}}


def test_yaml_that_is_more_than_data_is_refused():
    for text in ("!!python/object/apply:os.system ['true']", "a: &x [1]\nb: *x", "[", "- a"):
        with pytest.raises(InputError):
            allowed(text, ())


def test_an_allowed_prefix_never_reaches_into_rageval():
    node = {"_target_": "rageval.tracking.store.Store"}
    for prefix in ("rageval.", "rageval.tracking.", "r"):
        with pytest.raises(InputError, match=r"builds rageval\.tracking\.store\.Store"):
            allowed(stored(chunking=node), (prefix,))


def test_a_secret_is_filled_in_and_its_text_is_never_resolved():
    register()
    text = stored(retriever={"url": "https://${secrets.db.user}@host"},
                  secrets={"db": {"user": "${secrets.db.user}"}})  # fmt: skip
    with pytest.raises(InputError, match=r"secrets\.db\.user: secrets are not kept"):
        supplied(allowed(text, ()), {})
    given = supplied(allowed(text, ()), {"db": {"user": "ann"}})
    assert given.retriever.url == "https://ann@host"


def test_the_list_of_components_is_that_of_conf():
    conf = Path(__file__).parents[1] / "conf"
    groups = ("analyser", "chunking", "dataset", "encoder", "retriever", "rewriting")
    text = "".join(f.read_text() for g in groups for f in (conf / g).glob("*.yaml"))
    named = {line.partition("_target_: ")[2].strip() for line in text.splitlines()}
    assert {name for name in named if name.startswith("rageval.")} <= COMPONENTS


def test_the_environment_is_read_below_secrets_alone_however_it_is_written(monkeypatch):
    from rageval.config.reading import plain

    register()
    monkeypatch.setenv("CANARY", "seen")
    for value in ("${oc.env:CANARY}", "${oc.${name}:CANARY}", "${oc.create:'${oc.env:CANARY}'}"):
        with pytest.raises(InputError, match="environment"):
            plain(OmegaConf.create({"name": "env", "run": {"notes": value}}))
    found = plain(OmegaConf.create({"secrets": {"a": "${oc.env:CANARY}"}, "b": "${secrets.a}"}))
    assert (found.whole["b"], found.kept["b"]) == ("seen", "${secrets.a}")
    assert os.environ["CANARY"] not in found.yaml

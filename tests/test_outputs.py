"""An output that changes comes with a new version of its component; see `outputs.py`."""

import json

from outputs import FILE, outputs


def test_a_component_whose_output_changed_has_a_new_version():
    kept, now = json.loads(FILE.read_text()), outputs()
    silent = [
        name
        for name, entry in now.items()
        if name in kept
        and entry["output"] != kept[name]["output"]
        and entry["versions"] == kept[name]["versions"]
    ]
    assert not silent, (
        f"the output of {', '.join(silent)} changed: raise `version` of the component that did it, "
        "then write data/outputs.json again (python outputs.py > data/outputs.json)"
    )
    assert now == kept, "write data/outputs.json again: python outputs.py > data/outputs.json"

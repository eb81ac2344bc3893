import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from rageval.errors import InputError
from rageval.files.nodes import compose_json, compose_yaml, kind_of, line_of

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def value(node: yaml.Node):
    """Return the Python value of a node that came from JSON."""
    if isinstance(node, yaml.ScalarNode):
        return node.value if kind_of(node) == "text" else json.loads(node.value)
    if isinstance(node, yaml.SequenceNode):
        return [value(item) for item in node.value]
    return {value(key): value(item) for key, item in node.value}


@given(content=VALUES, indent=st.none() | st.integers(0, 2), ascii_only=st.booleans())
def test_json_nodes_hold_what_the_json_module_reads(content, indent, ascii_only):
    text = json.dumps(content, indent=indent, ensure_ascii=ascii_only)
    assert value(compose_json(text, Path("x.json"))) == content


def test_json_nodes_know_their_line():
    node = compose_json('{\n"a":\n  [1,\n\n2]}', Path("x.json"))
    ((key, items),) = node.value
    assert [line_of(node), line_of(key), line_of(items)] == [1, 2, 3]
    assert [line_of(item) for item in items.value] == [3, 5]


def test_a_yaml_fault_is_told_with_the_line_of_the_file():
    with pytest.raises(InputError, match=r"^x\.md:12: not YAML: "):
        compose_yaml("a: 1\nb: [}\n", Path("x.md"), first_line=11)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("x", "text"),
        ("'1'", "text"),
        ("1e3", "a number"),  # to YAML 1.2; text to PyYAML
        ("'1e3'", "text"),
        ("1.5e+3", "a number"),
        ("0o17", "a number"),
        ("0x1F", "a number"),
        ("12:30", "a number"),  # 750 to YAML 1.1
        ("on", "true or false"),
        ("2024-01-01", "a date"),
        ("~", "nothing (null)"),
        ("v1e3", "text"),
        (
            "!!python/object:os.system x",
            "a value of the tag tag:yaml.org,2002:python/object:os.system",
        ),
    ],
)
def test_the_kind_is_what_a_yaml_reader_may_take_it_for(text, kind):
    node = compose_yaml(text, Path("x.yaml"))
    assert node is not None
    assert kind_of(node) == kind

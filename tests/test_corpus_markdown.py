from pathlib import Path

import pytest
from pydantic import ValidationError

from rageval.errors import InputError
from rageval.formats.markdown.corpus import MarkdownFolder


def write(folder: Path, files: dict[str, bytes]) -> MarkdownFolder:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return MarkdownFolder(str(folder))


def test_ids_are_paths_without_suffix_in_order(tmp_path):
    source = write(tmp_path, {"b.md": b"B", "a/z.md": b"Z", "a.md": b"A", "a-b.md": b"AB"})
    corpus = source.load()
    assert [d.id for d in corpus] == ["a", "a-b", "a/z", "b"]
    assert [d.text for d in corpus] == ["A", "AB", "Z", "B"]


def test_newlines_are_kept_and_a_byte_order_mark_is_not(tmp_path):
    corpus = write(tmp_path, {"a.md": b"\xef\xbb\xbfone\r\ntwo\rthree\n"}).load()
    assert corpus[0].text == "one\r\ntwo\rthree\n"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_front_matter_gives_groups_and_is_no_text(tmp_path, end):
    text = end.join(["---", "title: x", "groups: [hr, managers]", "---", "# Pay", ""])
    corpus = write(tmp_path, {"a.md": text.encode()}).load()
    assert corpus[0].groups == {"hr", "managers"}
    assert corpus[0].text == f"# Pay{end}"


def test_a_rule_further_down_is_no_front_matter(tmp_path):
    text = "Intro\n---\ntitle: x\n---\n"
    corpus = write(tmp_path, {"a.md": text.encode()}).load()
    assert corpus[0].groups == frozenset()
    assert corpus[0].text == text


def test_empty_front_matter_is_public(tmp_path):
    corpus = write(tmp_path, {"a.md": b"---\n---\nx"}).load()
    assert (corpus[0].text, corpus[0].groups) == ("x", frozenset())


def test_hidden_files_and_folders_are_skipped(tmp_path):
    corpus = write(tmp_path, {".x.md": b"x", ".git/y.md": b"y", "a.md": b"a"}).load()
    assert [d.id for d in corpus] == ["a"]


def test_all_faults_of_a_folder_are_told_at_once(tmp_path):
    source = write(
        tmp_path,
        {
            "a.md": b"---\ngroups: hr\n---\n",
            "b.md": b"---\ntitle: x\ngroups: [hr]\n",
            "c.md": b"fine\nbad \xff\n",
            "d.md": b"---\nx: [\ngroups: [hr]\n---\n",
            "e.md": b"---\n\ngroups: [hr, ' ']\n---\n",
            "f.md": b"---\ngroups:\n- hr\n- no\n---\n",
            "g.md": b"fine",
        },
    )
    with pytest.raises(InputError) as error:
        source.load()
    lines = str(error.value).replace(f"{tmp_path}/", "").splitlines()
    assert [line.split(": ")[0] for line in lines] == [
        "a.md:2",
        "b.md:3",
        "c.md:2",
        "d.md:3",
        "e.md:3",
        "f.md:4",
    ]
    assert "a list of names is needed" in lines[0]
    assert "where it is not read" in lines[1]
    assert "not UTF-8" in lines[2]


def test_a_missing_folder_is_a_sentence(tmp_path):
    with pytest.raises(InputError, match="there is no such folder"):
        MarkdownFolder(str(tmp_path / "nowhere")).load()


def test_a_folder_without_markdown_is_refused(tmp_path):
    with pytest.raises(InputError, match="holds no document"):
        MarkdownFolder(str(tmp_path)).load()


def test_an_empty_corpus_says_what_was_looked_for_and_what_lies_there(tmp_path):
    source = write(tmp_path, {"a.txt": b"x", "b.html": b"y", ".hidden": b"z"})
    with pytest.raises(InputError, match=r"matches the pattern '\*\*/\*\.md', 2 other files lie"):
        source.load()


def test_markdown_that_the_pattern_misses_is_named(tmp_path):
    corpus = write(tmp_path, {"a.md": b"a", "b.MD": b"b", "c/d.markdown": b"d", "e.py": b""}).load()
    assert [d.id for d in corpus] == ["a"]
    assert corpus.notes == ("not read, as the pattern is '**/*.md': b.MD, c/d.markdown (2 in all)",)


def test_a_link_that_leads_nowhere_is_a_fault(tmp_path):
    source = write(tmp_path, {"a.md": b"a"})
    (tmp_path / "b.md").symlink_to(tmp_path / "gone.md")
    with pytest.raises(InputError, match=r"b\.md: the link leads nowhere"):
        source.load()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("---\nGroups: [hr]\n---\nx", 2),
        ("---\ngroup: [hr]\n---\nx", 2),
        ("---\ntitle: x\ngruops: [hr]\n---\nx", 3),
        ("---\ngroups: [hr]\nGROUPS: [it]\n---\nx", 3),
        ("---\naccess:\n  groups: [hr]\n---\nx", 3),
        ("\n\n---\ngroups: [hr]\n---\nx", 3),
        ("\n---\ntitle: x\n---\nx", 2),
        ("+++\ngroups = ['hr']\n+++\nx", 1),
        ("+++\ntitle = 'x'\n+++\nx", 1),
        ('{\n  "groups": ["hr"]\n}\nx', 2),
        ("---\ngroups: [hr]\nx", 2),  # never closed
        ("---\ngroups [hr]\n---\nx", 2),  # no mapping
        ("---\n- groups: [hr]\n---\nx", 2),
        (" ---\ngroups: [hr]\n---\nx", 2),
        ("----\ngroups: [hr]\n----\nx", 2),
        ("--- # access\ngroups: [hr]\n---\nx", 2),
        ("groups: [hr]\n\nx", 1),
        ("groups:\n- hr\n---\nx", 1),
        ("<!-- licence -->\n---\ngroups: [hr]\n---\nx", 3),
        ("---\ntitle: x\n---\n---\ngroups: [hr]\n---\nx", 5),
    ],
)
def test_no_page_is_public_because_its_groups_are_not_read(tmp_path, text, line):
    with pytest.raises(InputError, match=rf"a\.md:{line}: .*(groups|front matter)"):
        write(tmp_path, {"a.md": text.encode()}).load()


@pytest.mark.parametrize(
    "text",
    [
        "---\nA rule, then prose.\n\n---\nMore.\n",
        "---\nA rule, never another.\n",
        "---\nNot: [YAML\n---\nx",
        "\n---\nProse between two rules.\n---\n",
        "Groups: who belongs to which.\n\nAll groups: three.\n",
        "# Access\n\n```\n---\ngroups: [hr]\n---\n```\n",
        "```\ngroups: [hr]\n```\n",
        "***\n\nProse.\n",
    ],
)
def test_a_page_that_begins_with_a_rule_or_speaks_of_groups_is_text(tmp_path, text):
    corpus = write(tmp_path, {"a.md": text.encode()}).load()
    assert (corpus[0].text, corpus[0].groups) == (text, frozenset())


def test_a_key_like_groups_is_allowed_beside_groups_itself(tmp_path):
    text = b"---\ngroup: B\nowner: {groups: [x]}\ngroups: []\n---\nx"
    assert write(tmp_path, {"a.md": text}).load()[0].groups == frozenset()


def test_front_matter_that_contains_itself_is_refused_as_that(tmp_path):
    text = b"---\na: &a [*a]\ngroups: [hr]\n---\nx"
    with pytest.raises(InputError, match=r"a\.md:2: not read: an alias is inside what it names"):
        write(tmp_path, {"a.md": text}).load()


@pytest.mark.parametrize(
    ("group", "told"),
    [(r'"a\nb"', r"control character '\\n'"), ("x" * 151, "has 151 characters, at most 150")],
)
def test_a_group_that_cannot_name_a_subset_is_refused_with_its_line(tmp_path, group, told):
    with pytest.raises(InputError, match=rf"a\.md:2: groups: the group .*{told}"):
        write(tmp_path, {"a.md": f"---\ngroups: [{group}]\n---\nx".encode()}).load()


def test_a_file_name_with_a_line_end_is_refused(tmp_path):
    with pytest.raises(InputError, match="the file's name holds the control character"):
        write(tmp_path, {"a\nb.md": b"x"}).load()


def test_a_pattern_outside_of_the_folder_is_a_sentence(tmp_path):
    with pytest.raises(InputError, match="is not allowed"):
        MarkdownFolder(str(tmp_path), "/etc/*.md").load()


def test_an_unknown_key_is_refused_when_the_component_is_built():
    with pytest.raises(ValidationError, match="glob"):
        MarkdownFolder("docs", glob="*.txt")  # type: ignore[call-arg]

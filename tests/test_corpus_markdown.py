from pathlib import Path

import pytest
from pydantic import ValidationError

from rageval.corpus.markdown import MarkdownFolder
from rageval.errors import InputError


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
    corpus = write(tmp_path, {"a.md": b"Intro\n---\ngroups: [hr]\n---\n"}).load()
    assert corpus[0].groups == frozenset()
    assert corpus[0].text == "Intro\n---\ngroups: [hr]\n---\n"


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
            "b.md": b"---\ntitle: x\n",
            "c.md": b"fine\nbad \xff\n",
            "d.md": b"---\nx: [\n---\n",
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
        "b.md:1",
        "c.md:2",
        "d.md:3",  # where the parser meets the end of the block
        "e.md:3",
        "f.md:4",
    ]
    assert "a list of names is needed" in lines[0]
    assert "never closed" in lines[1]
    assert "not UTF-8" in lines[2]


def test_a_missing_folder_is_a_sentence(tmp_path):
    with pytest.raises(InputError, match="there is no such folder"):
        MarkdownFolder(str(tmp_path / "nowhere")).load()


def test_a_folder_without_markdown_is_refused(tmp_path):
    with pytest.raises(InputError, match="holds no document"):
        MarkdownFolder(str(tmp_path)).load()


def test_a_pattern_outside_of_the_folder_is_a_sentence(tmp_path):
    with pytest.raises(InputError, match="is not allowed"):
        MarkdownFolder(str(tmp_path), "/etc/*.md").load()


def test_an_unknown_key_is_refused_when_the_component_is_built():
    with pytest.raises(ValidationError, match="glob"):
        MarkdownFolder("docs", glob="*.txt")  # type: ignore[call-arg]

"""A folder of documents of several kinds: what becomes of each, and what is said of the rest."""

import json
from pathlib import Path

import pytest

from rageval.errors import InputError
from rageval.formats.documents import html, mdx, notebook, rst
from rageval.formats.documents.folder import DocumentFolder
from rageval.formats.documents.title import titled, with_title
from rageval.judging.outline import Outline

PDF = (  # the smallest that pdfium reads: one page that says Leave
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources"
    b"<</Font<</F1 5 0 R>>>>>>endobj\n"
    b"4 0 obj<</Length 44>>stream\nBT /F1 12 Tf 20 100 Td (Thirty days) Tj ET   \n"
    b"endstream endobj\n"
    b"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"
    b"trailer<</Root 1 0 R>>\n"
)
ALL = ("**/*",)


def folder(tmp_path, files, **options):
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return DocumentFolder(str(tmp_path), **options).load()


def texts(corpus):
    return {document.id: document.text for document in corpus}


# Titles


def test_a_title_that_stands_in_front_matter_alone_is_text_and_a_heading(tmp_path):
    corpus = folder(tmp_path, {"v.md": '---\ntitle: "Varroa treatment"\n---\n\nApply strips.\n'})
    text = texts(corpus)["v"]
    assert text == "# Varroa treatment\n\n\nApply strips.\n"
    assert Outline(text).place(("varroa treatment",)) == (0, len(text) - 1)
    assert corpus.notes == (
        "the title of 1 page stands in front matter alone and is read as text; "
        "without: dataset.corpus.title=false",
    )


def test_without_titles_the_text_is_the_files(tmp_path):
    corpus = folder(tmp_path, {"v.md": "---\ntitle: V\n---\nApply.\n"}, title=False)
    assert (texts(corpus), corpus.notes) == ({"v": "Apply.\n"}, ())


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("# Pay\n\nBand C.\n", "# Pay\n\nBand C.\n"),
        ("# `Pay`\n", "# `Pay`\n"),
        ("Pay\n===\n", "Pay\n===\n"),
        ("# Other\n", "Pay\n\n# Other\n"),
        ("## Bands\n", "# Pay\n\n## Bands\n"),
        ("```\n# no heading\n```\n", "# Pay\n\n```\n# no heading\n```\n"),
    ],
)
def test_a_title_is_not_said_twice_and_never_a_second_first_heading(body, text):
    assert with_title(body, "Pay") == text


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("---\ntitle: 404\n---\n", "404"),
        ("---\ntitle: Pay & more\ntags: [a]\n---\n", "Pay & more"),
        ("---\ntitle:\n---\n", ""),
        ("---\ntitle: [a]\n---\n", ""),
        ("---\nno yaml: [\n---\n", ""),
        ('+++\ntitle = "Pay"\ndate = 2024-01-01\n+++\n', "Pay"),
        ("", ""),
    ],
)
def test_a_title_is_read_from_yaml_and_toml(head, title):
    assert titled(f"{head}Text.\n", Path("p.md")).title == title


def test_groups_in_toml_are_read_and_misspelt_ones_refused(tmp_path):
    page = '+++\ntitle = "Pay"\ngroups = ["hr"]\n+++\nBand.\n'
    (document,) = folder(tmp_path, {"p.md": page})
    assert document.groups == {"hr"}
    with pytest.raises(InputError, match="'group' says nothing about access"):
        folder(tmp_path, {"p.md": '+++\ngroup = ["hr"]\n+++\nBand.\n'})


# Kinds


def test_a_mixed_folder_is_read_in_one_go(tmp_path):
    cell = {"cell_type": "markdown", "source": ["# Note\n", "Text."]}
    files = {
        "a.md": "# A\n",
        "b.mdx": "---\ntitle: B\n---\nimport X from 'x'\n\nText.\n",
        "c.rst": "C\n=\n\nText.\n",
        "d/e.html": "<h1>E</h1><p>Text.</p>",
        "f.ipynb": json.dumps({"cells": [cell]}),
        "g.txt": "Text.\n",
        "h.png": b"\x89PNG",
        ".hidden.md": "no",
    }
    corpus = folder(tmp_path, files, pattern=ALL)
    assert texts(corpus) == {
        "a": "# A\n",
        "b": "# B\n\nText.\n",
        "c": "# C\n\nText.\n",
        "d/e": "# E\n\nText.\n",
        "f": "# Note\nText.\n",
        "g": "Text.\n",
    }
    assert "not read, as no reader knows their kind: .png (1)" in corpus.notes


def test_files_that_are_not_read_are_named_with_an_override_that_reads_them(tmp_path):
    corpus = folder(tmp_path, {"a.md": "# A\n", "b.mdx": "B", "c/d.rst": "D"})
    assert corpus.notes == (
        "not read, as the pattern '**/*.md' does not match: b.mdx, c/d.rst (2 in all); to read "
        "them: 'dataset.corpus.pattern=[**/*.md,**/*.mdx,**/*.rst]'",
    )
    found = DocumentFolder(str(tmp_path), pattern=("**/*.md", "**/*.mdx", "**/*.rst")).load()
    assert list(texts(found)) == ["a", "b", "c/d"]


def test_the_override_that_is_named_works_as_it_stands(typed, tmp_path):
    for name in ("a.mdx", "b.txt"):
        (tmp_path / name).write_text(f"# {name}\n")
    (tmp_path / "g.yaml").write_text("set: s\nquestions:\n- {id: q, question: x, expected: [a]}\n")
    words = ("check", "dataset=markdown", "dataset.path=.", "dataset.questions=g.yaml")
    said = typed(*words)
    assert said.code == 2
    override = said.err.split("to read them: '")[1].split("'")[0]
    done = typed(*words, override)
    assert (done.code, done.out.splitlines()[0]) == (0, "s: 2 documents, no fault found")


def test_of_two_files_with_one_id_the_markdown_file_has_it(tmp_path):
    corpus = folder(tmp_path, {"a.html": "<p>H</p>", "a.md": "M", "a.txt": "T"}, pattern=ALL)
    assert texts(corpus) == {"a": "M", "a.html": "H\n", "a.txt": "T"}


def test_files_that_cannot_name_groups_are_said_to_be_public_where_others_can(tmp_path):
    files = {"a.md": "---\ngroups: [hr]\n---\nA\n", "b.txt": "B"}
    notes = folder(tmp_path, files, pattern=ALL).notes
    assert notes == (
        "1 file has no front matter to name groups in, so everybody may see what is in them",
    )


def test_an_empty_folder_is_a_sentence(tmp_path):
    with pytest.raises(InputError, match=r"no file matches the pattern .*; the folder is empty"):
        folder(tmp_path, {})


def test_rst_headings_get_their_levels_by_first_use_and_directives_their_text():
    text = (
        "=====\nGuide\n=====\n\n.. toctree::\n   :maxdepth: 1\n\n   a\n\nFirst\n~~~~~\n\n"
        ".. note:: Call :doc:`us <x>`.\n\n.. code-block:: python\n   :linenos:\n\n   x = 1\n\n"
        ".. a comment\n\n.. _target:\n\nDeep\n^^^^\n\nSecond\n~~~~~~\nSee `here <http://x>`_.\n"
    )
    found = rst.markdown_of(text)
    assert [line for line in found.splitlines() if line.startswith("#")] == [
        "# Guide", "## First", "### Deep", "## Second",
    ]  # fmt: skip
    assert "Call us." in found
    assert "   x = 1" in found
    assert "See here." in found
    assert not {"toctree", "maxdepth", "linenos", "comment", "target"} & set(found.split())


def test_html_keeps_headings_lists_code_and_tables_and_leaves_the_frame_out():
    page = (
        "<html><head><title>T - Site</title><style>x{}</style></head><body><nav>Menu</nav>"
        "<main><h1>Leave</h1><p>Thirty &amp; more\n days.</p><ul><li>one<li>two</ul>"
        "<pre>a  b\nc</pre><table><tr><td>1</td><td>2</td></tr></table></main>"
        "<footer>Imprint</footer></body></html>"
    )
    found = html.markdown_of(page)
    assert found.startswith("# Leave\n\nThirty & more days.\n\n- one\n- two")
    assert "```\na  b\nc\n```" in found
    assert "| 1 | 2" in found
    assert not {"Menu", "Imprint", "T"} & set(found.split())


def test_mdx_in_code_is_left_alone():
    page = "export const a = {\n  b: 1,\n}\n\n```js\nimport x from 'x'\n<Tabs>\n```\n<Tabs>\nT\n"
    assert mdx.markdown_of(page) == "```js\nimport x from 'x'\n<Tabs>\n```\nT\n"


def test_a_notebook_shows_text_and_code_but_no_output():
    cells = [
        {"cell_type": "code", "source": "x = 1", "outputs": [{"text": "secret"}]},
        {"cell_type": "markdown", "source": "# T"},
    ]
    assert notebook.markdown_of(json.dumps({"cells": cells}), Path("n")) == (
        "```\nx = 1\n```\n\n# T\n"
    )
    with pytest.raises(InputError, match="it has no list of cells"):
        notebook.markdown_of("[]", Path("n.ipynb"))


def test_the_pages_of_a_pdf_are_headings_that_labels_can_name(tmp_path):
    pytest.importorskip("pypdfium2", reason="the pdf extra is not installed")
    (document,) = folder(tmp_path, {"leave.pdf": PDF}, pattern=ALL)
    assert document.id == "leave"
    start, end = Outline(document.text).place(("Page 1",))
    assert document.text[start:end] == "# Page 1\n\nThirty days"
    with pytest.raises(InputError, match="cannot be read as PDF"):
        folder(tmp_path, {"x.pdf": b"no"}, pattern=ALL)


def test_a_spreadsheet_becomes_a_table(tmp_path):
    pytest.importorskip("markitdown", reason="the office extra is not installed")
    openpyxl = pytest.importorskip("openpyxl", reason="extra: office")
    book = openpyxl.Workbook()
    book.active.append(["Plan", "Price"])
    book.active.append(["Pro", 20])
    book.save(tmp_path / "prices.xlsx")
    (document,) = DocumentFolder(str(tmp_path), pattern=("**/*.xlsx",)).load()
    assert "| Pro | 20 |" in document.text

import pytest

from rageval.chunking.sections import sections


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_places_are_exact_for_every_line_end(end):
    text = end.join(["Intro é😀", "", "# One", "x", "## Two", "y", "", "Three", "=====", "z"])
    found = sections(text)
    assert [(s.path, s.level, s.line) for s in found] == [
        (("One",), 1, 3),
        (("One", "Two"), 2, 5),
        (("Three",), 1, 8),
    ]
    assert text[found[0].start : found[0].end] == end.join(["# One", "x", "## Two", "y", "", ""])
    assert text[found[1].start : found[1].end] == end.join(["## Two", "y", "", ""])
    assert text[found[2].start :] == end.join(["Three", "=====", "z"])
    assert found[2].end == len(text)


def test_other_unicode_line_ends_do_not_shift_places():
    text = "a\u2028b\x85c\x0bd\x0ce\n# One\n"
    (section,) = sections(text)
    assert text[section.start : section.end] == "# One\n"


def test_code_quotations_and_lists_hold_no_headings():
    text = "```\n# a\n```\n\n    # b\n\n> # c\n\n- # d\n\n# e\n"
    assert [section.title for section in sections(text)] == ["e"]


def test_titles_are_text_without_markup():
    text = "# The `run` *command*, [linked](http://x) &amp; ![pic](y) <b>bold</b> #\n"
    assert sections(text)[0].title == "The run command, linked & pic bold"


def test_a_title_over_several_lines_is_one():
    assert sections("One\ntwo\n---\n")[0].title == "One two"


def test_a_skipped_level_is_no_part_of_the_path():
    found = sections("# A\n### B\n## C\n")
    assert [section.path for section in found] == [("A",), ("A", "B"), ("A", "C")]


def test_a_deeper_heading_before_a_higher_one_has_its_own_path():
    found = sections("## A\n# B\n")
    assert [(section.path, section.start, section.end) for section in found] == [
        (("A",), 0, 5),
        (("B",), 5, 9),
    ]


def test_a_text_without_headings_has_no_sections():
    assert sections("") == []
    assert sections("text\n") == []

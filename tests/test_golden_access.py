import pytest

from rageval.errors import InputError
from rageval.golden.access import AccessFile, PublicOnly


def access(folder, text: str) -> AccessFile:
    (folder / "access.yaml").write_text(text, encoding="utf-8")
    return AccessFile(str(folder / "access.yaml"))


def test_an_asker_has_the_groups_of_the_file(tmp_path):
    known = access(tmp_path, "askers: {maria: [hr, managers], tom: []}\n")
    assert known.groups("maria") == {"hr", "managers"}
    assert known.groups("tom") == frozenset()
    assert known.groups(None) == frozenset()


def test_an_unknown_asker_is_refused_with_the_known_ones(tmp_path):
    known = access(tmp_path, "askers: {maria: [hr], tom: []}\n")
    with pytest.raises(InputError, match=r"'mria' is unknown, did you mean 'maria'.*: maria, tom"):
        known.groups("mria")


@pytest.mark.parametrize("known", [PublicOnly(), AccessFile(None)])
def test_without_a_file_nobody_is_known(known):
    assert known.groups(None) == frozenset()
    with pytest.raises(InputError, match="'maria' is unknown"):
        known.groups("maria")


def test_all_faults_of_the_file_are_told_at_once(tmp_path):
    text = "askers:\n  maria: hr\n  tom: [a, a]\n  12: []\n  tom: []\n  eve: [no]\nx: 1\n"
    with pytest.raises(InputError) as error:
        access(tmp_path, text).groups("maria")
    lines = str(error.value).replace(f"{tmp_path}/access.yaml:", "").splitlines()
    assert lines == [
        "2: maria is text, a list is needed",
        "3: tom names 'a' twice",
        "4: an asker is 12, read as a number, text is needed: write it in quotes",
        "5: the key 'tom' occurs twice",
        "6: an item of eve is no, read as true or false, text is needed: write it in quotes",
        "7: unknown key 'x'; known are askers",
    ]


@pytest.mark.parametrize("text", ["maria: [hr]\n", "", "- maria\n", "askers\n"])
def test_a_file_in_another_form_is_told_the_form_whoever_asks(tmp_path, text):
    form = r"access\.yaml:1: the key askers is missing; the form is askers: \{maria: \["
    for asker in ("maria", None):
        with pytest.raises(InputError, match=form):
            access(tmp_path, text).groups(asker)


def test_askers_and_groups_that_cannot_be_names_are_refused_with_their_line(tmp_path):
    text = f'askers:\n  "a\\tb": []\n  tom: ["h\\0r"]\n  eve: [{"x" * 151}]\n'
    with pytest.raises(InputError) as error:
        access(tmp_path, text).groups("tom")
    lines = str(error.value).replace(f"{tmp_path}/access.yaml:", "").splitlines()
    assert lines == [
        r"2: the asker 'a\tb' holds the control character '\t'",
        r"3: the group 'h\x00r' holds the control character '\x00'",
        f"4: the group '{'x' * 60}…' has 151 characters, at most 150 are allowed",
    ]

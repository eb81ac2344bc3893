import pytest
from scripted import Askers

from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError
from rageval.golden.access import PublicOnly
from rageval.golden.question import Answerable, GoldenSet, Question, Reference
from rageval.judging.check import check
from rageval.judging.quotes import place_of_quote
from rageval.judging.resolution import Evidence, Span, resolve

LEAVE = "# Leave\n\n## Sick  *leave*\n\nten days\n\n### Note\n\nx\n\n## Paid\n\nten days\n"
CORPUS = Corpus(
    (
        Document("travel", "# Trains\na\n# Planes\nb\n## Planes\nc\n"),
        Document("leave", LEAVE),
        Document("twice", "# T\n## A\nx\n## A\ny\n"),
        Document("two titles", "# A\n## B\nx\n# C\n"),
        Document("plain", "no headings\r\nat all\r\n"),
    ),
    "test",
)


def golden(*questions: Question) -> GoldenSet:
    return GoldenSet("s", questions)


def place(reference: Reference) -> str:
    """Return the text of the one span that a reference means."""
    (item,) = resolve(golden(Question("q", "x", supporting=((reference,),))), CORPUS)
    span = item.requirements[0][0]
    return CORPUS[span.document].text[span.start : span.end]


def fault(reference: Reference) -> str:
    question = Question("q", "x", supporting=((reference,),), where="g.yaml:3")
    with pytest.raises(InputError) as error:
        resolve(golden(question), CORPUS)
    return str(error.value)


def test_a_document_is_the_span_of_all_its_characters():
    (item,) = resolve(golden(Question("q", "x", expected=("leave", "travel"))), CORPUS)
    assert item == Evidence(((Span(1, 0, len(LEAVE)), Span(0, 0, 34)),), ())  # 9+2 + 9+2 + 10+2


def test_each_supporting_item_is_a_requirement_and_any_of_its_references_an_alternative():
    question = Question(
        "q",
        "x",
        expected=("plain",),  # a hit, but the evidence is what is supporting
        supporting=((Reference("leave"), Reference("plain", span=(3, 11))), (Reference("twice"),)),
        distractors=(Reference("travel", heading=("Trains",)),),
    )
    (item,) = resolve(golden(question), CORPUS)
    assert item.requirements == (
        (Span(1, 0, len(LEAVE)), Span(4, 3, 11)),
        (Span(2, 0, 18),),
    )
    assert item.distractors == (Span(0, 0, 10),)


@pytest.mark.parametrize(
    "heading",
    [
        ("Leave", "Sick leave"),
        ("Sick leave",),
        ("sick  LEAVE",),
        ("Sick *leave*",),
        ("ＳＩＣＫ leave",),
    ],
)
def test_a_heading_is_found_with_or_without_the_title_and_however_it_is_spelled(heading):
    text = place(Reference("leave", heading=heading))
    assert text == "## Sick  *leave*\n\nten days\n\n### Note\n\nx"


def test_the_whole_path_goes_before_one_without_the_title():
    corpus = Corpus((Document("d", "# A\n## A\nx\n"),), "test")
    question = Question("q", "x", supporting=((Reference("d", heading=("A",)),),))
    assert resolve(golden(question), corpus)[0].requirements == ((Span(0, 0, 10),),)


def test_a_document_with_two_titles_has_no_path_without_them():
    assert "no such heading" in fault(Reference("two titles", heading=("B",)))
    assert place(Reference("travel", heading=("Planes",))) == "# Planes\nb\n## Planes\nc"


def test_an_unknown_heading_is_unresolved_and_the_nearest_is_offered():
    assert fault(Reference("leave", heading=("Sik leave",))) == (
        "g.yaml:3: question 'q': unresolved: leave / Sik leave: the document has no such heading, "
        "did you mean 'Leave > Sick leave'?; it has: Leave; Leave > Sick leave; "
        "Leave > Sick leave > Note; Leave > Paid"
    )


def test_a_lower_heading_alone_is_no_path():
    assert "did you mean 'Leave > Sick leave > Note'?" in fault(
        Reference("leave", heading=("Note",))
    )


def test_a_heading_that_stands_twice_is_told_with_its_lines():
    assert fault(Reference("twice", heading=("A",))).endswith(
        "on lines 2, 4: give a quote or a span"
    )


def test_a_heading_of_a_document_without_headings_is_unresolved():
    assert fault(Reference("plain", heading=("A",))).endswith("the document has no headings")


def test_a_quote_is_found_where_it_stands():
    assert place(Reference("plain", quote="headings\r\nat")) == "headings\r\nat"


def test_a_quote_that_stands_twice_is_refused_with_its_lines():
    assert "on lines 5, 13" in fault(Reference("leave", quote="ten days"))


def test_occurrences_that_overlap_count():
    corpus = Corpus((Document("d", "aaa"),), "test")
    question = Question("q", "x", supporting=((Reference("d", quote="aa"),),))
    with pytest.raises(InputError, match="several times"):
        resolve(golden(question), corpus)


def test_a_quote_with_other_white_space_is_told_so_but_not_taken():
    assert "on line 1 it stands with other white space" in fault(
        Reference("plain", quote="headings at all")
    )


def test_a_misspelled_quote_gets_the_nearest_line():
    assert "the nearest is: 'no headings'" in fault(Reference("plain", quote="no haedings"))


def test_a_span_must_lie_within_the_text():
    assert place(Reference("plain", span=(0, 2))) == "no"
    assert place(Reference("plain", span=(13, 21))) == "at all\r\n"
    assert "0 ≤ start < end ≤ 21" in fault(Reference("plain", span=(13, 22)))


def test_an_unknown_document_is_unresolved_and_the_nearest_is_offered():
    assert fault(Reference("leaves")) == (
        "g.yaml:3: question 'q': unresolved: leaves: "
        "the corpus has no such document, did you mean 'leave'?"
    )


def test_all_unresolved_references_are_told_at_once():
    questions = [
        Question("a", "x", expected=("nowhere",), distractors=(Reference("gone"),)),
        Question("b", "x", supporting=((Reference("leave", quote="absent"),),)),
        Question("c", "x", expected=("leave",)),
    ]
    with pytest.raises(InputError) as error:
        resolve(golden(*questions), CORPUS)
    lines = str(error.value).splitlines()
    assert [line.split(": ")[:3] for line in lines] == [
        ["question 'a'", "unresolved", "nowhere"],
        ["question 'a'", "unresolved", "gone"],
        ["question 'b'", "unresolved", "leave / “absent”"],
    ]


def test_a_set_is_checked_against_corpus_and_askers():
    questions = [
        Question("a", "x", expected=("leav",), supporting=((Reference("leave"),),)),
        Question("b", "x", expected=("leave",), grades={"travels": 1}, asker="tom"),
        Question("c", "x", expected=("gone",), forbidden=("plane",)),
    ]
    with pytest.raises(InputError) as error:
        check(golden(*questions), CORPUS, PublicOnly())
    lines = str(error.value).splitlines()
    tail = "the corpus has no such document, did you mean"
    assert lines == [
        f"question 'a': expected names 'leav', {tail} 'leave'?",
        f"question 'b': grades names 'travels', {tail} 'travel'?",
        f"question 'c': forbidden names 'plane', {tail} 'plain'?",
        "question 'b': asker 'tom' is unknown: no access file is configured",
        "question 'c': unresolved: gone: the corpus has no such document",
    ]


def test_a_right_set_passes_the_check():
    (evidence,) = check(golden(Question("a", "x", expected=("leave",))), CORPUS, PublicOnly())
    assert evidence.requirements == ((Span(1, 0, len(LEAVE)),),)


def test_each_line_of_a_quote_that_stands_several_times_is_told_once():
    corpus = Corpus((Document("d", "ab\nx\r\nab ab ab\n"), Document("e", "aaa")), "test")
    told = [
        ("d", "ab", "several times, on lines 1, 3 (3 times): quote more"),
        ("e", "a", "several times, on line 1 (3 times): quote more"),
    ]
    for document, quote, sentence in told:
        question = Question("q", "x", supporting=((Reference(document, quote=quote),),))
        with pytest.raises(InputError) as error:
            resolve(golden(question), corpus)
        assert sentence in str(error.value)


def test_a_denied_question_whose_asker_may_see_what_is_forbidden_is_a_fault():
    corpus = Corpus((Document("open", "x"), Document("pay", "x", frozenset({"hr"}))), "test")
    denied = {"answerable": Answerable.DENIED, "forbidden": ("pay", "open")}
    shut = {"answerable": Answerable.DENIED, "forbidden": ("pay",)}
    questions = [
        Question("a", "x", asker="eva", **denied),
        Question("b", "x", **denied),
        Question("c", "x", asker="tom", **shut),
        Question("d", "x", **shut),
    ]
    with pytest.raises(InputError) as error:
        check(golden(*questions), corpus, Askers({"eva": ["hr"], "tom": []}))
    assert str(error.value).splitlines() == [
        "question 'a': answerable is denied, but the asker 'eva' may see pay, open",
        "question 'b': answerable is denied, but everybody may see open",
    ]


def test_a_quote_is_found_up_to_white_space_where_that_is_asked():
    assert place_of_quote("of leave", "days of\n  leave.", quoting="space") == (5, 15)
    with pytest.raises(InputError, match="occurs several times"):
        place_of_quote("a b", "a  b a\nb", quoting="space")
    with pytest.raises(InputError, match="does not hold"):
        place_of_quote("Of leave", "days of\n  leave.", quoting="space")


@pytest.mark.parametrize(
    "text",
    ["You get **thirty days**, always.", "you get _Thirty_ days,\n> always.", "YOU `GET`\n- thirty"
     " days, always."],
)  # fmt: skip
def test_a_loose_quote_may_differ_in_case_and_marks_alone(text):
    start, end = place_of_quote("You get thirty days, always.", text, quoting="loose")
    assert (start, end) == (0, len(text))
    with pytest.raises(InputError):
        place_of_quote("You get forty days, always.", text, quoting="loose")


def test_how_many_quotes_match_loosely_is_said(typed, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nThirty\ndays.\n")
    (tmp_path / "g.yaml").write_text(
        "set: s\nquestions:\n"
        "- {id: q, question: x, supporting: [{document: a, quote: Thirty days}]}\n"
    )
    words = ("check", "dataset=markdown", "dataset.path=docs", "dataset.questions=g.yaml")
    said = typed(*words)
    assert "1 quote is in the corpus up to white space only" in said.out
    assert typed(*words, "dataset.quotes=exact").code == 2

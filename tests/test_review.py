"""Candidates judged by keys alone, in a real browser against the real server."""

import shutil
import threading
from dataclasses import replace

import pytest
import yaml
from browser import chromium
from desk import DATA

from rageval.errors import InputError
from rageval.formats.markdown.corpus import MarkdownFolder
from rageval.golden.access import AccessFile
from rageval.mining.cases import Cases
from rageval.mining.pool import Suggestion, pool_path, read_pool, write_pool
from rageval.review.passages import passages
from rageval.review.server import application, open_page
from rageval.review.session import Session

TOKEN = "a-token"
CASES = [
    {"id": "log-1", "question": "When do unused days expire?", "answerable": "todo",
     "source": "log", "notes": "asked 3 times; no result 3; novelty 0.60"},
    {"id": "log-2", "question": "Who waters the plants?", "answerable": "todo", "asker": "tom"},
    {"id": "log-3", "question": "price of <b>pumps</b>", "answerable": "todo"},
]  # fmt: skip


def suggestion(corpus, name, heading, found_by):
    text = corpus.find(name).text
    from rageval.chunking.sections import sections

    section = next((s for s in sections(text) if s.title == heading), None)
    start, end = (section.start, section.end) if section else (0, len(text))
    part = text[start:end].rstrip()
    path = section.path if section else ()
    return Suggestion(name, start, start + len(part), path, part, found_by)


@pytest.fixture
def session(tmp_path):
    shutil.copytree(DATA, tmp_path / "data")
    corpus = MarkdownFolder(path=str(tmp_path / "data" / "documents")).load()
    access = AccessFile(path=str(tmp_path / "data" / "access.yaml"))
    path = tmp_path / "candidates.yaml"
    found = [
        suggestion(corpus, "leave", "Carry-over", {"bm25": 1}),
        suggestion(corpus, "leave", "Exception", {"dense": 1}),
        suggestion(corpus, "leave-2020", "Carry-over", {"bm25": 2}),
    ]
    Cases(path, "tiny", tuple(CASES)).write({})
    write_pool(pool_path(path), {"log-1": found})
    pump = suggestion(corpus, "pump", None, {"bm25": 1})
    return Session(path, "tiny", corpus, access, lambda words, asker: [pump])


def written(session):
    content = yaml.safe_load(session.path.read_text())["questions"]
    return {case["id"]: case for case in content}


# --- the server


@pytest.fixture
def client(session):
    return application(session, TOKEN, lambda: None).test_client()


def test_nobody_without_the_token_or_by_another_name_is_answered(client):
    for path in ("/", "/cases", "/cases/log-1", "/documents/leave"):
        assert client.get(path).status_code == 403
        assert client.get(path, headers={"X-Token": "wrong"}).status_code == 403
        # A name that somebody points at this machine is another name.
        other = {"X-Token": TOKEN, "Host": "evil.example"}
        assert client.get(path, headers=other).status_code == 403
        assert client.get(path, headers={"X-Token": TOKEN}).status_code == 200
    assert client.post("/cases/log-1", json={"answer": "nothing"}).status_code == 403


def post(client, content, name="log-1"):
    return client.post(f"/cases/{name}", json=content, headers={"X-Token": TOKEN})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"answer": "found", "expected": ["nope"]}, "the corpus has no such document"),
        ({"answer": "found"}, "log-1"),
        (
            {"answer": "found", "supporting": [[{"document": "leave", "span": [5, 999999]}]]},
            "leave",
        ),
        ({"answer": "maybe"}, "answer"),
        ({"answer": "nothing", "tags": [" a"]}, "tags"),
        ([], "judgement"),
        (None, "judgement"),
    ],
)
def test_a_wrong_judgement_is_told_and_nothing_is_written(client, session, content, said):
    before = session.path.read_text()
    answer = post(client, content)
    assert answer.status_code == 400
    assert said.lower() in " ".join(answer.get_json()["faults"]).lower()
    assert session.path.read_text() == before
    assert post(client, {"answer": "nothing"}, "log-9").status_code == 400


@pytest.mark.parametrize("body", [b"", b"[", b"[" * 100_000, b"\xff", b'{"answer": "nothing"'])
def test_what_is_no_json_is_told_as_such(client, body):
    answer = client.post("/cases/log-1", data=body, headers={"X-Token": TOKEN})
    assert answer.status_code == 400
    assert answer.get_json()["faults"][0].startswith("judgement")


def test_a_browser_keeps_and_passes_on_nothing(client):
    headers = client.get("/", headers={"X-Token": TOKEN}).headers
    assert (headers["Referrer-Policy"], headers["Cache-Control"]) == ("no-referrer", "no-store")
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


def test_what_is_edited_by_hand_meanwhile_is_not_lost(client, session):
    text = session.path.read_text()
    session.path.write_text(text.replace("Who waters the plants?", "Who waters the trees?"))
    assert post(client, {"answer": "nothing"}).status_code == 200
    assert written(session)["log-2"]["question"] == "Who waters the trees?"
    assert written(session)["log-1"]["answerable"] is False


def test_suggestions_that_the_corpus_has_no_more_are_left_out(client, session):
    """A document went and another changed since `mine` found them: the rest is still shown."""
    pool = read_pool(pool_path(session.path))
    first, second, third = pool["log-1"]
    gone, moved = replace(first, document="gone"), replace(third, text="of yesterday")
    write_pool(pool_path(session.path), {"log-1": [gone, second, moved]})
    answer = client.get("/cases/log-1", headers={"X-Token": TOKEN})
    assert answer.status_code == 200
    assert [one["text"] for one in answer.get_json()["suggestions"]] == [second.text]


def test_a_taken_port_is_a_sentence(session):
    page = open_page(session, 0, TOKEN)
    try:
        with pytest.raises(InputError, match="port: .* cannot be used"):
            open_page(session, page.server.server_port, TOKEN)
    finally:
        page.server.server_close()


def test_passages_are_exact_and_cover_all_that_is_written():
    text = "Intro\nline.\n\n# A\n- one\n- two\n  more\n\n| x | y |\n| 1 | 2 |\n\nEnd"
    found = [text[start:end] for start, end in passages(text)]
    assert found == ["Intro\nline.", "# A", "- one", "- two\n  more", "| x | y |", "| 1 | 2 |",
                     "End"]  # fmt: skip
    assert "".join("".join(found).split()) == "".join(text.split())


# --- the page


@pytest.fixture(scope="module", name="chromium")
def _chromium():
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(session, chromium):
    served = open_page(session, 0, TOKEN)
    thread = threading.Thread(target=served.run)
    thread.start()
    page = chromium.new_page()
    faults = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.goto(served.address)
    page.get_by_role("option").first.wait_for()
    yield page
    page.close()
    served.end()
    thread.join()
    served.server.server_close()
    assert faults == []


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def test_a_person_judges_everything_without_a_mouse(page, session):
    # The first passage has the focus; two pieces are needed, the third looks right and is wrong.
    press(page, "Enter", "ArrowDown", "Enter", "ArrowDown", "x")
    press(page, "f", "f", "t")
    page.keyboard.type("negation, multi_chunk")
    press(page, "Enter", "g")
    page.keyboard.type("In March")
    press(page, "Enter", "s")
    page.get_by_role("heading", name="Who waters the plants?").wait_for()
    press(page, "n", "s")
    page.get_by_role("heading", name="price of <b>pumps</b>").wait_for()  # text stays text
    press(page, "/")
    page.keyboard.type("pump")
    press(page, "Enter")
    page.get_by_role("option").first.wait_for()
    press(page, "w", "s")
    page.get_by_text("all is judged").wait_for()
    found = written(session)
    assert [need["heading"][-1] for need in found["log-1"]["supporting"]] == [
        "Carry-over", "Exception",
    ]  # fmt: skip
    assert found["log-1"]["distractors"][0]["document"] == "leave-2020"
    assert (found["log-1"]["form"], found["log-1"]["tags"], found["log-1"]["gist"]) == (
        "GAP", ["negation", "multi_chunk"], "In March",
    )  # fmt: skip
    assert found["log-1"]["notes"] == CASES[0]["notes"]
    assert "answerable" not in found["log-1"]
    assert found["log-2"]["answerable"] is False
    assert found["log-3"]["expected"] == ["pump"]
    press(page, "q")
    page.get_by_text("Ended.").wait_for()


def test_a_key_that_comes_before_the_answer_never_judges_another_case(page, session):
    """The server is slow: what follows `s` is for the next case, with nothing of the last one."""
    page.evaluate(
        "const real = window.fetch; window.fetch = (...asked) =>"
        " new Promise((done) => setTimeout(() => done(real(...asked)), 200))"
    )
    press(page, "Enter", "f", "s")
    page.wait_for_timeout(300)  # saved; the next case is on its way
    press(page, "n", "s")
    page.get_by_text("2 of 3 judged").wait_for()
    first, second = written(session)["log-1"], written(session)["log-2"]
    assert (first["form"], len(first["supporting"])) == ("MATCH", 1)
    assert (second["answerable"], "form" in second, "supporting" in second) == (False, False, False)


def test_a_span_of_several_passages_is_chosen_in_the_document(page, session):
    press(page, "o")
    page.get_by_role("heading", name="leave").wait_for()
    opened = page.locator("[role=option]:focus")
    assert "Carry-over" in opened.inner_text()
    press(page, "Shift+ArrowDown", "Enter", "s")
    page.get_by_role("heading", name="Who waters the plants?").wait_for()
    (need,) = written(session)["log-1"]["supporting"]
    start, end = need["span"]
    text = session.corpus.find("leave").text[start:end]
    assert text.startswith("## Carry-over")
    assert len(text) > len("## Carry-over")
    assert text == text.strip()


def test_alternatives_undo_and_going_back(page, session):
    press(page, "Enter", "ArrowDown", "a", "s")
    page.get_by_role("heading", name="Who waters the plants?").wait_for()
    (need,) = written(session)["log-1"]["supporting"]
    assert len(need["any_of"]) == 2
    press(page, "[")
    page.get_by_role("heading", name="When do unused days expire?").wait_for()
    assert page.locator("[role=option].needed").count() == 2  # as it was judged
    press(page, "u")
    page.get_by_text("undone").wait_for()
    assert written(session)["log-1"]["answerable"] == "todo"
    assert "supporting" not in written(session)["log-1"]


def test_leaving_a_judgement_that_was_not_saved_is_said_once_before_it_is_lost(page, session):
    press(page, "Enter", "]")
    page.get_by_text("not saved: s saves").wait_for()
    assert page.get_by_role("heading", name="When do unused days expire?").count() == 1
    press(page, "]")
    page.get_by_role("heading", name="Who waters the plants?").wait_for()
    press(page, "[")  # nothing was judged here, so nothing is asked
    page.get_by_role("heading", name="When do unused days expire?").wait_for()
    assert page.locator("[role=option].needed").count() == 0
    assert written(session)["log-1"]["answerable"] == "todo"


def test_saving_without_a_judgement_and_a_refused_one_are_told(page, session):
    press(page, "s")
    page.get_by_text("choose what answers it").wait_for()
    press(page, "Enter", "t")
    page.keyboard.type("a b, a b")
    press(page, "Enter", "s")
    page.locator("#faults:not(:empty)").wait_for()
    assert written(session)["log-1"]["answerable"] == "todo"


def test_every_role_and_name_that_a_screen_reader_needs_is_there(page):
    box = page.get_by_role("listbox", name="Passages that may answer it")
    assert box.get_by_role("option").count() == 3
    assert page.locator("[role=option][tabindex='0']").count() == 1
    assert page.get_by_role("navigation", name="Cases").count() == 1
    assert page.get_by_label("Search the corpus").count() == 1
    assert page.get_by_role("status").count() == 1

"""The pages of runs, comparisons and sweeps, looked at in a real Chromium."""

import json
import re
import statistics
from pathlib import Path
from urllib.parse import quote

import pytest
from browser import chromium
from desk import Desk
from results import result_of, row

import rageval.report.html as pages
from rageval.comparison.changes import compare
from rageval.comparison.paired import headlines
from rageval.report.comparison_page import comparison_page

READY = "body[data-ready]"


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A run, a comparison and a sweep of the sample as pages, and the run as data."""
    desk = Desk(tmp_path_factory.mktemp("pages"))
    quiet = ("latency.sample=0", "output.format=quiet")
    one = desk.type("+retriever=bm25", *quiet).out.strip()
    two = desk.type("+retriever=bm25", "chunking=fixed", *quiet).out.strip()
    desk.type("report", f"run={one}", "output=run.html")
    desk.type("report", f"run={one}", "format=json", "output=run.json")
    desk.type("report", f"run={one}", f"with={two}", "output=comparison.html")
    desk.type("-m", "+retriever=bm25,tfidf", "chunking=heading,fixed", "window.k=3,6", *quiet[1:])
    desk.type("report", "output=sweep.html")
    return desk.folder


@pytest.fixture
def look(browser, written):
    """Open a page and return it; a fault in its scripts, or anything loaded, fails the test."""
    faults, opened = [], []

    def at(name, fragment="", folder=None, **how):
        page = browser.new_page(viewport={"width": how.pop("width", 1400), "height": 900}, **how)
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("request", lambda request: faults.append(request.url)
                if not request.url.startswith(("file:", "data:", "blob:")) else None)  # fmt: skip
        page.goto(f"{((folder or written) / name).as_uri()}{fragment}")
        page.wait_for_selector(READY)
        opened.append(page)
        return page

    yield at
    for page in opened:
        page.close()
    assert faults == []


def counted(page):
    """Return how many rows fit the filter, as the page says."""
    return int(page.locator("#f-said").inner_text().split()[0].replace(",", ""))


def rows(page, field):
    return page.locator(f"#table .tabulator-row [tabulator-field='{field}']").all_inner_texts()


def questions(written):
    return json.loads((written / "run.json").read_text())["questions"]


def test_a_question_shows_its_passages_with_the_evidence_marked(look):
    page = look("run.html", "#q=pol-002")
    detail = page.locator("#detail")
    assert "A lorry scraped the gate last week" in detail.locator("h2").inner_text()
    assert "rank 39, below k = 6" in detail.inner_text()
    assert "nobody in particular: public documents only" in detail.inner_text()
    marked = detail.locator("mark.evidence").all_inner_texts()
    assert any("| camera footage, yard | 72 hours | overwritten |" in text for text in marked)
    first = detail.locator(".passage").first.inner_text()
    assert "#1" in first
    assert "sites/ardlebridge" in first
    assert re.search(r"candidate 1 · score \d", first)


def test_the_rights_of_the_asker_stand_with_the_question(look, written):
    asked = next(q for q in questions(written) if "asker.hr" in q["subsets"])
    page = look("run.html", f"#q={asked['id']}")
    told = page.locator("#detail").inner_text()
    assert re.search(r"asked by\s+\w+, who may see what is for [\w, -]*\bhr\b", told), told


def test_filters_of_subset_diagnosis_and_measure_keep_what_the_run_says(look, written):
    found = questions(written)
    page = look("run.html")
    assert counted(page) == len(found)
    page.select_option("#f-subset", "tag.negation")
    inside = [q for q in found if "tag.negation" in q["subsets"]]
    assert counted(page) == len(inside)
    page.select_option("#f-measure", "hit_rate_at_3")
    page.select_option("#f-state", "zero")
    missed = [q["id"] for q in inside if q["values"]["hit_rate_at_3"] == 0]
    assert sorted(rows(page, "id")) == sorted(missed)
    page.click("#f-clear")
    page.select_option("#f-cause", "below k")
    below = [q for q in found if q["diagnosis"].startswith("below k")]
    assert counted(page) == len(below)


def test_text_is_words_or_a_regular_expression(look, written):
    page = look("run.html")
    page.fill("#f-text", "PUMP bk-2215")
    assert "prd-001" in rows(page, "id")
    page.fill("#f-text", "^prd-0(01|02)$|nothing like it")
    assert counted(page) == 0
    page.check("#f-regex")
    page.fill("#f-text", "^prd-0(01|02)\n")
    assert sorted(rows(page, "id")) == ["prd-001", "prd-002"]
    page.fill("#f-text", "(")
    assert page.locator("#f-text").get_attribute("aria-invalid") == "true"
    assert counted(page) == len(questions(written))


def test_the_address_holds_filters_sorting_and_the_question(look):
    page = look("run.html")
    page.select_option("#f-subset", "tag.negation")
    page.fill("#f-text", "the")
    page.locator("#table .tabulator-col[tabulator-field='mrr']").click()
    page.locator("#table .tabulator-row").nth(1).click()
    fragment = "#" + page.url.partition("#")[2]
    shown, chosen = rows(page, "id"), page.locator("#detail h2").inner_text()
    again = look("run.html", fragment)
    assert rows(again, "id") == shown
    assert again.locator("#detail h2").inner_text() == chosen
    assert again.locator("#f-text").input_value() == "the"
    values = [float(v) for v in rows(again, "mrr") if v != "–"]
    assert values == sorted(values)


def test_a_person_moves_by_keys_alone(look):
    page = look("run.html")
    page.keyboard.press("/")
    page.keyboard.type("the")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    first = page.locator("#detail h2").inner_text()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "detail"
    page.keyboard.press("j")
    assert page.locator("#detail h2").inner_text() != first
    page.keyboard.press("k")
    assert page.locator("#detail h2").inner_text() == first
    page.keyboard.press("Escape")
    assert not page.locator("#detail").is_visible()


def test_a_comparison_shows_every_question_and_filters_by_what_changed(look, written):
    page = look("comparison.html")
    assert counted(page) == len(questions(written))
    page.select_option("#f-turn", "improved")
    improved = page.get_by_text(re.compile(r"^improved\s+\(\d+\):")).inner_text()
    names = improved.partition(": ")[2].split()
    assert counted(page) == len(names)
    assert set(rows(page, "id")) <= set(names)  # those in view
    page.click("#f-clear")
    page.select_option("#f-measure", "recall")
    page.select_option("#f-move", "rose")
    assert set(rows(page, "v0")) == {"0.00"}
    assert set(rows(page, "v1")) == {"1.00"}
    page.click("#f-clear")
    page.check("#f-differs")
    assert 0 < counted(page) < len(questions(written))
    assert page.locator("#scatter canvas").count() == 1
    page.locator("#table .tabulator-row").first.click()
    assert "baseline: bm25, heading" in page.locator("#detail").inner_text()


def test_a_comparison_says_in_words_what_its_figures_mean(look):
    words = look("comparison.html").locator("main").inner_text()
    assert re.search(r"mrr rose by 0\.\d+ \[.*\] over 77 questions: chance alone hardly", words)


def test_several_runs_stand_side_by_side(look, tmp_path):
    base = result_of(row("q1", 1), row("q2", 3), row("q3"), run="base")
    better = result_of(row("q1", 1), row("q2", 1), row("q3", 2), run="better")
    worse = result_of(row("q1", 5), row("q2", 3), run="worse")
    pairs = [(found, headlines(found)) for found in (compare(base, r) for r in (better, worse))]
    (tmp_path / "c.html").write_bytes(comparison_page(pairs)[""])
    page = look("c.html", folder=tmp_path)
    assert counted(page) == 3
    page.select_option("#f-other", "2")
    assert dict(zip(rows(page, "id"), rows(page, "turn"), strict=True)) == {
        "q1": "regressed", "q2": "unchanged", "q3": "removed",
    }  # fmt: skip


def test_a_sweep_has_any_measure_of_any_subset_as_a_column(look):
    page = look("sweep.html", f"#subset={quote('tag.negation')}&measure=mrr")
    heads = page.locator("#table .tabulator-col-title").all_inner_texts()
    assert "tag.negation: mrr" in heads
    values = rows(page, "added")
    assert len(values) == 8
    assert all(re.fullmatch(r"0\.\d{3} \(n \d+\)", value) for value in values)
    assert [float(v.split()[0]) for v in values] == sorted(
        (float(v.split()[0]) for v in values), reverse=True
    )
    assert page.locator("#parallel canvas").count() == 1
    assert page.locator("#pareto-window canvas").count() == 1
    assert page.locator("#heat table").count() == 3
    assert "try next:" in page.locator("main").inner_text()


@pytest.mark.parametrize("how", [{}, {"color_scheme": "dark"}, {"width": 380}])
@pytest.mark.parametrize("name", ["run.html", "comparison.html", "sweep.html"])
def test_pages_keep_the_rules_of_accessibility(look, name, how):
    axe = pytest.importorskip("axe_playwright_python", reason="axe-core is not installed")
    rules = (Path(axe.__file__).parent / "axe.min.js").read_text()
    for fragment in ("", "#text=nothing-is-called-so", "#q=prd-002"):
        page = look(name, fragment, **how)
        page.evaluate(rules)
        found = page.evaluate("axe.run()")["violations"]
        assert [(v["id"], v["nodes"][0]["target"]) for v in found] == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_on_paper_every_row_that_fits_the_filter_is_printed(look, written):
    page = look("run.html", "#subset=tag.paraphrase")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    printed = page.locator(".tabulator-print-table tbody tr").count()
    assert printed == sum("tag.paraphrase" in q["subsets"] for q in questions(written))


def test_text_of_documents_is_text_and_never_markup(look, tmp_path):
    rows_ = [row("q1", 1, diagnosis="</script><img src=x onerror=document.title='owned'>\u202e")]
    found = compare(result_of(*rows_), result_of(*rows_, run="b"))
    (tmp_path / "c.html").write_bytes(comparison_page([(found, {})])[""])
    page = look("c.html", "#q=q1", folder=tmp_path)
    assert "</script><img src=x" in page.locator("#detail").inner_text()
    assert "\\u202e" in page.locator("#detail").inner_text()
    assert page.title() == "candidate → b"


def many(count):
    texts = [f"Where is item {n} kept and who looks after it on working days?" for n in range(50)]
    return [
        row(f"q{n}", n % 12 or None, diagnosis=texts[n % 50], documents=[f"d{n % 9}", f"e{n % 7}"])
        for n in range(count)
    ]


def test_much_data_lies_beside_the_page(look, tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "MOST", 1000)
    monkeypatch.setattr(pages, "_PART", 20_000)
    found = compare(result_of(*many(200)), result_of(*many(200), run="b"))
    for path, content in comparison_page([(found, {})]).items():
        target = tmp_path / (path or "c.html")
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(content)
    assert len(list((tmp_path / "report_data").iterdir())) > 1
    assert counted(look("c.html", folder=tmp_path)) == 200


@pytest.mark.thorough
def test_ten_thousand_questions_are_ready_in_two_seconds_and_filter_in_a_tenth(look, tmp_path):
    found = compare(result_of(*many(10_000)), result_of(*many(10_000), run="b"))
    (tmp_path / "c.html").write_bytes(comparison_page([(found, {})])[""])
    ready, taken = [], []
    for _ in range(5):
        page = look("c.html", folder=tmp_path)
        ready.append(float(page.get_attribute("body", "data-ready")))
        page.wait_for_timeout(1500)
        for words in ("1", "12", "q12", ""):
            page.fill("#f-text", words)
            taken.append(float(page.get_attribute("body", "data-filtered")))
    assert statistics.median(ready) < 2000
    assert statistics.median(taken) < 100

"""The README's commands and examples run as they are typed."""

import ast
import re
import shlex
import sqlite3
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PAGES = [
    "README.md", "docs/first-hour.md", "docs/golden-sets.md", "docs/your-own-retriever.md",
    "docs/mining.md", "docs/retention.md",
]  # fmt: skip


def blocks(text, language):
    return re.findall(rf"```{language}\n(.*?)```", text, re.S)


def commands(page):
    """Every rageval command of a page, as words after the program's name."""
    lines = [
        line
        for block in blocks((ROOT / page).read_text(), "bash")
        for line in block.replace("\\\n", " ").split("\n")
    ]
    found = [line.split("-m rageval", 1)[1] for line in lines if "-m rageval" in line]
    return [shlex.split(rest, comments=True) for rest in found]


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """A folder in which the names that the pages use mean something."""
    tiny = ROOT / "tests" / "data" / "tiny"
    (tmp_path / "docs").symlink_to(tiny / "documents")
    golden = (tiny / "golden.yaml").read_text()
    (tmp_path / "golden.yaml").write_text(re.sub(r".*asker:.*\n", "", golden).replace(
        "    answerable: denied\n    forbidden: [hr/salaries]\n", "    answerable: false\n"
    ))  # fmt: skip
    (tmp_path / "mine.py").write_text(blocks(README, "python")[0])
    own = tmp_path / "mine" / "retriever"
    own.mkdir(parents=True)
    (own / "search_service.yaml").write_text("_target_: plugged.Nothing\n")
    (tmp_path / "old.yaml").write_text((tmp_path / "golden.yaml").read_text())
    (tmp_path / "access.yaml").write_text((tiny / "access.yaml").read_text())
    log = "question,asked_at,top_score,result_count,feedback\nWho pays?,2026-11-29,0.2,1,\n"
    (tmp_path / "questions.csv").write_text(log)
    with sqlite3.connect(tmp_path / "log.db") as base:
        names = "question, asked_at, top_score, result_count, feedback"
        base.execute(f"CREATE TABLE question_log ({names})")
    base.close()
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def commit_twice():
    """Give the folder a history of two commits."""
    who = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    for words in (["init", "-q"], ["add", "-A"], *[["commit", "-qm", "x", "--allow-empty"]] * 2):
        subprocess.run(["git", *who, *words], check=True, capture_output=True)


@pytest.mark.thorough
@pytest.mark.parametrize("words", [w for page in PAGES for w in commands(page)], ids=" ".join)
def test_every_command_of_the_pages_runs(words, typed, workplace, monkeypatch):
    if "dataset=beir" in words:
        pytest.skip("names a folder that only the reader has; test_collections.py runs it")
    monkeypatch.chdir(workplace)
    monkeypatch.setenv("SEARCH_TOKEN", "abc")
    monkeypatch.setenv("LOG_URL", "sqlite:///log.db")
    if "--config-dir=conf" in words:
        (workplace / "golden.yaml").unlink()
        assert typed("init", "path=docs", "name=docs").code == 0  # docs is a link here
    if "check.against=HEAD~1" in words:
        commit_twice()
    if words[0] in {"gate", "promote", "compare", "report", "rollback", "prune"}:
        off = ["--cfg", "job"]  # test_first_day.py runs them one after the other
    elif words[0] == "mine":
        off = ["tracking=off"]
    elif words[0] == "init":
        (workplace / "golden.yaml").unlink()
        off = []
    else:
        off = [] if "check" in words else ["tracking=off", "latency.sample=0"]
    said = typed(*words, *off)
    assert said.code == 0, said.err


def test_the_own_retriever_of_the_readme_runs_and_leaks_nothing(typed, workplace, tiny):
    said = typed(
        "+retriever=custom", "retriever._target_=mine.Shortest", *tiny, "tracking=off",
    )  # fmt: skip
    assert said.code == 0, said.err
    assert "errors 0 · leaks 0" in said.out


def test_the_production_example_of_the_readme_answers_within_the_askers_scope(monkeypatch):
    monkeypatch.chdir(ROOT)
    names = {}
    exec(blocks(README, "python")[1], names)
    assert 0 < len(names["found"]) <= 6
    assert all(found.text.strip() for found in names["found"])


def test_the_readmes_program_measures_compares_and_decides(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "leave.md").write_text("Staff get 25 days.")
    (tmp_path / "golden.yaml").write_text(
        "set: mine\nquestions: [{id: q1, question: How many days off?, expected: [leave]}]"
    )
    names = {"my_search": lambda question: [], "my_new_search": lambda question: ["leave"]}
    exec(blocks(README, "python")[2], names)
    assert "my_new" not in capsys.readouterr().out
    assert names["after"]["nDCG@10"] == 1.0


def test_the_two_commands_are_the_readmes_first_blocks():
    first, second = blocks(README, "bash")[:2]
    assert first.strip().endswith("-m rageval +retriever=hybrid")
    assert second.strip().endswith('pytest -n auto -m "not thorough"')


def test_the_ci_script_runs_the_two_commands_as_the_readme_prints_them():
    script = (ROOT / ".ci" / "run").read_text()
    begin, end = script.index("readme_command() {"), script.index("for number in")
    for number, block in enumerate(blocks(README, "bash")[:2], start=1):
        said = subprocess.run(
            ["bash", "-c", f"{script[begin:end]}\nreadme_command {number}"],
            cwd=ROOT, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert said.stdout == block.strip() + "\n"
        assert block.strip() not in script  # it is read, not repeated


# What `pip install -e '.[dev]'` leaves out. pytest imports every file of tests/ for its examples.
EXTRAS = {
    "ray", "optuna", "fsspec", "model2vec", "wordllama", "sentence_transformers", "submitit",
    "openpyxl", "pypdfium2", "markitdown", "pytrec_eval", "ir_measures", "atheris",
}  # fmt: skip
FILES = sorted((ROOT / "tests").rglob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_file_of_the_tests_needs_an_extra_to_be_imported(file):
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not EXTRAS & {name.partition(".")[0] for name in names}, (file, node.lineno)


LINKED = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", LINKED, ids=lambda page: page.name)
def test_every_link_to_a_file_of_the_project_leads_there(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:|#", target):
            assert (page.parent / target.partition("#")[0]).exists(), target


def test_the_table_of_contents_names_every_page():
    text = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    named = {target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)}
    pages = {
        page.relative_to(ROOT / "docs").as_posix()
        for page in (ROOT / "docs").rglob("*.md")
        if page.parent.name != "decisions"
    }
    assert pages - named == {"README.md"}

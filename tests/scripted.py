"""Evaluations of answers that are written down, for tests that work their results out by hand."""

from rageval.chunking.whole import WholeDocument
from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError
from rageval.evaluation.evaluation import evaluate
from rageval.evaluation.judgements import Benchmark
from rageval.golden.question import GoldenSet, Question
from rageval.judging.resolution import resolve
from rageval.measures.catalogue import Cutoffs
from rageval.retrieval.pipeline import Parts, Pipeline
from rageval.retrieval.retrievers.foreign import Foreign
from rageval.retrieval.rewriting import JoinTurns
from rageval.retrieval.window import Window

LETTERS = "abcdefgh"


class Script:
    """A retriever that knows its answer to each question: ids, (id, score) pairs, or a fault."""

    def __init__(self, answers):
        self.answers, self.asked = answers, []

    def retrieve(self, question, limit, groups):
        self.asked.append((question, limit, groups))
        answer = self.answers.get(question, ())
        if isinstance(answer, Exception):
            raise answer
        scored = [
            (hit, 1 - n / 100) if isinstance(hit, str) else hit for n, hit in enumerate(answer)
        ]
        return scored[:limit]


class Askers:
    """Askers and their groups."""

    def __init__(self, known):
        self.known = known

    def groups(self, asker):
        if asker is not None and asker not in self.known:
            raise InputError(f"asker {asker!r} is unknown")
        return frozenset(self.known.get(asker, ()))


def letters(groups=None):
    """Documents a to h, each the text of its letter; `groups` maps letters to who may see them."""
    rights = groups or {}
    rows = (Document(name, f"text {name}", frozenset(rights.get(name, ()))) for name in LETTERS)
    return Corpus(tuple(rows), "letters")


def question(name, **labels):
    """A question whose text is its id."""
    return Question(name, name, **labels)


def evaluated(answers, questions, corpus=None, **settings):
    """Evaluate written answers; settings are k, depth, min_score, per_document, hit_at, askers."""
    corpus = corpus or letters()
    window = Window(
        k=settings.get("k", 3),
        depth=settings.get("depth", 8),
        min_score=settings.get("min_score"),
        per_document=settings.get("per_document"),
    )
    retriever = Script(answers) if isinstance(answers, dict) else answers
    access = Askers(settings.get("askers", {}))
    chunker = settings.get("chunker") or WholeDocument()
    if hasattr(retriever, "retrieve"):
        retriever = Foreign(retriever)
    parts = Parts(chunker, retriever, window, JoinTurns(), access)
    pipeline = Pipeline.build(corpus, parts, lambda step: None)
    golden = GoldenSet("test", tuple(questions))
    benchmark = Benchmark(
        golden.questions,
        resolve(golden, corpus),
        Cutoffs(hit_at=settings.get("hit_at", (1, 3))),
        settings.get("min_overlap", 0.5),
    )
    return evaluate(pipeline, benchmark, lambda n: None)


def scored(answer, **labels):
    """Return the measures of a single question by name, None where one does not apply."""
    found = evaluated({"q": answer}, [question("q", **labels)])
    return {name: values.at(0) for name, values in found.values.items()}

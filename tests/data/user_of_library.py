"""What a user writes: this file is type-checked against the installed package."""

from collections.abc import Iterable

import rageval
from rageval import Dataset, EvaluationResult, Retriever, Verdict


class Mine:
    """A retriever."""

    def retrieve(
        self, question: str, limit: int, groups: frozenset[str]
    ) -> Iterable[tuple[str, float]]:
        return [("leave", 0.9), ("travel", 0.4)][:limit]


def search(question: str) -> list[str]:
    return ["travel", "leave"]


mine: Retriever = Mine()
data: Dataset = rageval.load_dataset(
    {"leave": "Staff get 25 days.", "travel": "Book by rail."},
    [{"id": "q1", "question": "How many days off?", "expected": ["leave"]}],
)
before: EvaluationResult = rageval.evaluate(search, data, k=6, measures=["nDCG@10", "R@20"])
after: EvaluationResult = rageval.evaluate(mine, data, k=6, measures=["nDCG@10", "R@20"])
value: float | None = after["nDCG@10"]
print(rageval.compare([before, after]).improved("Mine"))
verdict: Verdict = rageval.decide(after, before, {"max_drop": {"all": {"recall": 0.05}}})
print(verdict.passed, value)

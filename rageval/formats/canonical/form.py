"""The fields of a question in rageval's own format: what each holds and means, in one table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a field holds."""

    NAME = "text without blanks around it"
    TEXT = "text"
    NAMES = "a list of names, each once"
    TEXTS = "a list of texts"
    REQUIREMENTS = "a list of references, or of any_of with references"
    REFERENCES = "a list of references"
    ANSWERABLE = "true, false or denied"
    GRADES = "whole numbers by document"
    DAY = "a date like 2024-05-31"
    FORM = "MATCH or GAP"
    SPLIT = "dev or holdout"
    FLAG = "true or false"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a question."""

    kind: Kind
    meaning: str  # a sentence for people who write golden sets


FIELDS = {
    "id": Field(Kind.NAME, "Names the question for good; unique in the set."),
    "question": Field(Kind.TEXT, "The question, exactly as it is asked."),
    "form": Field(Kind.FORM, "MATCH shares words with the document, GAP does not."),
    "hard_class": Field(Kind.NAME, "A known difficulty, such as near-duplicate or boilerplate."),
    "tags": Field(Kind.NAMES, "Subsets that the question counts in."),
    "asker": Field(Kind.NAME, "Who asks; without one only public documents are seen."),
    "history": Field(Kind.TEXTS, "Earlier turns of the conversation, oldest first."),
    "expected": Field(Kind.NAMES, "Documents of which any is a hit."),
    "supporting": Field(Kind.REQUIREMENTS, "Evidence of which every item is needed."),
    "distractors": Field(Kind.REFERENCES, "What looks right and is wrong."),
    "answerable": Field(Kind.ANSWERABLE, "false: nothing answers it. denied: not for this asker."),
    "forbidden": Field(Kind.NAMES, "Documents that a denied question must not return."),
    "grades": Field(Kind.GRADES, "How relevant documents are, for nDCG."),
    "group": Field(Kind.NAME, "Questions of one group stay on one side of the split."),
    "split": Field(Kind.SPLIT, "The side of the split, where the author decides it."),
    "draft": Field(Kind.FLAG, "true: to be confirmed by a person; not scored until then."),
    "source": Field(Kind.NAME, "Where the question comes from, such as log or author."),
    "added": Field(Kind.DAY, "When it joined the set."),
    "gist": Field(Kind.TEXT, "The answer in short, for people; never scored."),
    "notes": Field(Kind.TEXT, "Anything else for people; never scored."),
}

"""Golden sets as Quepid, RRE, Elasticsearch, OpenSearch and learning to rank read them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from rageval.formats.beir.export import grade_losses, graded
from rageval.formats.files import write_json, write_text
from rageval.formats.unsupported import Capacity
from rageval.golden.question import Question
from rageval.judging.labelled import Labelled
from rageval.schema.fields import Name, component

_CAPACITY = Capacity(frozenset({"grades", "the choice between evidence"}))


@component
class SearchQualityExport:
    """One file of rated documents a query; a target has its grade, at least 1.

    `quepid` is CSV (`query,docid,rating`), `quepid_ltr` learning to rank, `rre` ratings.json,
    `rank_eval` the body of a request, `search_relevance` a list of judgments.
    """

    path: Name
    kind: Literal["quepid", "quepid_ltr", "rre", "rank_eval", "search_relevance"]
    field: Name = "text"  # that queries of rank_eval match
    search_index: Name = "documents"  # of rank_eval and RRE

    def write(self, labelled: Labelled) -> list[str]:
        """Write the file."""
        kept = _CAPACITY.kept(labelled.golden)
        path = Path(self.path)
        if self.kind == "quepid":
            write_text(path, _quepid(kept))
        elif self.kind == "quepid_ltr":
            write_text(path, _letor(kept))
        else:
            write_json(path, _JSON[self.kind](self, kept))
        return [*_CAPACITY.losses(labelled.golden), *grade_losses(kept)]


def _quepid(questions: Sequence[Question]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["query", "docid", "rating"])
    for question in questions:
        writer.writerows([question.text, name, grade] for name, grade in graded(question).items())
    return out.getvalue()


def _letor(questions: Sequence[Question]) -> str:
    return "".join(
        f"{grade}\tqid:{number}\t# {name}\t{' '.join(question.text.split())}\n"
        for number, question in enumerate(questions, start=1)
        for name, grade in graded(question).items()
    )


def _rre(export: SearchQualityExport, questions: Sequence[Question]) -> Mapping[str, Any]:
    groups = [
        {
            "name": question.id,
            "queries": [{"placeholders": {"$query": question.text}}],
            "relevant_documents": {
                name: {"gain": grade} for name, grade in graded(question).items()
            },
        }
        for question in questions
    ]
    topics = [{"description": "rageval", "query_groups": groups}]
    return {"index": export.search_index, "id_field": "id", "topics": topics}


def _rank_eval(export: SearchQualityExport, questions: Sequence[Question]) -> Mapping[str, Any]:
    requests = [
        {
            "id": question.id,
            "request": {"query": {"match": {export.field: question.text}}},
            "ratings": [
                {"_index": export.search_index, "_id": name, "rating": max(0, grade)}
                for name, grade in graded(question).items()
            ],
        }
        for question in questions
    ]
    return {"requests": requests, "metric": {"dcg": {"k": 10, "normalize": True}}}


def _search_relevance(
    export: SearchQualityExport, questions: Sequence[Question]
) -> Mapping[str, Any]:
    rated = [
        {
            "query": question.text,
            "ratings": [
                {"docId": name, "rating": str(float(grade))}
                for name, grade in graded(question).items()
            ],
        }
        for question in questions
    ]
    return {"name": Path(export.path).stem, "type": "IMPORT_JUDGMENT", "judgmentRatings": rated}


_JSON: Mapping[str, Callable[[SearchQualityExport, Sequence[Question]], Mapping[str, Any]]] = {
    "rre": _rre,
    "rank_eval": _rank_eval,
    "search_relevance": _search_relevance,
}

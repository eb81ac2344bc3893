"""What decided the analysis of text: bm25 with and without stemming and stop words.

python -m benchmarks.analysis --data DIR
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.quality import COLLECTIONS, config_of, paired_interval, values_of
from rageval.config.build import build_parts
from rageval.config.loading import load
from rageval.config.resolvers import register
from rageval.retrieval.analysis import Analyser
from rageval.retrieval.retrievers.bm25 import Bm25

VARIANTS = {
    "as shipped: stems, no stop words": Analyser(),
    "stems, stop words kept": Analyser(stop_words=False),
    "no stems, no stop words": Analyser(stem=False),
    "words as they are": Analyser(stem=False, stop_words=False),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    data = parser.parse_args().data
    register()
    print("| collection | analysis | nDCG@10 | − as shipped |")
    print("|---|---|---|---|")
    for name in COLLECTIONS:
        config = config_of(data, name, "bm25")
        dataset = load(config.dataset)
        parts = build_parts(config, dataset.access)
        rows = {
            variant: values_of(config, dataset, replace(parts, retriever=Bm25(analyser=analyser)))[
                "nDCG@10"
            ]
            for variant, analyser in VARIANTS.items()
        }
        shipped = next(iter(rows.values()))
        for variant, values in rows.items():
            mean, low, high = paired_interval(values - shipped)
            difference = f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]"
            print(f"| {name} | {variant} | {np.mean(values):.3f} | {difference} |", flush=True)


if __name__ == "__main__":
    main()

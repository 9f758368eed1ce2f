"""Rules chosen by labels alone, and by labels as far as a model believes them: accuracy on other rows.

Run ``python benchmarks/rules_trust.py --data FOLDER [--only NAME ...] [--rows 3000]``, with tables as in
``rules_table.py``. Rules are chosen by so many rows, with models of up to two literals, at falling prices of a rule or
condition, and measured on up to 12,000 other rows.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from tables import SHARED, sources

from winnowkit import DNFWinnow
from winnowkit.dnf.rule_choice.curve import prices_of
from winnowkit.dnf.rule_choice.local_search import RulePath
from winnowkit.dnf.rule_choice.merged_rows import RuleColumns, RuleTable
from winnowkit.dnf.rule_choice.rules_of_model import ChoiceLimits, encoded
from winnowkit.dnf.rule_choice.trust import Teacher, counts_of

MOST_COMPLEXITY = 120
"""The complexity past which no further rules are shown."""


def curves(X, y, n_rows):
    """Yield a name and accuracies in percent, with complexities: of the model, and of each way to choose rules."""
    order = np.random.default_rng(0).permutation(len(y))
    learn, test = order[:n_rows], order[n_rows : n_rows + 12_000]
    frame, labels = X.iloc[learn], y[learn]
    classes, targets = np.unique(labels, return_inverse=True)
    model = DNFWinnow(random_state=0, verbose=False, max_literals=2).fit(frame, labels)
    yield "model", f"{100 * np.mean(model.predict(X.iloc[test]) == y[test]):.1f}"
    teacher = Teacher.like(model.encoder_, 2, len(classes), 1, len(learn))
    encoder, cells = encoded(model.encoder_, frame, labels)
    columns = RuleColumns(encoder.n_ordered_, encoder.n_categories_, np.zeros(X.shape[1], dtype=np.int64))
    held_out, right = encoder.transform(X.iloc[test]), np.searchsorted(classes, y[test])
    alike = np.ones(len(learn))
    _, trusted = teacher.taught(frame, targets, alike, cells, encoder.n_ordered_)
    for name, weights in {"labels": counts_of(targets, alike, len(classes)), "trusted": trusted}.items():
        table = RuleTable(cells, weights, columns)
        path, shown = RulePath(table, ChoiceLimits().for_search()), []
        for price in prices_of(len(learn)):
            rules = path.at(price * table.total)
            shown.append(f"{100 * np.mean(rules.predict(table, held_out) == right):.1f} ({rules.complexity})")
            if rules.complexity > MOST_COMPLEXITY:
                break
        yield name, ", ".join(shown)


def main() -> None:
    """Print the curves."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SHARED if SHARED.exists() else None)
    parser.add_argument("--only", nargs="*", default=["magic", "adult", "heloc"])
    parser.add_argument("--rows", type=int, default=3_000)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for source in sources(arguments.data, arguments.only, Path(folder)):
            frame = pd.read_csv(source.path, na_values="?")
            y = frame.pop(source.target).to_numpy()
            for name, shown in curves(frame, y, arguments.rows):
                print(f"{source.name:10} {name:>8}: {shown}", flush=True)


if __name__ == "__main__":
    main()

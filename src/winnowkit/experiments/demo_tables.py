"""The demo's second part: tables of categories, learned by Winnow over all terms with exact sums."""

from __future__ import annotations

import time

import numpy as np

FOLDS = 10
TABLES = {
    "voting": "16 votes of 435 members of congress, some missing: which party?",
    "tic-tac-toe": "958 final boards: has x won?",
}


def show_tables() -> None:
    """Cross-validate on two bundled sets: errors, updates and time."""
    from sklearn.model_selection import StratifiedKFold  # noqa: PLC0415 - after the announcement

    from winnowkit import DNFWinnow  # noqa: PLC0415
    from winnowkit.data import load_dataset  # noqa: PLC0415

    print(f"\nformulas over categories: DNFWinnow, exact sums over all terms, {FOLDS}-fold cross-validation")
    for name, about in TABLES.items():
        X, y = load_dataset(name, return_X_y=True)
        DNFWinnow(max_epochs=2, random_state=0).fit(X, y).predict(X[:2])  # loads the kernels, or compiles them
        wrong, updates, epochs, start = 0, [], [], time.perf_counter()
        for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y):
            model = DNFWinnow(max_epochs=20, random_state=0).fit(X[train], y[train])
            wrong += int(np.sum(model.predict(X[test]) != y[test]))
            updates.append(model.n_mistakes_)
            epochs.append(model.n_epochs_)
        seconds = time.perf_counter() - start
        print(f"  {name}: {about}")
        print(
            f"    {wrong / len(y):.1%} of rows held out are wrong; {model.theta_:,} terms; in training, "
            f"{np.mean(updates):.0f} updates in {np.mean(epochs):.0f} epochs (means); {seconds:.1f} s in all"
        )

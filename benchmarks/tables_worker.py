"""Fit one learner on repeated splits of one table: runs in whichever environment the learner is installed in.

A job comes as JSON on standard input, and one line of JSON per split goes to standard output.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from typing import Any

os.environ["OMP_WAIT_POLICY"] = "passive"  # threads that wait in a loop take seconds per fit on a busy machine

import numpy as np
import pandas as pd
from peer_worker import ripper
from sklearn.metrics import log_loss, roc_auc_score


def make(learner: str, seed: int, n_jobs: int, numbers: list[str], others: list[str]) -> Any:
    """Return a learner with its defaults; those that need preparation get the usual one."""
    if learner == "DNFWinnow":
        from winnowkit import DNFWinnow  # noqa: PLC0415 - only where it is installed

        return DNFWinnow(random_state=seed, n_jobs=n_jobs, verbose=False)
    if learner == "LightGBM":
        from lightgbm import LGBMClassifier  # noqa: PLC0415

        return LGBMClassifier(random_state=seed, n_jobs=n_jobs, verbose=-1)
    if learner == "EBM":
        from interpret.glassbox import ExplainableBoostingClassifier  # noqa: PLC0415

        return ExplainableBoostingClassifier(random_state=seed, n_jobs=n_jobs)
    if learner == "RIPPER":
        return Ripper(numbers, others)
    if learner == "CatBoost":
        from catboost import CatBoostClassifier  # noqa: PLC0415

        return CatBoostClassifier(
            random_state=seed, thread_count=n_jobs, verbose=False, cat_features=others, allow_writing_files=False
        )
    from sklearn.compose import make_column_transformer  # noqa: PLC0415
    from sklearn.impute import SimpleImputer  # noqa: PLC0415
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415
    from sklearn.preprocessing import OneHotEncoder, StandardScaler  # noqa: PLC0415

    prepared = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore", min_frequency=5), others),
    )
    if learner == "forest":
        from sklearn.ensemble import RandomForestClassifier  # noqa: PLC0415

        last = RandomForestClassifier(random_state=seed, n_jobs=n_jobs)
    else:
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

        last = LogisticRegression(max_iter=1000)
    return make_pipeline(prepared, last)


class Ripper:
    """RIPPER, for the classes one after the other; it has labels, and no probabilities."""

    def __init__(self, numbers: list[str], others: list[str]) -> None:
        self.columns, self.types = [*numbers, *others], ["numeric"] * len(numbers) + ["nominal"] * len(others)

    def rows(self, X: pd.DataFrame) -> list[list[Any]]:
        """Return the rows of a table, with None where a value is missing."""
        frame = X[self.columns].astype(object)
        return frame.where(frame.notna(), None).to_numpy().tolist()

    def fit(self, X: pd.DataFrame, y: Any) -> None:
        """Learn rules for each class but the most frequent."""
        self.decide, _ = ripper(self.columns, self.types, self.rows(X), y.tolist())

    def predict(self, X: pd.DataFrame) -> Any:
        """Return the label of each row."""
        return np.array(self.decide(self.rows(X)))


def read(path: str, target: str, learner: str) -> tuple[pd.DataFrame, Any, list[str], list[str]]:
    """Return the table as the learner takes it, its labels, and the names of the columns of each kind."""
    frame = pd.read_csv(path, na_values=["?"], skipinitialspace=True)
    y = frame.pop(target).astype(str).to_numpy()
    numbers = [name for name in frame if pd.api.types.is_numeric_dtype(frame[name])]
    others = [name for name in frame if name not in numbers]
    if learner in ("LightGBM", "EBM"):
        frame[others] = frame[others].astype("category" if learner == "LightGBM" else "string").astype("category")
    else:
        frame[others] = (
            frame[others].astype(object).where(frame[others].notna(), None if learner == "DNFWinnow" else "?")
        )
    return frame, y, numbers, others


def area(targets: Any, shares: Any) -> float:
    """Compute the area under the ROC curve, with several classes as the mean over each of them against the others."""
    if shares.shape[1] == 2:
        return float(roc_auc_score(targets, shares[:, 1]))
    present = [c for c in range(shares.shape[1]) if 0 < (targets == c).sum() < len(targets)]
    return float(np.mean([roc_auc_score(targets == c, shares[:, c]) for c in present]))


def main() -> None:
    """Do the job."""
    warnings.filterwarnings("ignore")
    job = json.load(sys.stdin)
    X, y, numbers, others = read(job["path"], job["target"], job["learner"])
    classes, targets = np.unique(y, return_inverse=True)
    for seed in job["seeds"]:
        order = np.random.default_rng(seed).permutation(len(y))
        cut = int(0.7 * len(y))
        train, test = order[:cut], order[cut:]
        model = make(job["learner"], seed, job["n_jobs"], numbers, others)
        begun = time.process_time()
        model.fit(X.iloc[train], targets[train] if job["learner"] == "CatBoost" else y[train])
        fitted = time.process_time()
        if hasattr(model, "predict_proba"):
            shares = np.asarray(model.predict_proba(X.iloc[test]))
            done = time.process_time()
            whole = np.zeros((len(test), len(classes)))
            whole[:, np.unique(targets[train])] = shares
            measured = {
                "error": float((whole.argmax(axis=1) != targets[test]).mean()),
                "auc": area(targets[test], whole),
                "log_loss": float(log_loss(targets[test], whole, labels=np.arange(len(classes)))),
            }
        else:
            wrong = model.predict(X.iloc[test]) != y[test]
            done = time.process_time()
            measured = {"error": float(wrong.mean()), "auc": float("nan"), "log_loss": float("nan")}
        found = {"seed": seed, **measured, "fit": fitted - begun, "predict": (done - fitted) / len(test)}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()

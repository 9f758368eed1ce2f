"""The bundled data sets (UCI repository): those of Tao & Scott's Table V, and a few more tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from winnowkit.core.optional import import_optional
from winnowkit.data.catalogue import descriptions, rows_as_text


def load_dataset(name: str, *, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load a bundled data set.

    Parameters
    ----------
    name : str
        "iris", "car", "breast-cancer", "voting" (house-votes-84), "auto" (imports-85, the class is `symboling`),
        "annealing" (the training file of Tao & Scott: 798 rows, 38 attributes), "annealing-test" (the other 100 rows),
        "tic-tac-toe", "monks-1", "monks-2", "monks-3" (training examples), "monks-1-test" ... (all 432 robots),
        "credit-a" (applications for a credit card), "heart" (patients with and without heart disease) and "sms-spam"
        (text messages).
    return_X_y : bool
        Whether to return (data, target) instead of a Bunch.
    as_frame : bool
        Whether to return the data as a pandas frame, with floating columns where numeric and categorical columns
        where nominal, strings where text, and the target as a series.

    Returns
    -------
    sklearn.utils.Bunch
        The data set, with the attributes `data` (array of objects: floats in numeric columns, strings in the others,
        None where missing), `target` (array of strings), `feature_names`, `target_name`, `target_names` (sorted),
        `types` ("nominal", "numeric" or "text" by column name), `DESCR`, `citation`, and `frame` (data and target
        together; None without `as_frame`).

    See Also
    --------
    read_table : Reads tables from files.

    Examples
    --------
    >>> from winnowkit.data import load_dataset
    >>> voting = load_dataset("voting")
    >>> voting.data.shape, voting.target_names.tolist()
    ((435, 16), ['democrat', 'republican'])
    >>> voting.data[0, 8:12].tolist()
    ['n', 'y', None, 'y']
    >>> load_dataset("iris").types["petal-length"]
    'numeric'
    """
    if name not in descriptions():
        raise ValueError(f"name must be one of {', '.join(descriptions())}; got {name!r}")
    described = descriptions()[name]
    types: dict[str, str] = described["types"]
    rows = rows_as_text(name)
    data = np.array([row[:-1] for row in rows], dtype=object)
    data[data == "?"] = None
    for j, kind in enumerate(types.values()):
        if kind == "numeric":
            data[:, j] = [None if value is None else float(value) for value in data[:, j]]
    target = np.array([row[-1] for row in rows])
    target_names = np.unique(target)
    frame, X, y = None, data, target
    if as_frame:
        frame = _frame(data, target, types, described["target"])
        X, y = frame[list(types)], frame[described["target"]]
    if return_X_y:
        return X, y
    return Bunch(
        data=X,
        target=y,
        frame=frame,
        feature_names=list(types),
        target_name=described["target"],
        target_names=target_names,
        types=dict(types),
        DESCR=_description(name, described, target_names.tolist()),
        citation=described["citation"],
    )


def _frame(data: Any, target: Any, types: dict[str, str], target_name: str) -> Any:
    pd = import_optional("pandas", "as_frame=True needs pandas", "pandas")
    dtypes = {"numeric": "float64", "nominal": "category", "text": "object"}
    columns: dict[str, Any] = {
        name: pd.Series(data[:, j], dtype=dtypes[kind]) for j, (name, kind) in enumerate(types.items())
    }
    return pd.DataFrame({**columns, target_name: pd.Series(target, dtype="category")})


def _description(name: str, described: dict[str, Any], classes: list[str]) -> str:
    kinds = list(described["types"].values())
    counted = [f"{kinds.count(kind)} {kind}" for kind in ("nominal", "numeric", "text") if kind in kinds]
    return "\n".join(
        [
            f"{name}: {described['about']}",
            "",
            f"{described['rows']} rows; columns: {', '.join(counted)}",
            f"Classes ({described['target']}): {', '.join(classes)}.",
            f"Source: {described['citation']} (file {described['source']['file']}; CC BY 4.0).",
        ]
    )

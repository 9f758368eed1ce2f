"""Documentation of the parameters and attributes that several learners share, written once.

A docstring names one in braces, such as ``{n_jobs}``, on a line of its own; `OnlineClassifier` fills it in.
"""

from __future__ import annotations

_CLASS_WEIGHT = """class_weight : dict, "balanced" or None
        Weights of the classes, by which the weights of the examples are multiplied; in `partial_fit` a dict or None."""

SHARED_DOCS = {
    "binarize": """binarize : float, default=0.0
        A value above it counts as 1, any other as 0.""",
    "epochs": """max_epochs : int, default=1
        The largest number of passes of `fit` over the rows.
    shuffle : bool, default=True
        Whether each epoch of `fit` takes the rows in another order.""",
    "averaged_epochs": """max_epochs : int, default=5
        Number of passes of `fit`: each is a run of its own from nothing, with the rows in another order, and the model
        is their mean.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows. False: a single pass in the order of the rows, as `partial_fit` makes it.""",
    "class_weight": _CLASS_WEIGHT,
    "whole_class_weight": f"""{_CLASS_WEIGHT}
        They must come to whole numbers.""",
    "n_jobs": """n_jobs : int or None
        Threads of `predict` and `decision_function`; on-line learning is sequential.""",
    "n_jobs_of_passes": """random_state : int, RandomState, Generator or None
        Seed of the orders.
    n_jobs : int or None
        Threads of `fit` (over passes), `predict` and `decision_function`.""",
    "classes": """classes_ : array
        The labels; ``classes_[1]`` is the positive one.""",
    "n_updates": """n_updates_ : array
        Updates of each learner (one learner per class if there are more than two).""",
    "whole_weights": (
        "A sample weight of w, a whole number, stands for w presentations of the example in succession, and 0 for its\n"
        "    absence. Fractions are refused, since examples are counted."
    ),
}


def indented(docstring: str | None) -> str:
    r"""Return the docstring of a class, indented as it is written, which Python 3.13 and later undo.

    Examples
    --------
    >>> indented("Learns.\n\nParameters") == indented("Learns.\n\n    Parameters")
    True
    """
    lines = (docstring or "").split("\n")
    if all(line[:4].isspace() for line in lines[1:] if line):
        return docstring or ""
    return "\n".join([*lines[:1], *(line and f"    {line}" for line in lines[1:])])


def filled(docstring: str | None) -> str | None:
    """Return a docstring in which what is in braces has been filled in.

    Examples
    --------
    >>> print(filled("    {classes}"))
        classes_ : array
            The labels; ``classes_[1]`` is the positive one.
    """
    for name, text in SHARED_DOCS.items():
        docstring = docstring and docstring.replace(f"{{{name}}}", text)
    return docstring

"""Export of linear models to ONNX, for the same labels without Python. Needs ``pip install 'winnowkit[onnx]'``."""

from __future__ import annotations

from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.atomic_write import replacing
from winnowkit.core.multiclass import n_learners_for
from winnowkit.core.online_classifier import OnlineClassifier
from winnowkit.core.optional import import_optional
from winnowkit.counting.directed_drift import DirectedDrift
from winnowkit.linear.classifier import LinearClassifier
from winnowkit.linear.kernel import TIE

OPSET = 18
TIED = 2.0**-1000  # in place of the smallest float, which some runtimes flush to 0


def to_onnx(model: OnlineClassifier, path: str | PathLike[str] | None = None) -> Any:
    """Write a linear model as an ONNX graph.

    The graph takes ``X``, a table of doubles, and returns ``label``, one label per row, and ``decision``, the values of
    ``decision_function``. It includes the effects of `binarize` and `negations`.

    Parameters
    ----------
    model : Elimination, Winnow1, Winnow2, BalancedWinnow, NormalizedWinnow, ThresholdedBEG, BayesBEG or DirectedDrift
        A model that has been begun or fitted. Labels are integers, booleans (which become 0 and 1) or strings.
    path : path-like, optional
        The file to write; None writes no file.

    Returns
    -------
    onnx.ModelProto
        The graph.

    See Also
    --------
    winnowkit.save : Writes a file from which learning can continue.

    Notes
    -----
    The graph computes in double precision and defines ties as the model does, as scores within 1e-12 of theta: powers
    of 3/2 do add up to theta exactly, and in single precision almost every such example could get another label. A
    runtime may add in another order, so that decisions differ in the last bits; where the weights for and against an
    example exceed theta more than ten thousand times, this can still change the label of an example on the edge. The
    graph does not validate X as the model does: NaN counts as 0, and with ``binarize=None`` values outside [0, 1] are
    used as they are.

    Examples
    --------
    >>> import numpy as np
    >>> from winnowkit import Winnow2
    >>> from winnowkit.onnx import to_onnx
    >>> model = Winnow2(random_state=0).fit(np.eye(3), [0, 1, 0])
    >>> [output.name for output in to_onnx(model).graph.output]
    ['label', 'decision']
    """
    onnx = import_optional("onnx", "to_onnx needs the onnx package", "winnowkit[onnx]")
    if not isinstance(model, LinearClassifier | DirectedDrift):
        raise TypeError(
            f"only linear models can be exported to ONNX, got {type(model).__name__}; "
            "use a Winnow, a BEG or DirectedDrift, or save the model itself (winnowkit.save)"
        )
    model._check_begun()
    graph = _Graph(onnx)
    decision = _drift(graph, model) if isinstance(model, DirectedDrift) else _linear(graph, model)
    kind = _labels(graph, model.classes_, decision)
    n_learners = n_learners_for(len(model.classes_))
    shape = ["rows"] if n_learners == 1 else ["rows", n_learners]
    tensor = onnx.helper.make_tensor_value_info
    double = onnx.TensorProto.DOUBLE
    built = onnx.helper.make_model(
        onnx.helper.make_graph(
            graph.nodes,
            type(model).__name__,
            [tensor("X", double, ["rows", model.n_features_in_])],
            [tensor("label", kind, ["rows"]), tensor("decision", double, shape)],
            graph.constants,
        ),
        opset_imports=[onnx.helper.make_opsetid("", OPSET)],
        producer_name="winnowkit",
        producer_version=import_module("winnowkit").__version__,
        ir_version=9,
    )
    onnx.checker.check_model(built)
    if path is not None:
        with replacing(Path(path)) as file:
            file.write(built.SerializeToString())
    return built


class _Graph:
    """Nodes and constants, in the order of the computation."""

    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, values: Any) -> str:
        name = f"constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.asarray(values), name))
        return name

    def node(self, operator: str, *inputs: str | NDArray[Any] | float, name: str | None = None, **options: Any) -> str:
        """Add an operator on nodes (given by name) and constants, and return its name."""
        name = name or f"{operator.lower()}_{len(self.nodes)}"
        given = [value if isinstance(value, str) else self.constant(value) for value in inputs]
        self.nodes.append(self.onnx.helper.make_node(operator, given, [name], **options))
        return name


def _linear(graph: _Graph, model: LinearClassifier) -> str:
    """Add the score minus theta of each learner; on a tie, 0 or a tiny positive number, as the rule predicts."""
    state = model._linear.state
    theta = state.parameters["theta"].astype(np.float64)
    x = "X"
    if model.binarize is not None:
        active = graph.node("Greater", "X", np.float64(model.binarize))
        x = graph.node("Cast", active, to=graph.onnx.TensorProto.DOUBLE)
    score = graph.node("MatMul", x, np.ascontiguousarray(model.coef_.T))
    difference = graph.node("Add", score, model.intercept_)
    tied = graph.node("LessOrEqual", graph.node("Abs", difference), TIE * np.abs(theta))
    on_tie = np.where(state.parameters["strict"], 0.0, TIED)
    return graph.node("Where", tied, on_tie, difference)


def _drift(graph: _Graph, model: DirectedDrift) -> str:
    """Add <w, u>, where each u_i is 1 or -1; positive on a tie. Sums of small integers are exact."""
    active = graph.node("Greater", "X", np.float64(model.binarize))
    u = graph.node("Where", active, np.float64(1.0), np.float64(-1.0))
    score = graph.node("MatMul", u, np.ascontiguousarray(model.coef_.T))
    return graph.node("Where", graph.node("Equal", score, np.float64(0.0)), np.float64(TIED), score)


def _labels(graph: _Graph, classes: NDArray[Any], decision: str) -> int:
    """Add the choice of the label, the first of the largest decisions, and return its type."""
    if n_learners_for(len(classes)) == 1:
        decision = graph.node("Squeeze", decision, np.array([1]), name="decision")
        place = graph.node("Cast", graph.node("Greater", decision, np.float64(0.0)), to=graph.onnx.TensorProto.INT64)
    else:
        graph.node("Identity", decision, name="decision")
        place = graph.node("ArgMax", decision, axis=1, keepdims=0, select_last_index=0)
    labels = classes.tolist()
    if all(isinstance(label, str) for label in labels):
        kind, values = graph.onnx.TensorProto.STRING, np.array(labels, dtype=object)
    elif all(isinstance(label, int) or (isinstance(label, float) and label.is_integer()) for label in labels):
        kind, values = graph.onnx.TensorProto.INT64, np.array([int(label) for label in labels], dtype=np.int64)
    else:
        raise TypeError(f"labels in ONNX must be integers or strings, got {labels}; train on such labels")
    graph.node("Gather", values, place, name="label")
    return int(kind)

"""Export of linear models to ONNX, for the same labels without Python. Needs ``pip install 'winnowkit[onnx]'``."""

from __future__ import annotations

import re
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
from winnowkit.linear.committee import Committee
from winnowkit.linear.committee_learner import CommitteeLearner
from winnowkit.linear.family import COIN, COIN_L, COIN_T, N_BEGS, by_learner, linear_weights
from winnowkit.linear.family import TIE as TIE_OF_BEGS
from winnowkit.linear.kernel import TIE
from winnowkit.linear.scaled import ScaledClassifier
from winnowkit.linear.scaled_kernel import COIN as COIN_RULE
from winnowkit.linear.scaled_kernel import HYPENTROPY
from winnowkit.linear.scaled_learner import ScaledLearner
from winnowkit.linear.scaling import typical

OPSET = 18
TIED = 2.0**-1000  # in place of the smallest float, which some runtimes flush to 0


def to_onnx(model: OnlineClassifier, path: str | PathLike[str] | None = None) -> Any:
    """Write a linear model as an ONNX graph.

    The graph takes ``X``, a table of doubles, and returns ``label``, one label per row, and ``decision``, the values of
    ``decision_function``. It includes the effects of `binarize` and `negations`.

    Parameters
    ----------
    model : Winnow2 or another Winnow, a BEG, AROW, CoinBetting, AdaptiveWinnow, DirectedDrift or Committee
        A model that has been begun or fitted; a committee has the built-in experts. Labels are integers, booleans
        (which become 0 and 1) or strings.
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
    graph does not validate X as the model does: NaN counts as 0 (learners of real values return NaN as their decision),
    and with ``binarize=None`` values outside [0, 1] are used as they are. Learners of real values may score values
    below 1e-38 times the largest seen differently: the model computes with such numbers in fewer bits.

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
    if not isinstance(model, LinearClassifier | ScaledClassifier | DirectedDrift | Committee):
        raise TypeError(
            f"only linear models can be exported to ONNX, got {type(model).__name__}; "
            "use a Winnow, a BEG, AROW, CoinBetting, AdaptiveWinnow, DirectedDrift or Committee, "
            "or save the model itself (winnowkit.save)"
        )
    model._check_begun()
    graph = _Graph(onnx)
    decision = _decision(graph, model)
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


def _decision(graph: _Graph, model: OnlineClassifier) -> str:
    """Add the decisions of a model, one column per learner."""
    if isinstance(model, DirectedDrift):
        return _drift(graph, model)
    if isinstance(model, LinearClassifier):
        return _linear(graph, model)
    if isinstance(model, ScaledClassifier):
        return _scaled(graph, model._scaled)
    if not isinstance(model._learner, CommitteeLearner):
        raise TypeError("only a committee of the built-in experts (members='family') can be exported to ONNX")
    return _committee(graph, model._learner)


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


def _scaled(graph: _Graph, learner: ScaledLearner) -> str:
    """Add the scores of AROW, coin betting or the adaptive Winnow."""
    x, z = _scaled_values(graph, learner.state.largest[: learner.n_features])
    if learner.rule == COIN_RULE:
        return _coin_scores(graph, learner.state.records[: learner.n_features + 1], learner.state.scale, z)
    score = graph.node("MatMul", x if learner.rule == HYPENTROPY else z, np.ascontiguousarray(learner.coef.T))
    return graph.node("Add", score, learner.intercept)


def _scaled_values(graph: _Graph, largest: NDArray[np.float64]) -> tuple[str, str]:
    """Add X divided by the largest values of its columns, and that divided by its length."""
    seen = np.where(largest > 0.0, largest, np.finfo(np.float64).tiny)
    x = graph.node("Div", "X", graph.node("Max", graph.node("Abs", "X"), seen))
    length = graph.node("Sqrt", graph.node("ReduceSumSquare", x, np.array([1]), keepdims=1))
    return x, graph.node("Div", x, graph.node("Max", length, np.finfo(np.float64).tiny))


def _committee(graph: _Graph, learner: CommitteeLearner) -> str:
    """Add the log-odds of the mix, moved where the vote of the experts overrules it."""
    mix, n_learners = learner.mix, learner.n_learners
    scores = _expert_scores(graph, learner)
    limits = learner.limits
    cut = graph.node("Max", graph.node("Min", scores, limits), -limits)
    weighted = graph.node("Mul", cut, mix.weights[:-1].copy())
    summed = graph.node("ReduceSum", weighted, np.array([2]), keepdims=0)
    log_odds = graph.node("Add", summed, np.float64(mix.weights[-1] if n_learners == 1 else 0.0))
    if mix.votes[-1] >= mix.votes[:-1].sum():  # nobody can outvote the mix
        return log_odds
    choice, elected = _election(graph, learner, scores, log_odds)
    overruled = graph.node("Not", graph.node("Equal", choice, elected))
    if n_learners == 1:
        toward = graph.node("Where", graph.node("Greater", elected, np.array(0)), np.float64(TIED), np.float64(-TIED))
        return graph.node("Where", overruled, toward, log_odds)
    highest = graph.node("ReduceMax", log_odds, np.array([1]), keepdims=1)
    above = graph.node("Mul", graph.node("Abs", highest), np.float64(2.0**-51))
    winner = graph.node("Equal", elected, np.arange(n_learners))
    moved = graph.node("And", overruled, winner)
    return graph.node("Where", moved, graph.node("Sum", highest, above, np.float64(TIED)), log_odds)


def _expert_scores(graph: _Graph, learner: CommitteeLearner) -> str:
    """Add the scores of all experts, of shape (rows, learners, experts)."""
    family = learner.family
    x, z = _scaled_values(graph, family.largest[: learner.n_features])
    active = graph.node("Cast", graph.node("Greater", x, np.float64(0.0)), to=graph.onnx.TensorProto.DOUBLE)
    weights = linear_weights(family)[: learner.n_features + 1]
    inputs = [active] * N_BEGS + [z, z, "", x, x, x]
    columns = []
    for e, values in enumerate(inputs):
        if e == COIN:
            bets = by_learner(family)[: learner.n_features + 1, :, COIN_T : COIN_L + 1]
            score = _coin_scores(graph, bets, family.scale, z)
        else:
            score = graph.node("Add", graph.node("MatMul", values, weights[1:, :, e].copy()), weights[0, :, e].copy())
        if e < N_BEGS:  # close to the threshold is on it
            tied = graph.node("Less", graph.node("Abs", score), np.float64(TIE_OF_BEGS))
            score = graph.node("Where", tied, np.float64(0.0), score)
        columns.append(graph.node("Unsqueeze", score, np.array([2])))
    awake = (~learner.mix.resting).astype(np.float64)
    return graph.node("Mul", graph.node("Concat", *columns, axis=2), awake)


def _coin_scores(graph: _Graph, records: NDArray[Any], scale: NDArray[np.float64], z: str) -> str:
    """Add the scores of coin betting on records of T, G, R and L; its weights also follow from the size of z."""
    total, bets, won, highest = np.ascontiguousarray(records.astype(np.float64).transpose(2, 1, 0))
    highest = np.maximum(highest, typical(scale))
    by_learner = graph.node("Unsqueeze", z, np.array([1]))
    largest = graph.node("Max", graph.node("Abs", by_learner), highest[:, 1:].copy())
    stake = graph.node("Mul", total[:, 1:].copy(), graph.node("Add", largest, won[:, 1:].copy()))
    divisor = graph.node("Mul", largest, graph.node("Add", largest, bets[:, 1:].copy()))
    gains = graph.node("Mul", by_learner, graph.node("Div", stake, divisor))
    bias, high = records[0].astype(np.float64), np.maximum(highest[:, 0], 1.0)
    of_bias = bias[:, 0] * (high + bias[:, 2]) / (high * (bias[:, 1] + high))
    return graph.node("Add", graph.node("ReduceSum", gains, np.array([2]), keepdims=0), of_bias)


def _election(graph: _Graph, learner: CommitteeLearner, scores: str, log_odds: str) -> tuple[str, str]:
    """Add the label that the mix chooses and the one with the most votes, each of shape (rows, 1)."""
    mix, n_learners = learner.mix, learner.n_learners

    def label_of(values: str) -> str:
        if n_learners > 1:
            return graph.node("ArgMax", values, axis=1, keepdims=1, select_last_index=0)
        return graph.node("Cast", graph.node("Greater", values, np.float64(0.0)), to=graph.onnx.TensorProto.INT64)

    choice = label_of(log_odds)
    absent = np.asarray(mix.resting.all(axis=0))  # they repeat the choice of the mix
    said = graph.node("Where", absent, choice, graph.node("Squeeze", label_of(scores), np.array([1])))
    labels = np.arange(max(2, n_learners))
    double = graph.onnx.TensorProto.DOUBLE
    for_labels = graph.node("Equal", graph.node("Unsqueeze", said, np.array([2])), labels)
    votes = graph.node("Mul", graph.node("Cast", for_labels, to=double), mix.votes[:-1, None].copy())
    of_experts = graph.node("ReduceSum", votes, np.array([1]), keepdims=0)
    of_mix = graph.node("Cast", graph.node("Equal", choice, labels), to=double)
    ballots = graph.node("Add", of_experts, graph.node("Mul", of_mix, np.float64(mix.votes[-1])))
    own = graph.node("ReduceSum", graph.node("Mul", ballots, of_mix), np.array([1]), keepdims=1)
    most = graph.node("ReduceMax", ballots, np.array([1]), keepdims=1)
    first = graph.node("ArgMax", ballots, axis=1, keepdims=1, select_last_index=0)
    return choice, graph.node("Where", graph.node("Greater", most, own), first, choice)


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
        if (odd := next((label for label in labels if re.search("[\ud800-\udfff]", label)), None)) is not None:
            raise ValueError(f"labels in ONNX must be valid Unicode, got {odd!r}; rename it")
        kind, values = graph.onnx.TensorProto.STRING, np.array(labels, dtype=object)
    elif all(isinstance(label, int) or (isinstance(label, float) and label.is_integer()) for label in labels):
        if not all(-(2**63) <= label < 2**63 for label in labels):
            raise ValueError(f"labels in ONNX must be integers of 64 bits, got {labels}; train on smaller ones")
        kind, values = graph.onnx.TensorProto.INT64, np.array([int(label) for label in labels], dtype=np.int64)
    else:
        raise TypeError(f"labels in ONNX must be integers or strings, got {labels}; train on such labels")
    graph.node("Gather", values, place, name="label")
    return int(kind)

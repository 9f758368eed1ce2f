"""Forge the states of models at random, and use whatever `load` accepts; run in a child by test_forged_states.py.

    NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=folder python forgeries.py 500 DNFWinnow-soft Committee

Prints one line of JSON for each model: how many forgeries were refused, accepted, and what was found. A finding is an
index that left its array in a kernel, a use that took more than two seconds of processor time, or no memory.
"""

import copy
import json
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import winnowkit
from forging import forge, parts
from winnowkit import AROW, BalancedWinnow, Committee, DNFWinnow, Winnow1, Winnow2, load
from winnowkit.data import CategoryEncoder, Frame, TableEncoder, streams
from winnowkit.dnf import MistakeDriven
from winnowkit.model_file import ModelFileError, _unopened
from winnowkit.model_file.container import read

SECONDS = 2.0  # processor time of one use
NUMBERS = [-1, 0, 1, 2, 3, 7, 63, 64, 65, 255, 10**6, 2**31 - 1, 2**31, 2**40, 2**62, 1.5, -0.5, 1e300, 1e-300]
OTHERS = [None, True, False, "", "a", [], {}, ["a"], "0x10"]


def table(seed, n_rows=60):
    """Return a small table of two numbers and two categories, and three labels."""
    rng = np.random.default_rng(seed)
    size, kind = rng.integers(0, 50, n_rows).astype(float), rng.choice(["a", "b", "c"], n_rows)
    size[:3] = np.nan
    columns = {"size": size, "kind": kind, "weight": rng.normal(size=n_rows), "sort": rng.choice(["x", "y"], n_rows)}
    return Frame(columns), np.array(["no", "yes", "maybe"])[(size > 25).astype(int) + (kind == "a")]


def numbers(n_classes, width=20):
    """Return a small table of zeros and ones, and labels."""
    X, y = streams.disjunction(n=width, k=2, active=6, seed=0).take(60)
    X = X.toarray()
    return X, np.asarray(y) + (X[:, 0] * (n_classes > 2)).astype(int)


def texts():
    """Return short messages and two labels."""
    X, y = numbers(2)
    return [" ".join(f"word{j}" for j in np.flatnonzero(row)) or "none" for row in X], y


def linear():
    """Return the names of the learners of attributes."""
    return [name for name in winnowkit.__all__ if name[0].isupper() and name != "DNFWinnow"]


def models():
    """Return untrained models by name, and how to make what they learn from."""
    return {
        "DNFWinnow-soft": (DNFWinnow(random_state=0), lambda: table(1)),
        "DNFWinnow-two": (DNFWinnow(max_literals=2, training=MistakeDriven(), max_epochs=2), lambda: table(1)),
        "DNFWinnow-all": (DNFWinnow(max_literals=None, max_epochs=2), lambda: table(1)),
        "DNFWinnow-limit": (
            DNFWinnow(
                max_literals=None, max_epochs=2, training=MistakeDriven(max_mistakes=9), encoder=CategoryEncoder()
            ),
            lambda: table(1),
        ),
        **{name: (getattr(winnowkit, name)(), lambda: numbers(2)) for name in linear()},
        **{f"{name}-three": (getattr(winnowkit, name)(), lambda: numbers(3)) for name in linear()},
        "BalancedWinnow-negations": (BalancedWinnow(negations=True, margin=0.5), lambda: numbers(3)),
        "Committee-wide": (Committee(), lambda: numbers(2, width=300)),  # without the whole matrix
        "Committee-members": (Committee(members=[Winnow2(), Winnow1(), AROW()]), lambda: numbers(3)),
        "table-Committee": (make_pipeline(TableEncoder(), Committee()), lambda: table(1)),
        "table-AROW": (make_pipeline(TableEncoder(categorical=["size"]), AROW()), lambda: table(1)),
        "text-Winnow2": (make_pipeline(TableEncoder(text=[0]), Winnow2()), texts),
        "words-Winnow2": (make_pipeline(CountVectorizer(), Winnow2()), texts),
        "scaled-AROW": (make_pipeline(StandardScaler(), AROW()), lambda: numbers(2)),
        "onehot-Winnow2": (make_pipeline(OneHotEncoder(handle_unknown="ignore"), Winnow2()), lambda: numbers(2)),
    }


def leaves(node, path=()):
    """Yield the places of all values in a JSON document that are no lists or objects."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        if isinstance(value, dict | list) and value:
            yield from leaves(value, (*path, key))
        elif key != "type" or path:
            yield (*path, key)


def forged_value(value, rng):
    """Return another value in place of one in the JSON."""
    if isinstance(value, int | float) and not isinstance(value, bool) and rng.random() < 0.8:
        return rng.choice([*NUMBERS, value + 1, value - 1, -value])
    return rng.choice([*NUMBERS, *OTHERS])


def forged_array(array, rng):
    """Return another array in place of one."""
    way = rng.randrange(8)
    if way == 0 and array.ndim:
        return np.ascontiguousarray(array[: rng.randrange(len(array) + 1)])
    if way == 1 and array.ndim:
        return np.repeat(array, 2, axis=rng.randrange(array.ndim))
    if way == 2:
        return array.astype(rng.choice(["f4", "f8", "i4", "i8", "u1", "?"])) if array.dtype.kind != "U" else array[:0]
    if way == 3:
        return array.reshape(-1)
    lie = array.copy()
    for _ in range(rng.choice([1, 1, 3])):
        if lie.size:
            value = rng.choice([*NUMBERS, np.nan, np.inf, -np.inf])
            with np.errstate(all="ignore"):
                lie.reshape(-1)[rng.randrange(lie.size)] = np.asarray(value).astype(lie.dtype)
    return lie


def forged(document, arrays, rng):
    """Return a document and arrays in which one to three values differ."""
    document, arrays, places = copy.deepcopy(document), dict(arrays), list(leaves(document))
    for _ in range(rng.choice([1, 1, 2, 3])):
        if arrays and rng.random() < 0.6:
            name = rng.choice(sorted(arrays))
            arrays[name] = forged_array(arrays[name], rng)
        else:
            *path, key = rng.choice(places)
            node = document
            for step in path:
                node = node[step]
            node[key] = forged_value(node[key], rng)
    return document, arrays


def is_of_kernel(error):
    """Whether an index left its array in a kernel: compiled with bounds checks, or run without the JIT."""
    while error.__traceback__ is not None and error.__traceback__.tb_next is not None:
        error.__traceback__ = error.__traceback__.tb_next
    place = Path(error.__traceback__.tb_frame.f_code.co_filename)
    return str(error) == "index is out of bounds" or (place.exists() and "core.jit import" in place.read_text())


def used(model, X, y):
    """Predict, learn, predict again, and look inside; return what must not happen, or None."""
    row = {name: X[name][5] for name in X} if isinstance(X, Frame) else np.ravel(X[:1])
    ways = [
        lambda: model.predict(X),
        lambda: model.decision_function(X),
        lambda: model.predict_proba(X),
        lambda: model.partial_fit(
            X[:10] if isinstance(X, np.ndarray) else X, y[:10] if isinstance(X, np.ndarray) else y
        ),
        lambda: model.predict(X),
        lambda: model.rules(max_rules=5),
        lambda: model.explain(row),
        lambda: model.learn_one(row, y[0]),
        lambda: model.predict_active(np.array([0, 2])),
        lambda: model.learn_active(np.array([0, 2]), y[0]),
        lambda: model.predict_proba(X),
        lambda: model[:-1].transform(X),  # a pipeline
        lambda: list(model[:-1].get_feature_names_out()),
        lambda: model[-1].partial_fit(model[:-1].transform(X), y),
        lambda: model.predict(csr_matrix(X) if isinstance(X, np.ndarray) else X),
    ]
    for number, way in enumerate(ways):
        found = tried(way)
        if found and found.endswith(" s"):
            found = tried(way)  # the first time it may have compiled a kernel
        if found:
            return f"use {number}: {found}"
    return None


def used_unopened(path, X):
    """Predict by the part of a file that is read where scikit-learn is not imported; return what must not happen."""
    model = _unopened(*read(path), lambda: load(path))
    return model and (tried(lambda: model.predict(X)) or tried(lambda: model.decision_function(X)))


def tried(way):
    """Call a function; return what must not happen, or None."""
    begun, found = time.process_time(), None
    try:
        way()
    except MemoryError:
        found = "no memory"
    except (IndexError, SystemError) as error:
        found = f"{type(error).__name__}: {error}" if is_of_kernel(error) else None
    except Exception:
        pass
    taken = time.process_time() - begun
    return f"{taken:.1f} s" if taken > SECONDS else found


def main(n_forgeries, names, seed=0):
    """Forge each model so many times."""
    warnings.simplefilter("ignore")
    for name in names:
        model, data = models()[name]
        X, y = data()
        model.fit(X, y)
        document, arrays = parts(model)
        used(copy.deepcopy(model), X, y)  # compiles
        rng, seen, findings = random.Random(seed), Counter(), []
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "file"
            for number in range(n_forgeries):
                lie = forged(document, arrays, rng)
                print(name, number, file=sys.stderr, flush=True)  # the last one, if the process dies
                begun = time.process_time()
                try:
                    forge(path, *lie)
                    again = load(path)
                except ModelFileError:
                    seen["refused"] += 1
                    again = None
                except Exception as error:
                    findings.append([number, f"load: {type(error).__name__}: {error}"])
                    continue
                if time.process_time() - begun > SECONDS:
                    findings.append([number, f"load took {time.process_time() - begun:.1f} s"])
                if again is None:
                    continue
                seen["accepted"] += 1
                if found := used_unopened(path, X) or used(again, X, y):
                    findings.append([number, found])
        print(json.dumps({"model": name, **seen, "findings": findings}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:] or list(models()))

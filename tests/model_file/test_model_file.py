"""A model from a file goes on exactly as the one that was saved; what is no such file is refused."""

import hashlib
import io
import json
import os
import pickle
from fractions import Fraction

import joblib
import numpy as np
import pytest
from safetensors import safe_open
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV

import winnowkit
from winnowkit import load, save
from winnowkit.data import CategoryEncoder, load_dataset, streams
from winnowkit.dnf import Auto, Exact, Ladder, MistakeDriven
from winnowkit.model_file import ModelFileError, read_contents
from winnowkit.model_file.codec import Decoder, Encoder
from winnowkit.model_file.container import write

NAMES = [name for name in winnowkit.__all__ if name[0].isupper()]
STREAM = streams.disjunction(n=60, k=3, active=9, label_noise=0.1, seed=0).take(400)
VOTING = load_dataset("voting", return_X_y=True)
AUTO = load_dataset("auto", return_X_y=True)
# numpy 1.26 loses the seed sequence of a Generator that is pickled or copied.
SOURCE_OF_CHANCE = np.random.default_rng(1) if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else 1


def three_classes(X):
    return np.asarray(X[:, :2].toarray() @ [1, 2]).astype(int) % 3


def examples(model, case):
    """Rows to learn from before and after."""
    if isinstance(model, winnowkit.DNFWinnow):
        X, y = AUTO if "auto" in case else VOTING
        order = np.random.default_rng(0).permutation(len(y))[:120]
        return X[order[:70]], y[order[:70]], X[order[70:]], y[order[70:]]
    X, y = STREAM
    if "three" in case:
        y = np.array(["a", "bb", "ccc"])[three_classes(X)]
    return X[:150], y[:150], X[150:], y[150:]


MODELS = {
    **{name: getattr(winnowkit, name)() for name in NAMES},
    **{f"{name}, three classes": getattr(winnowkit, name)() for name in NAMES if name != "DNFWinnow"},
    "negations": winnowkit.Winnow2(negations=True, floor=0.01),
    "BEG with negations": winnowkit.ThresholdedBEG(negations=True),
    "normalized, always": winnowkit.NormalizedWinnow(negations=True, policy="always"),
    "balanced, negations": winnowkit.BalancedWinnow(negations=True, margin=0.5, alpha=np.float64(1.3)),
    "as they are": winnowkit.BayesBEG(binarize=None),
    "SASB voting": winnowkit.SASB(voting=5),
    "SBSB voting, three classes": winnowkit.SBSB(voting=3),
    "drift on line": winnowkit.DirectedDrift(mode="online", random_state=3),
    "drift, open batch": winnowkit.DirectedDrift(mode="single", batch=97, negations=True, random_state=3),
    "random direct": winnowkit.DirectBayes(prediction="probability", random_state=np.random.RandomState(2)),
    "sharing committee": winnowkit.Committee(
        share=0.01, max_epochs=2, random_state=SOURCE_OF_CHANCE, class_weight={0: 2.0, 1: 1.0}
    ),
    "DNF, auto": winnowkit.DNFWinnow(max_literals=None, max_epochs=3, n_jobs=1),
    "DNF, pair": winnowkit.DNFWinnow(
        max_literals=None,
        training=MistakeDriven(two_class="pair"),
        encoder=CategoryEncoder(missing="most_frequent"),
        theta=Fraction(10**9, 3),
    ),
    "DNF, sampled": winnowkit.DNFWinnow(max_epochs=2, engine=Ladder(steps=300, burn_in=50), random_state=1),
    "DNF, exact or sampled": winnowkit.DNFWinnow(max_epochs=2, engine=Auto(Exact(5), Ladder(steps=200))),
    "DNF, short terms": winnowkit.DNFWinnow(
        encoder=CategoryEncoder(forbid=[0, (1, "y")]), max_literals=2, max_epochs=3, training=MistakeDriven()
    ),
    "DNF, soft": winnowkit.DNFWinnow(max_literals=2, max_epochs=5),
    "DNF, experts": winnowkit.DNFWinnow(training=MistakeDriven(experts=[({3: "y"}, "republican", 4)]), max_epochs=3),
    "DNF, short log": winnowkit.DNFWinnow(
        max_literals=None,
        training=MistakeDriven(max_mistakes=5),
        encoder=CategoryEncoder(missing="value"),
        engine=Exact(max_nodes=10**9),
    ),
}
CASES = [pytest.param(model, name, id=name) for name, model in MODELS.items()]


def state(model):
    """All that is known of a model, to the last bit."""
    encoder = Encoder()
    text = json.dumps(encoder.encode(model), sort_keys=True)
    return text, {name: (array.dtype, array.shape, array.tobytes()) for name, array in encoder.arrays.items()}


def through_file(model, path):
    save(model, path)
    return load(path)


def through_joblib(model, path):
    joblib.dump(model, path)
    return joblib.load(path)


def through_pickle(model, path):
    path.write_bytes(pickle.dumps(model))
    return pickle.loads(path.read_bytes())


@pytest.mark.parametrize("through", [through_file, through_pickle, through_joblib])
@pytest.mark.parametrize(("model", "case"), CASES)
def test_goes_on_as_if_it_had_never_been_saved(model, case, through, tmp_path):
    model = clone(model)
    X, y, more, labels = examples(model, case)
    model.partial_fit(X, y, classes=np.unique(np.concatenate([y, labels])))
    same = through(model, tmp_path / "model")
    assert type(same) is type(model)
    assert state(same) == state(model)
    np.testing.assert_array_equal(same.decision_function(more), model.decision_function(more))
    for first, last in ((0, 20), (20, len(labels))):  # the second time as after one more stop
        expected = model.partial_fit_predict(more[first:last], labels[first:last])
        np.testing.assert_array_equal(same.partial_fit_predict(more[first:last], labels[first:last]), expected)
        same = through(same, tmp_path / "model")
    assert state(same) == state(model)
    assert same.n_mistakes_ == model.n_mistakes_


@pytest.mark.parametrize(("model", "case"), CASES)
def test_parameters_and_clones_survive(model, case, tmp_path):
    X, y, *_ = examples(model, case)
    for stage in (clone(model), clone(model).fit(X, y)):
        same = through_file(stage, tmp_path / "model")
        assert repr(same.get_params()).split(" at 0x")[0] == repr(stage.get_params()).split(" at 0x")[0]
        assert state(clone(same)) == state(clone(stage))
    np.testing.assert_array_equal(same.predict(X), stage.predict(X))


@pytest.mark.parametrize("name", ["Winnow2", "BayesBEG", "Committee", "SASB", "DirectedDrift", "DirectBayes"])
def test_one_attribute_is_enough(name, tmp_path):
    model = getattr(winnowkit, name)(random_state=0).begin(n_features=1, classes=[0, 1])
    assert state(through_file(model, tmp_path / "model")) == state(model)


def test_a_column_without_a_value(tmp_path):
    X, y = np.array([["a", None, "x"], ["b", None, "y"]] * 5, dtype=object), [1, 0] * 5
    model = winnowkit.DNFWinnow(max_literals=2, random_state=0, training=MistakeDriven()).fit(X, y)
    assert model.logs_[0].n_categories.tolist() == [2, 0, 2]
    assert through_file(model, tmp_path / "model").predict(X).tolist() == y


@pytest.mark.parametrize(("n_columns", "max_literals"), [(1, 2), (1, 3), (1, 9), (2, 4), (2, 5)])
def test_terms_may_be_allowed_more_literals_than_columns_have(n_columns, max_literals, tmp_path):
    X = np.random.default_rng(0).choice(["north", "south", "west"], size=(60, n_columns)).astype(object)
    y = X[:, 0] == "north"
    model = winnowkit.DNFWinnow(max_literals=max_literals, random_state=0).fit(X, y)
    again = through_file(model, tmp_path / "model")
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    again.partial_fit(X[:9], ~y[:9])
    model.partial_fit(X[:9], ~y[:9])
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "DNFWinnow"])
def test_one_that_has_only_begun(name, tmp_path):
    model = getattr(winnowkit, name)(random_state=0).begin(n_features=30, classes=["no", "yes"])
    same = through_file(model, tmp_path / "model")
    for i in range(20):
        active = np.array([i % 7, 7 + i % 11])
        label = "yes" if i % 3 else "no"
        assert same.learn_active(active, label) == model.learn_active(active, label)
    assert state(same) == state(model)


def test_the_generator_of_a_parameter_goes_on_where_it_was(tmp_path):
    X, y = STREAM
    for random_state in (np.random.default_rng(5), np.random.RandomState(5), np.random.Generator(np.random.MT19937(5))):
        model = winnowkit.Winnow2(shuffle=True, max_epochs=2, random_state=random_state).fit(X, y)
        same = through_file(model, tmp_path / "model")
        np.testing.assert_array_equal(same.fit(X, y).coef_, model.fit(X, y).coef_)


def test_another_process_and_several_threads_predict_the_same(tmp_path, python):
    digests = {}
    for name, model in MODELS.items():
        model = clone(model)  # noqa: PLW2901
        X, y, more, _ = examples(model, name)
        model.fit(X, y)
        digests[name] = hashlib.sha256(model.decision_function(more).tobytes()).hexdigest()
        save(model, tmp_path / name)
    code = """
import hashlib, json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_model_file import MODELS, examples
from winnowkit import load
digests = {}
for name in MODELS:
    model = load(Path(sys.argv[1]) / name).set_params(n_jobs=2)
    digests[name] = hashlib.sha256(model.decision_function(examples(model, name)[2]).tobytes()).hexdigest()
print(json.dumps(digests))
"""
    here = os.path.dirname(__file__)
    assert json.loads(python(code, tmp_path, here)) == digests


def test_a_file_is_plain_safetensors_and_the_same_every_time(tmp_path):
    model = winnowkit.Winnow2(random_state=0).fit(*STREAM)
    save(model, tmp_path / "one", notes={"target": "y", "columns": ["a", "b"]})
    save(load(tmp_path / "one"), tmp_path / "two", notes={"target": "y", "columns": ["a", "b"]})
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    with safe_open(tmp_path / "one", framework="np") as file:
        assert set(file.metadata()) == {"winnowkit"}
        assert json.loads(file.metadata()["winnowkit"])["format"] == 2
        np.testing.assert_array_equal(file.get_tensor("_learner.weights")[:, 0], model.coef_)
    contents = read_contents(tmp_path / "one")
    assert contents.notes == {"target": "y", "columns": ["a", "b"]}
    assert contents.version == winnowkit.__version__


def test_labels_and_categories_of_many_kinds(tmp_path):
    table = np.array(
        [["a", 1, True, (1, 2)], ["b", 2**70, False, Fraction(1, 3)], [None, -5, True, b"x"]], dtype=object
    )
    for labels in (
        ["x", "y", "x"],
        [1, 2, 1],
        [True, False, True],
        [2.0, -1.0, 2.0],
        np.array(["p", "q", "p"], object),
    ):
        model = winnowkit.DNFWinnow(max_literals=None, encoder=CategoryEncoder(categorical=[1]), random_state=0).fit(
            table, labels
        )
        same = through_file(model, tmp_path / "model")
        assert same.classes_.dtype == model.classes_.dtype
        assert same.encoder_.categories_ == model.encoder_.categories_
        np.testing.assert_array_equal(same.predict(table), model.predict(table))


def test_dates_come_back():
    days = np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[D]")
    values, encoder = [*days, *days.astype(object)], Encoder()
    document = encoder.encode(values)
    back = Decoder(encoder.arrays).decode(document)
    assert back == values
    assert list(map(type, back)) == list(map(type, values))


def back(value):
    encoder = Encoder()
    document = json.loads(json.dumps(encoder.encode(value, "x")))
    return Decoder(encoder.arrays).decode(document)


def test_legacy_generators_go_on_where_they_were():
    generator = np.random.RandomState(3)
    generator.standard_normal(5)  # draws pairs, of which one number is left over
    assert back(generator).standard_normal(3).tolist() == generator.standard_normal(3).tolist()


@pytest.mark.parametrize("array", [np.empty(0, "U3"), np.empty((2, 0), "U3"), np.array(["", "ab"])], ids=repr)
def test_arrays_of_strings_keep_type_and_shape(array):
    same = back(array)
    assert (same.dtype, same.shape, same.tolist()) == (array.dtype, array.shape, array.tolist())


@pytest.mark.parametrize("part", [CategoryEncoder(), Exact(), MistakeDriven()], ids=lambda part: type(part).__name__)
def test_parts_of_models_are_no_models(part, tmp_path):
    with pytest.raises(TypeError, match=f"save accepts learners of winnowkit, got {type(part).__name__}"):
        save(part, tmp_path / "part")
    encoder = Encoder()
    write(tmp_path / "part", {"model": encoder.encode(part), "notes": encoder.encode({})}, encoder.arrays)
    with pytest.raises(ModelFileError, match="it contains no learner"):
        load(tmp_path / "part")


def test_a_search_is_not_saved_but_what_it_found(tmp_path):
    search = GridSearchCV(winnowkit.Winnow2(), {"alpha": [1.5, 2.0]}, cv=2).fit(*STREAM)
    with pytest.raises(
        TypeError, match=r"got GridSearchCV; save the one it found: save\(search.best_estimator_, path\)"
    ):
        save(search, tmp_path / "model")
    found = through_file(search.best_estimator_, tmp_path / "model")
    np.testing.assert_array_equal(found.predict(STREAM[0]), search.predict(STREAM[0]))
    with pytest.raises(TypeError, match="got GridSearchCV; use pickle or joblib for other objects"):
        save(GridSearchCV(winnowkit.Winnow2(), {}), tmp_path / "model")


def test_words_of_a_vectorizer_are_numbered_by_plain_integers():
    """A number of numpy would take an array of its own in the file."""
    vectorizer = CountVectorizer().fit(["red green", "blue"])
    vectorizer.vocabulary_ = {word: np.int64(place) for word, place in vectorizer.vocabulary_.items()}
    encoder = Encoder()
    words = encoder.encode(vectorizer)["value"]["vocabulary_"]["value"]
    assert sorted(words) == [["blue", 0], ["green", 1], ["red", 2]]
    assert not encoder.arrays


def test_a_link_stays_a_link_and_rights_stay(tmp_path):
    save(winnowkit.Winnow1(), tmp_path / "real")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    save(winnowkit.Winnow2(), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert isinstance(load(tmp_path / "real"), winnowkit.Winnow2)
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_the_old_model_and_no_litter(tmp_path, monkeypatch, step):
    save(winnowkit.Winnow1(), tmp_path / "model")

    def fail(*_arguments):
        raise OSError("no space left on device")

    owner = os if step == "fsync" else type(tmp_path)
    monkeypatch.setattr(owner, step, fail)
    with pytest.raises(OSError, match="no space left"):
        save(winnowkit.Winnow2(), tmp_path / "model")
    monkeypatch.undo()
    assert isinstance(load(tmp_path / "model"), winnowkit.Winnow1)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_what_cannot_be_kept_is_named_and_nothing_is_written(tmp_path):
    with pytest.raises(TypeError, match=r"random_state of type _io\.BytesIO; use pickle"):
        save(winnowkit.Winnow2(random_state=io.BytesIO()), tmp_path / "model")
    with pytest.raises(TypeError, match="learners of winnowkit, got int"):
        save(3, tmp_path / "model")

    class Winnow2(winnowkit.Winnow2):
        pass

    with pytest.raises(TypeError, match="learners of winnowkit, got Winnow2"):
        save(Winnow2(), tmp_path / "model")
    with pytest.raises(TypeError, match="learners of winnowkit, got MistakeLog"):
        save(winnowkit.DNFWinnow(max_literals=None).fit(*VOTING).logs_[0], tmp_path / "model")
    assert not list(tmp_path.iterdir())
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "model")


def test_every_byte_counts(tmp_path):
    path = tmp_path / "model"
    save(winnowkit.Winnow2(random_state=0).fit(*STREAM), path)
    data = path.read_bytes()
    for place in [*range(200), *range(200, len(data), 13), len(data) - 1]:
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(ModelFileError):
            load(path)
    for size in [*range(120), *range(120, len(data), 97), len(data) - 1]:
        path.write_bytes(data[:size])
        with pytest.raises(ModelFileError, match=r"truncated|not a winnowkit model"):
            load(path)
    path.write_bytes(data + b" ")
    with pytest.raises(ModelFileError, match="changed or damaged"):
        load(path)

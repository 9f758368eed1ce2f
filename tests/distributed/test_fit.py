"""Training over Dask's collections: the same bytes whatever the cluster, checkpoints, and what is refused."""

from contextlib import nullcontext

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.pipeline import make_pipeline

from winnowkit import AROW, DNFWinnow, Winnow2
from winnowkit.data import streams
from winnowkit.distributed import all_terms, evaluate, fit, partial_fit, predict
from winnowkit.distributed import parameter_mixing as loop
from winnowkit.distributed.parts import parts_of, shard_pieces

da = pytest.importorskip("dask.array")
bag = pytest.importorskip("dask.bag")
distributed = pytest.importorskip("dask.distributed")

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own, of sockets and loops it closes late


@pytest.fixture(scope="module")
def client():
    with distributed.Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0") as connected:
        yield connected


@pytest.fixture(scope="module")
def rows():
    X, y = streams.disjunction(n=200, k=3, label_noise=0.02, seed=0).take(1000)
    X = X.toarray()
    return X, y, da.from_array(X, chunks=(250, -1)), da.from_array(y, chunks=250)


def test_every_row_is_in_one_piece():
    for n_parts, n_shards in [(1, 3), (5, 2), (9, 4)]:
        seen = [
            (piece.part, i)
            for pieces in shard_pieces(n_parts, n_shards, 4)
            for piece in pieces
            for i in range(piece.first, 100, piece.step)
        ]
        assert sorted(seen) == [(part, i) for part in range(n_parts) for i in range(100)]


def test_one_shard_is_one_machine(client, rows):
    X, y, A, b = rows
    here = Winnow2(shuffle=False, max_epochs=1).fit(X, y)
    there = fit(Winnow2(shuffle=False, max_epochs=1), A, b, client, n_shards=1, verbose=False)
    assert there.n_mistakes_ == here.n_mistakes_
    assert (there.coef_ == here.coef_).all()


def test_shards_predict_and_evaluate(client, rows):
    X, y, A, b = rows
    model = fit(AROW(random_state=0, max_epochs=2), A, b, client, n_shards=3, verbose=False)
    assert model.n_trials_ == 2 * len(y)
    labels = model.predict(X)
    assert (predict(model, A).compute() == labels).all()
    assert evaluate(model, A, b, client) == ((labels != y).sum(), len(y))
    assert (labels != y).mean() < 0.1


def test_a_run_goes_on_from_its_checkpoint(client, rows, tmp_path, monkeypatch):
    _, _, A, b = rows
    file = tmp_path / "run.winnow"
    whole = fit(Winnow2(random_state=0, max_epochs=2), A, b, client, n_shards=2, verbose=False)
    played, original = [], loop.Mixing.round

    def killed_later(self, *arguments):
        if len(played) == 6:
            raise KeyboardInterrupt
        played.append(1)
        return original(self, *arguments)

    monkeypatch.setattr(loop.Mixing, "round", killed_later)
    with pytest.raises(KeyboardInterrupt):
        fit(Winnow2(random_state=0, max_epochs=2), A, b, client, n_shards=2, checkpoint=file, verbose=False)
    played.clear()
    resumed = fit(Winnow2(random_state=0, max_epochs=2), A, b, client, n_shards=2, checkpoint=file, verbose=False)
    assert len(played) == 2
    assert (resumed.coef_ == whole.coef_).all()
    with pytest.raises(ValueError, match="of another run: shards was 2 and is 3"):
        fit(Winnow2(random_state=0, max_epochs=2), A, b, client, n_shards=3, checkpoint=file, verbose=False)


def test_workers_get_the_changes_of_a_round_which_make_the_same_model_as_whole_ones(client, rows, monkeypatch):
    _, _, A, b = rows
    sent, original = [], loop.constant

    def counted(client, value):
        sent.append(type(value).__name__)
        return original(client, value)

    monkeypatch.setattr(loop, "constant", counted)
    by_changes = fit(Winnow2(random_state=0, max_epochs=2), A, b, client, n_shards=2, verbose=False)
    assert (sent.count("Winnow2"), sent.count("Change")) == (1, 7)
    sent.clear()
    monkeypatch.setattr(loop, "MOST_CHANGES", 1)
    by_models = fit(Winnow2(random_state=0, max_epochs=2), A, b, client, n_shards=2, verbose=False)
    assert (sent.count("Winnow2"), sent.count("Change")) == (8, 0)
    assert (by_changes.coef_ == by_models.coef_).all()


@pytest.mark.parametrize("n_shards", [1, 2])
def test_passes_of_arow_go_on_from_one_another_on_shards_and_begin_anew_on_one_machine(
    client, rows, n_shards, monkeypatch
):
    _, _, A, b = rows
    starts, ends, original = [], [], loop.Mixing.round

    def kept(self, model, *arguments):
        starts.append(model.n_trials_)
        end = original(self, model, *arguments)
        ends.append(end.coef_.copy())
        return end

    monkeypatch.setattr(loop.Mixing, "round", kept)
    model = fit(AROW(random_state=0, max_epochs=2), A, b, client, n_shards=n_shards, verbose=False)
    whole, half = ends[-1], ends[loop.ROUNDS - 1]
    assert starts[loop.ROUNDS] == (len(b) if n_shards > 1 else 0)
    expected = whole if n_shards > 1 else (whole + half) / 2
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-9, atol=1e-12)
    assert not np.allclose(whole, half)


@pytest.mark.parametrize("learner", [Winnow2(random_state=0, max_epochs=1), AROW(random_state=0, max_epochs=1)])
def test_whole_numbers_are_learned_from_as_floats_are(client, rows, learner):
    _, _, A, b = rows
    floats = fit(clone(learner), A.astype(np.float64), b, client, n_shards=2, verbose=False)
    whole = fit(clone(learner), A.astype(np.int8), b, client, n_shards=2, verbose=False)
    assert (floats.coef_ == whole.coef_).all()
    with pytest.raises(ValueError, match="199 features"):
        partial_fit(whole, A[:, 1:].astype(np.int8), b, client, n_shards=2, verbose=False)


def test_a_run_without_a_seed_goes_on_with_the_one_of_its_checkpoint(client, rows, tmp_path):
    _, _, A, b = rows
    file = tmp_path / "run.winnow"
    first = fit(Winnow2(max_epochs=1), A, b, client, n_shards=2, checkpoint=file, verbose=False)
    again = fit(Winnow2(max_epochs=1), A, b, client, n_shards=2, checkpoint=file, verbose=False)
    assert (again.coef_ == first.coef_).all()
    assert again.n_trials_ == first.n_trials_ == 1000


def test_bags_of_texts_are_hashed_alike_by_all_shards(client):
    texts = [("free prize" if i % 3 == 0 else "see you soon", i % 3 == 0) for i in range(60)]
    pipeline = make_pipeline(HashingVectorizer(n_features=2**10), AROW(random_state=0, max_epochs=1))
    fit(pipeline, bag.from_sequence(texts, npartitions=3), None, client, n_shards=2, verbose=False)
    assert pipeline.predict(["a prize", "see you"]).tolist() == [True, False]


def test_partial_fit_goes_on(client, rows):
    X, y, A, b = rows
    model = partial_fit(Winnow2(), A, b, client, n_shards=1, verbose=False)
    partial_fit(model, A, b, client, n_shards=1, verbose=False)
    here = Winnow2().partial_fit(X, y, classes=[0, 1]).partial_fit(X, y)
    assert model.n_trials_ == 2000
    assert model.n_mistakes_ == here.n_mistakes_


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [(np.zeros((3, 2)), [0, 1, 0], "from_array"), (da.zeros((4, 2), chunks=2), None, "y must be given")],
)
def test_what_is_no_collection_is_refused(X, y, message):
    with pytest.raises((TypeError, ValueError), match=message):
        parts_of(X, y)


def test_tables_that_fit_one_machine_are_fitted_there(client):
    X = np.random.default_rng(0).integers(0, 3, (300, 3))
    y = X[:, 0] == X[:, 1]
    rows, labels = da.from_array(X, chunks=(100, -1)), da.from_array(y, chunks=100)
    model = fit(DNFWinnow(random_state=0, max_literals=2, verbose=False), rows, labels, client, verbose=False)
    assert (model.predict(X) == y).mean() > 0.95


@pytest.mark.parametrize("verbose", [False, True])
def test_the_bar_is_shown_while_a_table_is_fitted_here_if_it_is_wanted(client, monkeypatch, verbose):
    shown = []
    monkeypatch.setattr("winnowkit.dnf.term_training.Progress", lambda: shown.append(1) or nullcontext())
    X = np.random.default_rng(0).integers(0, 3, (300, 3))
    rows, labels = da.from_array(X, chunks=(100, -1)), da.from_array(X[:, 0] == X[:, 1], chunks=100)
    model = DNFWinnow(random_state=0, max_literals=1, max_epochs=2, verbose=not verbose)
    fit(model, rows, labels, client, verbose=verbose)
    assert (len(shown), model.verbose) == (verbose, not verbose)


def test_larger_tables_go_on_from_a_model_of_a_sample(client, monkeypatch):
    monkeypatch.setattr("winnowkit.distributed.fitting.SAMPLE", 1000)
    monkeypatch.setattr("winnowkit.distributed.table_shard.HELD_OUT", 500)
    X = np.random.default_rng(0).normal(size=(6000, 4))
    y = (X[:, 0] > 0.5) & (X[:, 1] < 0.7)
    rows, labels = da.from_array(X, chunks=(1500, -1)), da.from_array(y, chunks=1500)
    model = DNFWinnow(random_state=0, max_literals=2, max_epochs=3, verbose=False)
    fit(model, rows, labels, client, n_shards=2, verbose=False)
    new = np.random.default_rng(1).normal(size=(2000, 4))
    wanted = (new[:, 0] > 0.5) & (new[:, 1] < 0.7)
    assert model.n_trials_ >= 6000
    assert (model.predict(new) != wanted).mean() < 0.06
    assert abs(model.predict_proba(new)[:, 1].mean() - wanted.mean()) < 0.03


@pytest.mark.parametrize(("limit", "rounds"), [({"max_time": 1e-6}, 0), ({"max_epochs": 1}, 4)])
def test_larger_tables_keep_to_the_limits_of_training(client, monkeypatch, limit, rounds):
    monkeypatch.setattr("winnowkit.distributed.fitting.SAMPLE", 1000)
    monkeypatch.setattr("winnowkit.distributed.table_shard.HELD_OUT", 500)
    played, original = [], loop.Mixing.round
    monkeypatch.setattr(loop.Mixing, "round", lambda self, *given: played.append(1) or original(self, *given))
    X = np.random.default_rng(0).normal(size=(2000, 2))
    rows, labels = da.from_array(X, chunks=(500, -1)), da.from_array(X[:, 0] > 0.5, chunks=500)
    model = DNFWinnow(random_state=0, max_literals=1, verbose=False, **limit)
    (name, value), *_ = limit.items()
    with pytest.warns(ConvergenceWarning, match=f"fit ended at {name}={value} before the loss") as warned:
        fit(model, rows, labels, client, n_shards=2, verbose=False)
    assert (len(played), model.n_trials_, len(warned)) == (rounds, 500 * rounds, 1)
    assert warned[0].filename == __file__


@pytest.fixture
def many_terms(monkeypatch):
    """A table with terms of four literals, one of them rare, in four parts."""
    monkeypatch.setattr("winnowkit.distributed.fitting.SAMPLE", 300)
    monkeypatch.setattr("winnowkit.distributed.all_terms.AT_ONCE", 300)
    X = np.random.default_rng(0).choice(list("ab"), size=(2400, 9)).astype(object)
    y = (X[:, :2] == ["a", "b"]).all(axis=1) | (X[:, 2:8] == "a").all(axis=1)
    return X, y


def divided(X, y):
    return da.from_array(X, chunks=(600, -1)), da.from_array(y, chunks=600)


def test_terms_of_any_length_learn_from_the_rows_that_count_in_all_parts(client, many_terms):
    X, y = many_terms
    learner = DNFWinnow(max_literals=None, random_state=0, verbose=False)
    model = fit(learner, *divided(X, y), client, n_shards=2, verbose=False)
    of_sample = DNFWinnow(max_literals=None, random_state=0, verbose=False).fit(X[:300], y[:300])
    assert (of_sample.predict(X) != y).any()
    assert (model.predict(X) == y).all()


def test_noisy_terms_of_any_length_are_learned_from_a_sample_with_a_warning(client, many_terms):
    X, y = many_terms
    noisy = y ^ (np.random.default_rng(1).random(len(y)) < 0.2)
    learner = DNFWinnow(max_literals=None, random_state=0, verbose=False)
    with pytest.warns(UserWarning, match="a sample of 300 rows; max_literals=3 learns from all"):
        model = fit(learner, *divided(X, noisy), client, n_shards=2, verbose=False)
    assert (model.predict(X) == y).mean() > 0.7


def test_a_learner_of_the_rows_that_count_is_right_on_the_others(many_terms):
    X, y = many_terms
    learner = DNFWinnow(max_literals=None, random_state=0, verbose=False)
    rows, labels = all_terms.thinned(learner, X[:300], y[:300])
    assert len(labels) < 200
    assert (learner.fit(rows, labels).predict(X[:300]) == y[:300]).mean() > 0.98
    alone, _ = all_terms.thinned(learner, X[:300], np.zeros(300))
    assert len(alone) == 300  # of one class: nothing says which rows count
    assert {len(group) for group in all_terms._groups(np.arange(700) == 5)} == {234}  # the rare row is in all three


def test_an_array_cut_along_its_columns_is_predicted_like_any_other(client, rows):
    X, _, A, b = rows
    model = fit(AROW(random_state=0, max_epochs=1), A.rechunk({1: 50}), b, client, n_shards=2, verbose=False)
    assert (predict(model, A.rechunk({1: 50})).compute() == model.predict(X)).all()


def test_empty_parts_are_passed_over(client, rows):
    X, y, *_ = rows
    pairs = bag.from_sequence(list(zip(X.tolist(), y.tolist(), strict=True)), npartitions=4)
    pairs = bag.concat([pairs.filter(lambda _: False), pairs])
    model = fit(make_pipeline(AROW(random_state=0, max_epochs=1)), pairs, None, client, n_shards=2, verbose=False)
    assert model.classes_.dtype == y.dtype
    assert (predict(model, pairs.map(lambda pair: pair[0])).compute() == model.predict(X)).all()
    assert evaluate(model, pairs, None, client) == ((model.predict(X) != y).sum(), len(y))


LABELS = np.arange(8) % 2


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.where(LABELS, np.nan, 1.0), "1 of 2 labels are missing"),
        (np.array([0, None] * 4), "1 of 2 labels are missing"),
        (np.linspace(0, 1, 8), "continuous"),
        (np.array(["a", "b", "a", 1, 1, 1, 1, 1], dtype=object), "some labels are text, such as 'a', and others"),
        (np.array(["a", "b", 1, 1, 1, 1, 1, 1], dtype=object), "some labels are text, such as 'a', and others"),
        (np.stack([LABELS, LABELS], axis=1), "one label per row"),
        (LABELS[:7], "X has 8 rows and y has 7 labels"),
        (np.ma.masked_equal(LABELS, 1), "masked"),
    ],
)
def test_labels_that_are_refused_on_one_machine_are_refused_on_many(client, labels, message):
    y = da.from_array(labels, chunks=(2, -1)[: labels.ndim])
    for learner in (AROW(), DNFWinnow(verbose=False)):
        with pytest.raises(ValueError, match=message):
            fit(learner, da.zeros((8, 3), chunks=(2, -1)), y, client, verbose=False)


def test_a_bag_must_hold_pairs_with_labels_of_one_kind(client):
    with pytest.raises(TypeError, match="pairs of a row and its label, got str"):
        fit(AROW(), bag.from_sequence(["ab", "cd"], npartitions=1), None, client, verbose=False)
    with pytest.raises(ValueError, match="some labels are text"):
        fit(AROW(), bag.from_sequence([([1.0], 1), ([0.0], "1")], npartitions=1), None, client, verbose=False)


def test_parts_of_rows_and_labels_must_have_the_same_length(client):
    X, y = da.zeros((8, 3), chunks=(4, -1)), da.from_array(LABELS, chunks=4)
    some = y[da.from_array(np.arange(8) % 4 < 2, chunks=4)]  # of unknown length
    for learner in (AROW(), DNFWinnow(verbose=False)):
        with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[4, 2\]"):
            fit(learner, X, some, client, verbose=False)


def test_what_cannot_be_predicted_is_refused(client, rows):
    X, _, A, b = rows
    with pytest.raises(NotFittedError):
        predict(Winnow2(), A)
    model = fit(Winnow2(max_epochs=1), A, b, client, n_shards=1, verbose=False)
    with pytest.raises(TypeError, match=r"got ndarray; dask\.array\.from_array"):
        predict(model, X)


def test_partial_fit_refuses_what_it_refuses_on_one_machine(client, rows):
    _, _, A, b = rows
    with pytest.raises(ValueError, match="'balanced' needs all labels at once"):
        partial_fit(AROW(class_weight="balanced"), A, b, client, verbose=False)
    model = partial_fit(AROW(), A, b, client, classes=[0, 1, 2], verbose=False)
    with pytest.raises(ValueError, match="classes must stay"):
        partial_fit(model, A, b, client, classes=[0, 1], verbose=False)


def test_a_file_that_lacks_a_column_is_named(client, tmp_path):
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"a": [0, 1], "b": [1, 0], "label": [0, 1]})
    table.to_parquet(tmp_path / "part0.parquet")
    table.drop(columns="b").to_parquet(tmp_path / "part1.parquet")
    with pytest.raises(ValueError, match=r"part1\.parquet has no column 'b'"):
        fit(AROW(random_state=0), tmp_path, "label", client, n_shards=1, verbose=False)
    (tmp_path / "part1.parquet").write_bytes(b"nothing")
    with pytest.raises(ValueError, match=r"part1\.parquet"):
        fit(AROW(random_state=0), tmp_path, "label", client, n_shards=1, verbose=False)

"""An engine written by somebody else: only the two methods that the base class asks for."""

import itertools
import math
import threading
from fractions import Fraction

import numpy as np
import pytest

from winnowkit import DNFWinnow, save
from winnowkit.core.multiclass import n_learners_for
from winnowkit.core.transaction import all_or_nothing
from winnowkit.dnf import (
    Agreement,
    Auto,
    BudgetExceeded,
    Decision,
    Engine,
    Estimate,
    Exact,
    Ladder,
    MistakeDriven,
    MistakeLog,
    Threshold,
)
from winnowkit.dnf.learners import Learners
from winnowkit.dnf.short_term_tables import ShortTerms, n_short_terms
from winnowkit.dnf.training import UpdatePolicy


class Listing(Engine):
    """Sums by listing every subset of the attributes; it counts what it is asked."""

    def __init__(self):
        self.n_asked = 0

    def total(self, agreement, alpha):
        self.n_asked += 1
        inside = [
            [word >> b & 1 for word in agreement.sets[:, 0].tolist()] for b in range(agreement.n_live)
        ]  # which sets hold each attribute
        total = Fraction(0)
        for size in range(agreement.n_live + 1):
            for term in itertools.combinations(inside, size):
                net = sum(net for k, net in enumerate(agreement.nets.tolist()) if all(row[k] for row in term))
                total += Fraction(alpha) ** net
        total += 2**agreement.n_live * (2**agreement.n_dead - 1)
        return total * 2**agreement.n_free

    def log_sum(self, agreement, alpha, rng=None):  # noqa: ARG002 - the signature of engines
        return Estimate(math.log(self.total(agreement, alpha)))

    def decide(self, agreement, threshold, guess=None, rng=None):  # noqa: ARG002 - likewise
        alpha, log_theta, theta = threshold
        total = self.total(agreement, alpha)
        return Decision(int(total >= theta if theta is not None else math.log(total) >= log_theta))


def table(n_classes, n_rows=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n_rows, 5)).astype(np.int32)
    y = ((X[:, 0] == 1) & (X[:, 1] == 2) | (X[:, 2] == 3)).astype(np.int64)
    return X, y + ((X[:, 3] == 1) & (n_classes > 2))


@pytest.mark.parametrize("policy", [UpdatePolicy(), UpdatePolicy(0.5, "half"), UpdatePolicy(0.0, 2)])
@pytest.mark.parametrize(("n_classes", "n_learners"), [(2, 1), (2, 2), (3, 3)])
def test_two_methods_are_enough_to_train_and_predict(policy, n_classes, n_learners):
    X, y = table(n_classes)
    listing, exact = (Learners(n_learners, 5, 1.5, 4**5, engine) for engine in (Listing(), Exact()))
    outcomes = [learners.fit(X, y, max_epochs=4, policy=policy, keep_longest=True) for learners in (listing, exact)]
    assert outcomes[0] == outcomes[1]
    assert outcomes[0].n_mistaken > 0
    assert listing.logs == exact.logs
    new = table(n_classes, seed=1)[0]
    for n_jobs in (1, 2):
        assert np.array_equal(listing.predict(new, n_jobs), exact.predict(new, n_jobs))
        assert np.allclose(listing.log_sums(new, n_jobs=n_jobs), exact.log_sums(new), rtol=1e-12)
    assert np.allclose(listing.decisions(new), exact.decisions(new), atol=1e-9)
    assert [len(row) for row in listing.estimates(new)] == [n_learners] * len(new)
    followed = [learners.follow(new, y) for learners in (listing, exact)]
    assert np.array_equal(*followed)
    assert listing.logs == exact.logs
    assert listing.engine.n_asked > len(X)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_classifier_takes_it_and_a_model_file_refuses_it_by_name(n_classes, tmp_path):
    X, y = table(n_classes)
    engines = Listing(), "auto"
    models = [DNFWinnow(max_literals=None, engine=e, max_epochs=3, random_state=0).fit(X, y) for e in engines]
    assert models[0].logs_ == models[1].logs_
    assert np.array_equal(models[0].predict(X), models[1].predict(X))
    assert np.allclose(models[0].decision_function(X), models[1].decision_function(X), atol=1e-9)
    with pytest.raises((TypeError, ValueError), match="Listing"):
        save(models[0], tmp_path / "model.wk")
    assert not list(tmp_path.iterdir())


def test_an_engine_has_to_answer_both_questions():
    class Half(Engine):
        def log_sum(self, agreement, alpha, rng=None):  # noqa: ARG002 - the signature of engines
            return Estimate(0.0)

    with pytest.raises(TypeError, match="decide"):
        Half()
    with pytest.raises(ValueError, match=r"an engine must be an instance of winnowkit\.dnf\.Engine"):
        DNFWinnow(engine=object()).fit([["a"], ["b"]], [0, 1])


class Answering(Listing):
    """An engine with an answer or an attribute that the base class does not allow, or does."""

    def __init__(self, label=None, log_sum=None, **attributes):
        super().__init__()
        self.label, self.sum = label, log_sum
        for name, value in attributes.items():
            setattr(self, name, value)

    def log_sum(self, agreement, alpha, rng=None):
        return super().log_sum(agreement, alpha, rng) if self.sum is None else Estimate(self.sum)

    def decide(self, agreement, threshold, guess=None, rng=None):
        self.guesses = getattr(self, "guesses", set()) | {guess}
        decision = super().decide(agreement, threshold, guess, rng)
        return decision if self.label is None else Decision(self.label(decision.label))


@pytest.mark.parametrize(
    ("engine", "message"),
    [
        (Answering(label=lambda label: 2 * label - 1), "label of a Decision must be 0 or 1, got -1"),
        (Answering(log_sum=math.nan), "log_sum of an Estimate must be a number, got nan"),
        (Answering(guess="previous"), "guess of an engine must be one of last, label, one, start, got 'previous'"),
        (Answering(max_literals=2), "engine must sum over all terms.*max_literals=2 of DNFWinnow"),
        (None, r"instance of winnowkit\.dnf\.Engine, such as Exact\(\); got None"),
        (Listing, r"instance of winnowkit\.dnf\.Engine, such as Exact\(\); got <class"),
    ],
)
def test_an_engine_that_breaks_its_word_is_refused(engine, message):
    X, y = table(2)
    with pytest.raises(ValueError, match=message):
        DNFWinnow(engine=engine, max_epochs=1).fit(X, y).decision_function(X)


def test_an_answer_of_the_wrong_type_names_the_engine():
    class Bare(Listing):
        def __repr__(self):
            return "Bare()"

        def log_sum(self, *args, **options):
            return super().log_sum(*args, **options).log_sum

    class BareSides(Bare):
        def decide(self, *args, **options):
            return super().decide(*args, **options).label

    X, y = table(2)
    model = DNFWinnow(engine=Bare(), max_epochs=1, training=MistakeDriven(two_class="single")).fit(X, y)
    with pytest.raises(TypeError, match=r"the engine Bare\(\) must answer with Estimate\(\.\.\.\), got \d"):
        model.decision_function(X)
    with pytest.raises(TypeError, match=r"the engine Bare\(\) must answer with Decision\(\.\.\.\), got [01]"):
        DNFWinnow(engine=BareSides(), max_epochs=1).fit(X, y)


def test_numpy_booleans_are_labels_and_a_guess_may_be_set_per_engine():
    X, y = table(2)
    engine = Answering(label=np.bool_, guess="label")
    model = DNFWinnow(engine=engine, max_epochs=3, random_state=0).fit(X, y)
    assert model.logs_ == DNFWinnow(engine=Exact(), max_epochs=3, random_state=0).fit(X, y).logs_
    assert engine.guesses == {0, 1}


def test_auto_takes_engines_only():
    for parts in ({"exact": Exact}, {"exact": Ladder()}, {"sampler": Ladder}, {"sampler": None}):
        with pytest.raises(ValueError, match="instance of winnowkit"):
            Auto(**parts)


@pytest.mark.parametrize("n_attributes", [1, 3, 70, 130])
def test_members_are_the_bits_of_the_sets(n_attributes):
    rng = np.random.default_rng(6)
    log, x = MistakeLog(n_attributes), rng.integers(1, 3, n_attributes)
    for _ in range(8):
        log.append(rng.integers(1, 3, n_attributes), 1)
    agreement = Agreement.of(log, x)
    members = agreement.members()
    assert members.shape == (len(agreement.nets), agreement.n_live)
    agrees = (log.codes == x)[:, [0 < n < len(log) for n in (log.codes == x).sum(axis=0)]]  # in some sets, not in all
    assert sorted(members.sum(axis=0)) == sorted(agrees.sum(axis=0))
    assert {tuple(sorted(row)) for row in members.tolist()} == {tuple(sorted(row)) for row in agrees.tolist()}


def test_each_row_has_its_own_randomness_whatever_the_batch():
    X, y = table(3)
    learners = Learners(3, 5, 1.5, 4**5, Ladder(steps=50), seed=7)
    learners.fit(X, y, max_epochs=1)
    sums = learners.log_sums(X)
    assert np.array_equal(learners.log_sums(X[10:20], n_jobs=2), sums[10:20])
    assert np.array_equal(learners.predict(X), sums.argmax(axis=1))
    exact = Learners(3, 5, 1.5, 4**5, Exact(), seed=7)
    exact.logs = learners.logs
    assert np.array_equal(exact.log_sums(X, Ladder(steps=50)), sums)  # also when asked beside the model's own engine


def test_auto_falls_back_for_rows_and_for_batches():
    rng = np.random.default_rng(3)
    logs = [MistakeLog(30) for _ in range(2)]
    for sign in rng.choice([-1, 1], 80):
        logs[0].append(rng.integers(1, 3, 30), int(sign))
    X = rng.integers(1, 3, (4, 30)).astype(np.int32)
    listing = Exact()
    auto = Auto(Exact(max_nodes=5), listing)
    with pytest.raises(BudgetExceeded):
        auto.exact.log_sums(logs[0], X, 1.5)
    assert auto.log_sums(logs[0], X, 1.5).tolist() == [
        listing.log_sum(Agreement.of(logs[0], x), 1.5).log_sum for x in X
    ]
    assert auto.log_sums(logs[1], X, 1.5).tolist() == auto.exact.log_sums(logs[1], X, 1.5).tolist()
    assert auto.largest(logs, X, Threshold(1.5, 30 * math.log(3))).tolist() == (
        listing.largest(logs, X, Threshold(1.5, 0.0)).tolist()
    )
    assert auto.leaders(logs, X[0], 1.5, np.zeros(2)) == [0, 1]  # too dear to compare: equal as far as is known


def test_listed_short_terms_are_those_of_the_tables():
    rng = np.random.default_rng(4)
    for k in (1, 2, 3, 9):
        engine = ShortTerms([3] * 5, k)
        log, plain = engine.new_logs(1, 5)[0], MistakeLog(5)
        for z, sign in zip(rng.integers(0, 4, (12, 5)), rng.choice([-1, 1], 12), strict=True):
            log.append(z, int(sign))
            plain.append(z, int(sign))
        X = rng.integers(0, 4, (10, 5)).astype(np.int32)
        theta = n_short_terms([3] * 5, k)
        for x, log_sum, label in zip(
            X, engine.log_sums(log, X, 1.5), engine.labels(log, X, Threshold(1.5, math.log(theta), theta)), strict=True
        ):
            agreement = Agreement.of(plain, x)
            assert engine.counts(agreement) == log.counts(x)
            assert engine.log_sum(agreement, 1.5).log_sum == pytest.approx(log_sum, abs=1e-12)
            assert engine.decide(agreement, Threshold(1.5, math.log(theta), theta)).label == label
    with pytest.raises(TypeError, match="tables of their own logs"):
        engine.log_sums(plain, X, 1.5)


def test_sums_over_other_terms_are_refused():
    learners = Learners(1, 5, 1.5, 100, ShortTerms([3] * 5, 2))
    X = table(2)[0]
    with pytest.raises(ValueError, match="at most max_literals=2 literals"):
        learners.log_sums(X, Exact())
    with pytest.raises(ValueError, match="at most max_literals=None literals"):
        Learners(1, 5, 1.5, 100).estimates(X, ShortTerms([3] * 5, 2))


# --- the end of a fit ---


class Interrupting(Listing):
    """An engine that interrupts at a given question."""

    def __init__(self, interrupt_at):
        super().__init__()
        self.interrupt_at = interrupt_at

    def decide(self, *args, **options):
        if self.n_asked + 1 == self.interrupt_at:
            raise KeyboardInterrupt
        return super().decide(*args, **options)


def noisy(n_rows=60):
    X, y = table(2, n_rows)
    return X, y ^ (np.random.default_rng(5).random(n_rows) < 0.3)


def pocket(X, y, n_trials):
    """The log before the longest run without a mistake, in the first trials, the obvious way."""
    log, kept, run, longest = MistakeLog(5), MistakeLog(5), 0, 0
    for t in range(n_trials):
        x, label = X[t % len(X)], y[t % len(X)]
        run += 1
        if run >= longest and log.n_mistakes:
            longest, kept = (
                run,
                MistakeLog.restore(
                    log.codes, log.nets, log.last, n_promotions=log.n_promotions, n_demotions=log.n_demotions
                ),
            )
        if Exact().decide(Agreement.of(log, x), Threshold(1.5, 5 * math.log(4), 4**5)).label != label:
            log.append(x, 1 if label else -1)
            run = 0
    return kept


@pytest.mark.parametrize("keep_longest", [True, False])
def test_an_interrupted_fit_keeps_what_a_finished_one_would(keep_longest):
    X, y = noisy()
    learners = Learners(1, 5, 1.5, 4**5, Interrupting(131))
    outcome = learners.fit(X, y, max_epochs=100, keep_longest=keep_longest)
    assert outcome == (2, 130, learners.n_updates[0], "interrupted")
    if keep_longest:
        assert learners.logs[0] == pocket(X, y, 130)
        assert learners.logs[0].n_mistakes < learners.n_updates[0]
    else:
        assert learners.logs[0].n_mistakes == learners.n_updates[0]


def test_an_interrupt_in_the_middle_of_an_update_leaves_a_whole_log(monkeypatch):
    X, y = noisy()
    learners, calls = Learners(1, 5, 1.5, 4**5), []
    store = MistakeLog._store

    def torn(log, *args):
        calls.append(args)
        if len(calls) == 10:
            raise KeyboardInterrupt
        store(log, *args)

    monkeypatch.setattr(MistakeLog, "_store", torn)
    assert learners.fit(X, y, max_epochs=10).ended == "interrupted"
    log = learners.logs[0]
    assert log.n_mistakes == learners.n_updates[0]
    assert np.abs(log.nets).sum() == log.reach <= log.n_mistakes


def test_a_time_limit_holds_within_an_epoch(monkeypatch):
    X, y = noisy()
    clock = itertools.count()
    monkeypatch.setattr("winnowkit.dnf.learners.time.monotonic", lambda: float(next(clock)))
    learners = Learners(1, 5, 1.5, 4**5, Listing())
    outcome = learners.fit(X, y, max_epochs=100, max_time=75, keep_longest=True)
    assert outcome[:2] == (1, 75)
    assert outcome.ended == "max_time"
    assert learners.logs[0] == pocket(X, y, 75)


def test_the_outcome_says_why_training_ended():
    X, y = table(2)
    learners = [Learners(1, 5, 1.5, 4**5) for _ in range(3)]
    assert learners[0].fit(X, y, max_epochs=100).ended == "clean epoch"
    assert learners[1].fit(X, y, max_epochs=1) == (1, 40, learners[1].n_updates[0], "max_epochs")
    assert learners[2].fit(X, y, max_epochs=100, orders=[None, None])[::3] == (2, "stopped")


def test_an_interrupt_reaches_all_threads():
    X, y = table(3, n_rows=200)
    engine = Interrupting(300)
    outcome = Learners(3, 5, 1.5, 4**5, engine).fit(X, y, max_epochs=1000, n_jobs=3)
    assert outcome.ended == "interrupted"
    assert threading.active_count() < 10


def test_learners_roll_back():
    X, y = table(3)
    learners = Learners(n_learners_for(3), 5, 1.5, 4**5)
    learners.follow(X[:20], y[:20])
    before = [(log.codes.tolist(), log.nets.tolist(), log.n_mistakes) for log in learners.logs]
    updates = learners.n_updates.copy()

    def fail():
        with all_or_nothing(learners):
            learners.follow(X[20:], y[20:])
            assert learners.n_updates != updates
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert [(log.codes.tolist(), log.nets.tolist(), log.n_mistakes) for log in learners.logs] == before
    assert learners.n_updates == updates


def test_estimates_are_equal_if_the_same_fields_are_unknown():
    """dataclasses compare NaN by identity up to Python 3.12, and by value from then on."""
    known, unknown = Estimate(2.0, acceptance=0.5), Estimate(2.0, acceptance=float("nan"))
    assert unknown == Estimate(2.0)
    assert hash(unknown) == hash(Estimate(2.0))
    assert known != unknown
    assert Estimate(1.0) != Estimate(2.0) != 2.0

import numpy as np
import pytest

from winnowkit.core.transaction import all_or_nothing
from winnowkit.dnf import MistakeLog


def test_repeated_mistakes_merge_and_opposite_ones_cancel():
    log = MistakeLog(2)
    for x, sign in [([1, 1], 1), ([1, 2], -1), ([1, 1], 1), ([1, 2], 1)]:
        log.append(x, sign)
    assert log.codes.tolist() == [[1, 1]]
    assert log.nets.tolist() == [2]
    assert (log.n_promotions, log.n_demotions, log.n_mistakes, log.reach) == (3, 1, 4, 2)


def test_it_grows_past_its_first_capacity_and_keeps_what_it_had():
    log = MistakeLog(2)
    for value in range(1, 200):
        log.append([value, value % 3], 1 if value % 2 else -1)
    assert log.codes.tolist() == [[value, value % 3] for value in range(1, 200)]
    assert log.last.tolist() == list(range(1, 200))
    assert log.nets.tolist() == [1 if value % 2 else -1 for value in range(1, 200)]


def test_a_cancelled_example_leaves_the_others_findable():
    log = MistakeLog(1)
    for value in (1, 2, 3):
        log.append([value], 1)
    log.append([1], -1)
    log.append([3], 1)
    assert dict(zip(log.codes[:, 0].tolist(), log.nets.tolist(), strict=True)) == {2: 1, 3: 2}


def test_max_mistakes_drops_the_smallest_net_then_the_oldest():
    log = MistakeLog(1, max_mistakes=2)
    log.append([1], 1)
    log.append([2], -1)
    log.append([2], -1)
    log.append([3], 1)  # 1 and 3 have net 1: the newcomer stays
    assert sorted(log.codes[:, 0].tolist()) == [2, 3]
    log.append([4], 1)
    assert sorted(log.codes[:, 0].tolist()) == [2, 4]
    assert (log.n_mistakes, log.reach) == (5, 3)


def test_among_equal_nets_the_one_longest_ago_is_dropped():
    log = MistakeLog(1, max_mistakes=3)
    for value in (1, 2, 3):
        log.append([value], 1)
    log.append([4], 1)
    assert sorted(log.codes[:, 0].tolist()) == [2, 3, 4]  # not the newest


def test_a_repeated_mistake_makes_an_example_recent():
    log = MistakeLog(1, max_mistakes=3)
    for value, sign in [(1, 1), (2, 1), (3, 1), (1, 1), (1, -1)]:
        log.append([value], sign)
    assert dict(zip(log.codes[:, 0].tolist(), log.last.tolist(), strict=True)) == {1: 5, 2: 2, 3: 3}
    log.append([4], 1)
    assert sorted(log.codes[:, 0].tolist()) == [1, 3, 4]  # 2 is the oldest now


def test_equality_ignores_order_and_sees_counts():
    first, second = MistakeLog(1), MistakeLog(1)
    for value in (1, 2):
        first.append([value], 1)
        second.append([3 - value], 1)
    assert first == second
    second.append([1], 1)
    assert first != second
    assert first != "log"


def test_restore_round_trips():
    log = MistakeLog(3, max_mistakes=10)
    rng = np.random.default_rng(0)
    for _ in range(40):
        log.append(rng.integers(0, 3, 3), int(rng.choice([-1, 1])))
    again = MistakeLog.restore(
        log.codes, log.nets, log.last, n_promotions=log.n_promotions, n_demotions=log.n_demotions, max_mistakes=10
    )
    assert again == log
    assert again.reach == log.reach
    again.append(log.codes[0], 1)
    assert again != log


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MistakeLog(0), "n_attributes must be at least 1"),
        (lambda: MistakeLog(1, max_mistakes=0), "max_mistakes must be at least 1"),
        (lambda: MistakeLog(2).append([1], 1), "must have 2 codes here, got an array of shape"),
        (lambda: MistakeLog(1).append([1], 2), "sign must be 1"),
    ],
)
def test_errors_say_what_was_expected(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("max_mistakes", [None, 5])
def test_a_transaction_that_fails_leaves_no_trace(max_mistakes):
    rng = np.random.default_rng(0)
    for _ in range(50):
        log = MistakeLog(2, max_mistakes)
        for z, sign in zip(rng.integers(0, 4, (30, 2)), rng.choice([-1, 1], 30), strict=True):
            log.append(z, int(sign))
        before = state(log)
        changed = []
        with pytest.raises(KeyError):
            fail_after(log, rng.integers(0, 4, (20, 2)), rng.choice([-1, 1], 20), changed)
        assert changed[0] != before
        assert state(log) == before
        with all_or_nothing(log):
            log.append([9, 9], +1)
        assert state(log) != before
        log.append([9, 9], -1)
        assert log.reach == np.abs(log.nets).sum()


def test_a_transaction_that_fails_forgets_what_was_given_in_it():
    log = MistakeLog(1)
    log.give([1], 2)
    with pytest.raises(KeyError):
        give_and_fail(log)
    assert log.emptied().nets.tolist() == [2]


def give_and_fail(log):
    with all_or_nothing(log):
        log.give([2], 3)
        raise KeyError


def fail_after(log, codes, signs, changed):
    with all_or_nothing(log):
        for z, sign in zip(codes, signs, strict=True):
            log.append(z, int(sign))
        changed.append(state(log))
        raise KeyError


def state(log):
    arrays = [array.tolist() for array in (log.codes, log.nets, log.last)]
    return arrays, log.reach, log.n_promotions, log.n_demotions, log.n_forgotten


@pytest.mark.parametrize(("codes", "nets"), [([[1], [1]], [1, 1]), ([[1], [2]], [1, 0])], ids=["twice", "net 0"])
def test_a_log_restored_keeps_distinct_examples_of_some_net(codes, nets):
    with pytest.raises(ValueError, match="distinct examples, none of them with net 0"):
        MistakeLog.restore(np.array(codes, dtype=np.int32), nets, [1, 2], n_promotions=2, n_demotions=0)


def test_nets_come_from_mistakes_and_forgotten_examples_are_counted():
    log = MistakeLog(1, max_mistakes=2)
    for value in (1, 2, 3, 4):
        log.append([value], 1)
    assert log.n_forgotten == 2
    again, state = MistakeLog(1), log.__getstate__()
    again.__setstate__(state)
    assert (again.n_forgotten, again.codes.tolist()) == (2, log.codes.tolist())
    again.__setstate__(state | {"n_promotions": 2})  # as many as the nets need
    with pytest.raises(ValueError, match="nets of 2 in all cannot come from 1 mistakes"):
        again.__setstate__(state | {"n_promotions": 1})

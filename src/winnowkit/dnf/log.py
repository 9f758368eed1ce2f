"""The log of mistakes: all that Winnow over exponentially many terms needs to remember."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from weakref import ref

import numpy as np
import numpy.typing as npt

from winnowkit.dnf.kernels.problem import Codes, Ints, LogArrays

_FIRST_CAPACITY = 16


@dataclass(eq=False)
class Journal:
    """How to undo the changes of a log since a checkpoint, the first change first; and its counts at that time."""

    counts: tuple[int, int, int]
    n_given: int
    undo: list[Callable[[], None]] = field(default_factory=list)


class MistakeLog:
    """The examples that were promoted (+1) or demoted (-1), each distinct example once with its net count.

    A term's weight is alpha to the power of the promotions less the demotions of the examples it covers, so repeated
    mistakes on one example merge into a net count, and opposite ones cancel: at net 0 the example leaves the log.
    `n_promotions` and `n_demotions` go on counting every mistake; `n_forgotten` counts examples dropped for room.

    Parameters
    ----------
    n_attributes : int
        Length of an example.
    max_mistakes : int, optional
        Largest number of distinct examples kept. When one more comes, the example with the smallest absolute net is
        dropped, among equals the one whose last mistake is longest ago; never the new one. Forgetting an example z of
        net s divides the weight of every term that covers z by alpha^s, so a sum W(x) moves by a factor between 1 and
        alpha^-s, the less the fewer terms x and z share. Winnow's mistake bound does not survive it: a learner may make
        the same mistake again and again when the log is too short for its concept.

    See Also
    --------
    Agreement : An example against a log.
    heaviest : The heaviest terms of a log.

    Examples
    --------
    >>> log = MistakeLog(3)
    >>> log.append([1, 2, 0], +1)
    >>> log.append([1, 1, 1], -1)
    >>> log.append([1, 2, 0], +1)
    >>> log
    MistakeLog(n_attributes=3, 2 examples, 2 promotions, 1 demotions)
    >>> log.codes.tolist(), log.nets.tolist()
    ([[1, 2, 0], [1, 1, 1]], [2, -1])
    >>> log.append([1, 1, 1], +1)
    >>> len(log), log.n_mistakes
    (1, 4)
    """

    def __init__(self, n_attributes: int, max_mistakes: int | None = None) -> None:
        if n_attributes < 1:
            raise ValueError(f"n_attributes must be at least 1, got {n_attributes}")
        if max_mistakes is not None and max_mistakes < 1:
            raise ValueError(f"max_mistakes must be at least 1 or None, got {max_mistakes}")
        self.n_attributes = n_attributes
        self.max_mistakes = max_mistakes
        self.n_promotions = 0
        self.n_demotions = 0
        self.n_forgotten = 0
        self._columns: Codes = np.zeros((n_attributes, _FIRST_CAPACITY), dtype=np.int32)
        self._nets: Ints = np.zeros(_FIRST_CAPACITY, dtype=np.int64)
        self._last: Ints = np.zeros(_FIRST_CAPACITY, dtype=np.int64)
        self._slots: dict[bytes, int] = {}
        self._reach = 0
        self._journal: ref[Journal] | None = None
        self._given: list[tuple[Codes, int]] = []

    @classmethod
    def restore(
        cls,
        codes: npt.ArrayLike,
        nets: npt.ArrayLike,
        last: npt.ArrayLike,
        *,
        n_promotions: int,
        n_demotions: int,
        max_mistakes: int | None = None,
    ) -> MistakeLog:
        """Make a log from the arrays and counts of another, as when loading one.

        Examples
        --------
        >>> log = MistakeLog(2)
        >>> log.append([1, 2], +1)
        >>> MistakeLog.restore(log.codes, log.nets, log.last, n_promotions=1, n_demotions=0) == log
        True
        """
        codes = np.ascontiguousarray(codes, dtype=np.int32)
        if codes.ndim != 2:
            raise ValueError(
                f"the codes of a log must be a table with one example per row; got {codes.ndim} dimensions"
            )
        if codes.min(initial=0) < 0:
            raise ValueError(f"the codes of a log must not be negative; got {codes.min()}")
        log = cls(codes.shape[1], max_mistakes)
        size = len(codes)
        log._grow(size)
        log._columns[:, :size] = codes.T
        log._nets[:size], log._last[:size] = _of_length(nets, size), _of_length(last, size)
        log._slots = {row.tobytes(): slot for slot, row in enumerate(codes)}
        log._reach = sum(map(abs, log._nets[:size].tolist()))
        if len(log) < size or 0 in log.nets:
            raise ValueError("a log must keep distinct examples, none of them with net 0")
        log.n_promotions, log.n_demotions = n_promotions, n_demotions
        return log

    def __getstate__(self) -> dict[str, Any]:
        counts = ("max_mistakes", "n_promotions", "n_demotions", "n_forgotten")
        given = np.array([row for row, _ in self._given], dtype=np.int32).reshape(-1, self.n_attributes)
        arrays = {"codes": self.codes, "nets": self.nets.copy(), "last": self.last.copy(), "given": given}
        nets = {"given_nets": np.array([net for _, net in self._given], dtype=np.int64)}
        return arrays | nets | {name: getattr(self, name) for name in counts}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        n_forgotten, given, given_nets = (state.pop(name) for name in ("n_forgotten", "given", "given_nets"))
        log = MistakeLog.restore(**state)
        log._given = [(log.check(row), int(net)) for row, net in zip(given, given_nets, strict=True)]
        if log.reach > log.n_mistakes + sum(abs(net) for _, net in log._given):
            raise ValueError(f"nets of {log.reach} in all cannot come from {log.n_mistakes} mistakes")
        self.__dict__ = vars(log) | {"n_forgotten": n_forgotten}

    def append(self, x: npt.ArrayLike, sign: int) -> None:
        """Log a mistake.

        Parameters
        ----------
        x : array of int
            The example: one code per attribute, from 1; 0 is unspecified.
        sign : {1, -1}
            1 for a promotion (it was positive), -1 for a demotion.
        """
        row = self.check(x)
        if sign not in (1, -1):
            raise ValueError(f"sign must be 1 (promotion) or -1 (demotion), got {sign!r}")
        sign = int(sign)  # sums of nets are Python's integers, which numpy's would turn into its own
        if sign > 0:
            self.n_promotions += 1
        else:
            self.n_demotions += 1
        slot = self._slots.get(row.tobytes())
        if slot is None:
            if len(self) == self.max_mistakes:
                self._remove(self._least_useful())
                self.n_forgotten += 1
            self._store(row, sign, self.n_mistakes)
            return
        self._add(slot, sign)

    def checkpoint(self) -> Journal:
        """Begin to note how to undo each change, for :func:`~winnowkit.core.transaction.all_or_nothing`.

        Rolling back costs time in proportion to the changes, not to the length of the log. One checkpoint is in use at
        a time: a new one ends the one before.

        Examples
        --------
        >>> from winnowkit.core.transaction import all_or_nothing
        >>> log = MistakeLog(2)
        >>> try:
        ...     with all_or_nothing(log):
        ...         log.append([1, 1], +1)
        ...         log.append([1, 1, 1], +1)
        ... except ValueError:
        ...     print(log)
        MistakeLog(n_attributes=2, 0 examples, 0 promotions, 0 demotions)
        """
        journal = Journal((self.n_promotions, self.n_demotions, self.n_forgotten), len(self._given))
        self._journal = ref(journal)  # changes are noted as long as the checkpoint is in use
        return journal

    def roll_back(self, checkpoint: Journal) -> None:
        """Undo all changes since the checkpoint."""
        self._journal = None
        for step in reversed(checkpoint.undo):
            step()
        self.n_promotions, self.n_demotions, self.n_forgotten = checkpoint.counts
        del self._given[checkpoint.n_given :]

    def _note(self, undo: Callable[[], None]) -> None:
        """Note how to undo a change, if there is a checkpoint to go back to."""
        journal = None if self._journal is None else self._journal()
        if journal is not None:
            journal.undo.append(undo)

    def give(self, x: npt.ArrayLike, net: int) -> None:
        """Change the net of an example by prior knowledge, which counts as no mistake.

        Examples
        --------
        >>> log = MistakeLog(2)
        >>> log.give([1, 0], 5)
        >>> log.nets.tolist(), log.n_mistakes
        ([5], 0)
        """
        row = self.check(x)
        self._given.append((row.copy(), net))
        slot = self._slots.get(row.tobytes())
        if slot is not None:
            self._add(slot, net)
        elif net:
            self._store(row, net, self.n_mistakes)

    @property
    def has_given(self) -> bool:
        """Whether anything was given by :meth:`give`."""
        return bool(self._given)

    def emptied(self) -> MistakeLog:
        """Make a log of the same kind without the mistakes: it holds only what was given."""
        log = self._blank()
        for row, net in self._given:
            log.give(row, net)
        return log

    def widened(self, n_attributes: int, fill: int) -> MistakeLog:
        """Make the log of longer examples, whose last codes are all `fill`."""
        codes = np.pad(self.codes, ((0, 0), (0, n_attributes - self.n_attributes)), constant_values=fill)
        promotions, demotions = self.n_promotions, self.n_demotions
        log = MistakeLog.restore(
            codes, self.nets, self.last, n_promotions=promotions, n_demotions=demotions, max_mistakes=self.max_mistakes
        )
        log.n_forgotten = self.n_forgotten
        return log

    def _blank(self) -> MistakeLog:
        return MistakeLog(self.n_attributes, self.max_mistakes)

    def check(self, x: npt.ArrayLike) -> Codes:
        """Return the codes of one example as a contiguous int32 array; raise if there are too few or too many."""
        row = np.ascontiguousarray(x, dtype=np.int32)
        if row.shape != (self.n_attributes,):
            raise ValueError(f"an example must have {self.n_attributes} codes here, got an array of shape {row.shape}")
        return row

    @property
    def n_mistakes(self) -> int:
        """The paper's m_t: all mistakes, whether merged, cancelled or forgotten since."""
        return self.n_promotions + self.n_demotions

    @property
    def reach(self) -> int:
        """Sum of the absolute nets: no term's net is further from 0."""
        return self._reach

    @property
    def codes(self) -> Codes:
        """The distinct examples, one per row (a copy)."""
        return np.ascontiguousarray(self._columns[:, : len(self)].T)

    @property
    def nets(self) -> Ints:
        """Promotions less demotions of each example; never 0."""
        return self._nets[: len(self)]

    @property
    def last(self) -> Ints:
        """The number of the mistake, counted from 1, at which each example was last logged."""
        return self._last[: len(self)]

    @property
    def arrays(self) -> LogArrays:
        """The codes as kernels read them, one attribute per row, and the nets."""
        return LogArrays(self._columns, self.nets, 0)

    def __len__(self) -> int:
        return len(self._slots)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MistakeLog):
            return NotImplemented
        mine, theirs = ({key: log._nets[slot] for key, slot in log._slots.items()} for log in (self, other))
        return (
            self.n_attributes == other.n_attributes
            and (self.n_promotions, self.n_demotions) == (other.n_promotions, other.n_demotions)
            and mine == theirs
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        bound = "" if self.max_mistakes is None else f", max_mistakes={self.max_mistakes}"
        return (
            f"MistakeLog(n_attributes={self.n_attributes}{bound}, {len(self)} examples, "
            f"{self.n_promotions} promotions, {self.n_demotions} demotions)"
        )

    def _least_useful(self) -> int:
        return int(np.lexsort((self.last, np.abs(self.nets)))[0])

    def _change(self, slot: int, net: int, when: int) -> None:
        before = int(self._nets[slot]), int(self._last[slot])
        self._note(lambda: self._change(slot, *before))
        self._nets[slot], self._last[slot] = net, when
        self._reach += abs(net) - abs(before[0])

    def _store(self, row: Codes, net: int, when: int) -> None:
        slot = len(self)
        self._note(lambda: self._remove(slot))
        self._grow(slot + 1)
        self._columns[:, slot] = row
        self._nets[slot] = net
        self._last[slot] = when
        self._slots[row.tobytes()] = slot
        self._reach += abs(net)

    def _add(self, slot: int, net: int) -> None:
        """Add to the net of an example in the log."""
        after = int(self._nets[slot]) + net
        if after == 0:
            self._remove(slot)
        else:
            self._change(slot, after, self.n_mistakes)

    def _remove(self, slot: int) -> None:
        """Forget one example; the last one takes its place."""
        end = len(self) - 1
        row, net, when = self._columns[:, slot].copy(), int(self._nets[slot]), int(self._last[slot])
        self._note(lambda: self._put_back(slot, row, net, when))
        self._reach -= abs(int(self._nets[slot]))
        del self._slots[np.ascontiguousarray(self._columns[:, slot]).tobytes()]
        if slot != end:
            self._slots[np.ascontiguousarray(self._columns[:, end]).tobytes()] = slot
            self._columns[:, slot] = self._columns[:, end]
            self._nets[slot], self._last[slot] = self._nets[end], self._last[end]

    def _put_back(self, slot: int, row: Codes, net: int, when: int) -> None:
        """Undo :meth:`_remove`: the example that took the place is the last one again."""
        end = len(self)
        if slot != end:
            moved = np.ascontiguousarray(self._columns[:, slot])
            self._store(moved, int(self._nets[slot]), int(self._last[slot]))
            self._reach -= abs(int(self._nets[slot]))
            self._slots[moved.tobytes()] = end
        self._columns[:, slot], self._nets[slot], self._last[slot] = row, net, when
        self._slots[row.tobytes()] = slot
        self._reach += abs(net)

    def _grow(self, needed: int) -> None:
        capacity = self._nets.size
        if needed <= capacity:
            return
        more = max(needed, 2 * capacity) - capacity
        self._columns = np.ascontiguousarray(np.pad(self._columns, ((0, 0), (0, more))))
        self._nets, self._last = np.pad(self._nets, (0, more)), np.pad(self._last, (0, more))


def _of_length(values: npt.ArrayLike, size: int) -> Ints:
    array = np.asarray(values, dtype=np.int64)
    if array.shape != (size,):
        raise ValueError(
            f"a log must have one number for each of its {size} examples, got an array of shape {array.shape}"
        )
    return array

"""The search for a rule by definition: sets of rows instead of sums, and every condition one by one."""

AT_MOST, ABOVE, EQUAL = 0, 1, 2
CAREFUL, PATIENCE = 4.0, 2


class Beam:
    """The best conjunctions by one score, no two of which cover the same rows."""

    def __init__(self, size):
        self.size, self.members = size, []  # score, rows, term

    def offer(self, score, rows, term):
        for k, (known, same, _) in enumerate(self.members):
            if same == rows:
                if score > known:
                    self.members[k] = score, rows, term
                return
        if len(self.members) < self.size:
            self.members.append((score, rows, term))
            return
        k = min(range(self.size), key=lambda k: self.members[k][0])
        if score > self.members[k][0]:
            self.members[k] = score, rows, term


class NaiveRuleSearch:
    """Finds the conjunction that is worth most among those that a beam of some width meets."""

    def __init__(self, cells, n_ordered, n_cells, gains, allowed, *, max_literals, width, price, wrong_cost):
        self.cells, self.n_ordered, self.n_cells = cells, n_ordered, n_cells
        self.gains, self.allowed = gains, allowed
        self.max_literals, self.half = max_literals, max(1, width // 2)
        self.price, self.wrong_cost = price, wrong_cost
        ups, downs = self.sums(range(len(gains)))
        self.scale = min(1.0, (1e-9 + ups) / (1e-9 + downs))
        self.worth, self.term = 0.0, ()

    def sums(self, rows):
        """Add up the gains of some rows, and their losses."""
        gains = [self.gains[i] for i in rows]
        return sum(gain for gain in gains if gain > 0), -sum(gain for gain in gains if gain < 0)

    def covers(self, i, j, kind, code):
        cell = self.cells[i][j]
        if kind == EQUAL:
            return cell == code
        return (1 <= cell <= code) if kind == AT_MOST else (code < cell <= self.n_ordered[j])

    def rows_of(self, term):
        return frozenset(
            i for i, gain in enumerate(self.gains) if gain and all(self.covers(i, *literal) for literal in term)
        )

    def may_have(self, term, j, kind):
        others = [other for column, other, _ in term if column == j]
        return self.allowed[j] >> kind & 1 and all(EQUAL not in (kind, other) and kind != other for other in others)

    def consider(self, term, rows, literals, least):
        """Return the conjunctions with one more of these literals that could still gain more than `least`: scored."""
        for literal in literals:
            covered = frozenset(i for i in rows if self.covers(i, *literal))
            up, down = self.sums(covered)
            cost = self.price * (len(term) + 2)
            if covered != rows and up - cost > (self.worth if least is None else least):
                scores = up - self.scale * down, up - CAREFUL * self.scale * down
                yield up - self.wrong_cost * down - cost, scores, covered, (*term, literal)

    def extend(self, term, rows, beams):
        for j in range(len(self.n_ordered)):
            ordered, cells = self.n_ordered[j], self.n_cells[j]
            if self.may_have(term, j, EQUAL):
                values = [(j, EQUAL, code) for code in range(ordered + 1, cells + 1)]
                for worth, scores, covered, longer in self.consider(term, rows, values, None):
                    if worth > self.worth:
                        self.worth, self.term = worth, longer
                    if len(longer) < self.max_literals:
                        for beam, score in zip(beams, scores, strict=True):
                            beam.offer(score, covered, longer)
            for kind, codes in ((AT_MOST, range(1, ordered)), (ABOVE, range(ordered - 1, 0, -1))):
                if self.may_have(term, j, kind):
                    bounds = [(j, kind, code) for code in codes]
                    found = list(self.consider(term, rows, bounds, self.worth))
                    for worth, _, _, longer in found:
                        if worth > self.worth:
                            self.worth, self.term = worth, longer
                    if found and len(term) + 1 < self.max_literals:
                        for b, beam in enumerate(beams):
                            _, scores, covered, longer = max(found, key=lambda each: each[1][b])
                            beam.offer(scores[b], covered, longer)

    def best(self, starts=()):
        members = [((), self.rows_of(())), *((start, self.rows_of(start)) for start in starts)]
        before, in_vain = 0.0, 0
        for _ in range(self.max_literals):
            broad, careful = Beam(self.half), Beam(self.half)
            for term, rows in members:
                if rows and len(term) < self.max_literals:
                    self.extend(term, rows, (broad, careful))
            in_vain = 0 if self.worth > before else in_vain + 1
            before = self.worth
            members = [(term, rows) for _, rows, term in broad.members]
            of_broad = [rows for _, rows in members]
            members += [(term, rows) for _, rows, term in careful.members if rows not in of_broad]
            if not members or (before > 0 and in_vain == PATIENCE):
                break
        return tuple(sorted(self.term)) or None

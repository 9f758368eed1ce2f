"""Chains, ladders and populations with the kernels' random numbers, but plain sets and nets by definition."""

import math


class Stream:
    """The generator xoshiro256++ in plain integers."""

    def __init__(self, words):
        self.words = [int(word) for word in words]

    def bits(self):
        a, b, c, d = self.words
        result = (turned((a + d) % 2**64, 23) + a) % 2**64
        c ^= a
        d ^= b
        self.words = [a ^ d, b ^ c, c ^ (b << 17) % 2**64, turned(d, 45)]
        return result

    def uniform(self):
        return (self.bits() >> 11) / 2**53

    def below(self, n):
        return (self.bits() >> 32) * n >> 32


def turned(word, by):
    return (word << by | word >> 64 - by) % 2**64


class Terms:
    """The terms of an example: the sets of attributes of its agreement, in the kernels' order."""

    def __init__(self, agreement):
        live, dead, free = agreement.n_live, agreement.n_dead, agreement.n_free
        self.n = live + dead + free
        always = set(range(live + dead, self.n))
        has = agreement.members().tolist()
        self.mistakes = [
            ({i for i in range(live) if row[i]} | always, net)
            for row, net in zip(has, agreement.nets.tolist(), strict=True)
        ]

    def net(self, state):
        return sum(net for members, net in self.mistakes if state <= members)


class Chain:
    """One chain: a state that moves by flipping attributes."""

    def __init__(self, terms, stream):
        self.terms, self.stream, self.state = terms, stream, frozenset()

    def start(self):
        chosen = []
        for i in range(self.terms.n):
            if i % 64 == 0:
                word = self.stream.bits()
            if word >> i % 64 & 1:
                chosen.append(i)
        self.state = frozenset(chosen)

    @property
    def net(self):
        return self.terms.net(self.state)

    def update(self, i, rate, sampler):
        """Flip an attribute as the samplers of Tables II and III and of section 4.3 do, held back to 1 - 1/n."""
        flipped = self.state ^ {i}
        ratio = math.exp(rate * (self.terms.net(flipped) - self.net))
        held_back = min(1.0, ratio) * (1 - 1 / max(self.terms.n, 2))
        if self.stream.uniform() < (ratio / (1 + ratio) if sampler == "gibbs" else held_back):
            self.state = flipped
            return 1
        return 0

    def advance(self, rate, sampler):
        if sampler == "metropolis":
            return self.update(self.stream.below(self.terms.n), rate, sampler)
        return sum(self.update(i, rate, sampler) for i in range(self.terms.n))


class Group:
    """Neighbouring rungs, run in lock-step; with one rung, a chain alone."""

    def __init__(self, terms, sampler, plan, low, streams):
        self.sampler, self.plan = sampler, plan
        self.rates = [plan.step * (low + g + 1) for g in range(len(streams))]
        self.chains = [Chain(terms, stream) for stream in streams]
        self.own = list(self.chains)  # chain g keeps its stream wherever its state goes
        self.flips, self.swaps, self.tried = ([0] * len(streams) for _ in range(3))

    def begin(self):
        self.chains = list(self.own)
        for chain in self.chains:
            chain.start()
        for _ in range(self.plan.burn_in):
            self.tick()

    def tick(self):
        first = self.own[0].stream
        if len(self.chains) > 1 and first.uniform() < self.plan.tempering:
            g = first.below(len(self.chains) - 1)
            self.tried[g] += 1
            if first.uniform() < math.exp(self.plan.step * (self.chains[g].net - self.chains[g + 1].net)):
                self.chains[g : g + 2] = self.chains[g + 1], self.chains[g]
                self.swaps[g] += 1
        for g, chain in enumerate(self.chains):
            self.flips[g] += chain.advance(self.rates[g], self.sampler)

    def samples(self):
        """Return a list of samples of e^(-step net) for each rung."""
        found = [[] for _ in self.chains]
        if not self.plan.restart:
            self.begin()
        for _ in range(self.plan.samples):
            if self.plan.restart:
                self.begin()
            else:
                self.tick()
            for values, chain in zip(found, self.chains, strict=True):
                values.append(math.exp(-self.plan.step * chain.net))
        return found


def grown(terms, size, rates, stream):
    """Estimate the sum by one population, as a logarithm: every child of every member is counted by definition.

    The children of all members are drawn from by systematic resampling, each member in proportion to what its children
    appeal, and then one of its children in proportion to its own appeal.
    """
    members, appeal = [frozenset()] * size, {terms.net(frozenset()): 1.0}
    sums, scale = [math.exp(rates[-1] * terms.net(frozenset()))], 1.0
    for k in range(terms.n):
        children = [[(j, terms.net(member | {j})) for j in range(terms.n) if j not in member] for member in members]
        shares = [1 / appeal[terms.net(member)] for member in members]
        counts = {}
        for share, some in zip(shares, children, strict=True):
            for _, net in some:
                counts[net] = counts.get(net, 0.0) + share * scale / (size * (k + 1))
        of_rates = [sum(count * math.exp(rate * net) for net, count in counts.items()) for rate in rates]
        sums.append(of_rates[-1])
        levels = range(min(counts), max(counts) + 1)
        appeal = {
            net: sum(math.exp(rate * net) / total for rate, total in zip(rates, of_rates, strict=True))
            for net in levels
        }
        middle = math.sqrt(min(appeal.values()) * max(appeal.values()))
        appeal = {net: value / middle for net, value in appeal.items()}
        scale = sum(count * appeal[net] for net, count in counts.items())
        appeals = [sum(appeal[net] for _, net in some) for some in children]
        wanted = [share * of_children for share, of_children in zip(shares, appeals, strict=True)]
        step = sum(wanted) / size
        at, running, following = step * stream.uniform(), 0.0, []
        for i, share in enumerate(wanted):
            running += share
            while len(following) < size and (at < running or i == size - 1):
                left = appeals[i] * stream.uniform()
                for j, net in children[i]:  # noqa: B007 - the last one, if rounding leaves something
                    left -= appeal[net]
                    if left < 0:
                        break
                following.append(members[i] | {j})
                at += step
        members = following
    return math.log(sum(sums))

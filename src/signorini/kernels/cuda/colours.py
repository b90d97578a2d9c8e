"""Colours of contacts: no two contacts of one colour move the same body, so that all of them may be swept at once.

In each round every contact without a colour picks one of those that are free at both of its bodies, as good as at
random, and claims it there; the claim with the largest number wins. Picks and numbers come from identities, and maxima
do not depend on order: the colours are the same on every run. A handful of rounds is enough.
"""

from __future__ import annotations

from signorini.kernels.cuda.door import cuda

MOST = 32
"""Colours; contacts that find none (of a body that many others touch) are swept one after the other."""
LOWEST = 4
"""A contact picks among that many free colours: fewer make fewer colours, more make fewer rounds."""
ROUNDS = 8000
"""More than enough: every round at least the largest number wins."""


@cuda.jit(device=True)
def scrambled(identity, attempt):
    """31 bits that look random."""
    x = (identity ^ (identity >> 29)) + attempt * 0x1E3779B97F4A7C15
    x = ((x ^ (x >> 30)) * 0x3F58476D1CE4E5B9) & 0x7FFFFFFFFFFFFFFF
    x = ((x ^ (x >> 27)) * 0x14D049BB133111EB) & 0x7FFFFFFFFFFFFFFF
    return (x >> 31) & 0x7FFFFFFF


@cuda.jit(device=True)
def picked(free, chance):
    """One of the lowest colours whose bits are set, -1 without any."""
    count, left = 0, free
    while left:
        left &= left - 1
        count += 1
    if count == 0:
        return -1
    for _ in range(chance % min(count, LOWEST)):
        free &= free - 1
    c = 0
    while not (free >> c) & 1:
        c += 1
    return c


@cuda.jit(device=True)
def choice(ranks, i, mask, chance):
    """The colour that contact i claims, -1 where none is free."""
    taken = mask[ranks[0, i]]
    if ranks[1, i] >= 0:
        taken |= mask[ranks[1, i]]
    return picked(~taken & ((1 << MOST) - 1), chance)


@cuda.jit
def colour(ranks, identity, claims, mask, left, out):
    """out[i] in 0..MOST, -1 at first; ranks are those of its bodies, -1 for a second one that does not move.

    claims (bodies, MOST) and mask (bodies,) are 0 at first, and so are the two entries of left: the contacts without
    colour after odd and after even rounds.
    """
    grid = cuda.cg.this_grid()
    begin, stride = cuda.grid(1), cuda.gridsize(1)
    for attempt in range(1, ROUNDS):
        for i in range(begin, len(identity), stride):
            if out[i] < 0:
                chance = scrambled(identity[i], attempt)
                c = choice(ranks, i, mask, chance)
                if c < 0:
                    out[i] = MOST
                else:
                    claim = (attempt << 50) | ((chance >> 9) << 28) | i
                    cuda.atomic.max(claims, (ranks[0, i], c), claim)
                    if ranks[1, i] >= 0:
                        cuda.atomic.max(claims, (ranks[1, i], c), claim)
        grid.sync()
        for i in range(begin, len(identity), stride):
            if out[i] < 0:
                a, b = ranks[0, i], ranks[1, i]
                chance = scrambled(identity[i], attempt)
                c = choice(ranks, i, mask, chance)
                claim = (attempt << 50) | ((chance >> 9) << 28) | i
                if claims[a, c] == claim and (b < 0 or claims[b, c] == claim):
                    out[i] = c
                else:
                    cuda.atomic.add(left, attempt % 2, 1)
        grid.sync()
        # Masks change only now: all contacts of the round saw the same ones.
        for i in range(begin, len(identity), stride):
            c = out[i]
            if 0 <= c < MOST:
                if not (mask[ranks[0, i]] >> c) & 1:
                    cuda.atomic.or_(mask, ranks[0, i], 1 << c)
                if ranks[1, i] >= 0 and not (mask[ranks[1, i]] >> c) & 1:
                    cuda.atomic.or_(mask, ranks[1, i], 1 << c)
        rest = left[attempt % 2]
        if begin == 0:
            left[(attempt + 1) % 2] = 0
        grid.sync()
        if rest == 0:
            break

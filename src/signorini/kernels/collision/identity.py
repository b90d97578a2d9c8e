"""The identity of a contact: one number for the same pair of features in successive steps.

It holds two parts (shapes, or points, faces and edges of skins) and, below them, a feature of the pair, so that sorted
identities are sorted by first part, second part and feature.
"""

from __future__ import annotations

from signorini.kernels.compile import inlined

PART_BITS = 21
"""Of each of the two parts."""
FEATURE_BITS = 21
MOST_PARTS = 1 << PART_BITS
"""Parts are numbered below this."""
PART_MASK = MOST_PARTS - 1
FEATURE_MASK = (1 << FEATURE_BITS) - 1
SWEPT = 1 << (FEATURE_BITS - 1)
"""Mark in the identity of contacts that turning bodies meet along their way (see `stepping.swept_contacts`)."""


@inlined
def pair_key(first, second):
    """The identity of a pair of parts without its feature."""
    return (first << PART_BITS) | second


@inlined
def identity_of(first, second, feature):
    """The identity of a feature of a pair of parts; of features that are too large the lower bits count."""
    return (pair_key(first, second) << FEATURE_BITS) | (feature & FEATURE_MASK)


@inlined
def pair_of(identity):
    """The pair key of an identity."""
    return identity >> FEATURE_BITS


@inlined
def first_part(identity):
    """The first part of an identity."""
    return pair_of(identity) >> PART_BITS


@inlined
def second_part(identity):
    """The second part of an identity."""
    return pair_of(identity) & PART_MASK

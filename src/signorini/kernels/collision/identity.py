"""The identity of a contact: one number for the same pair of features in successive steps.

It holds two parts (shapes, or points, faces and edges of skins) and, below them, a feature of the pair, so that sorted
identities are sorted by first part, second part and feature. Of its 63 bits each part takes as many as the number of
parts of the model asks for, at least `PART_BITS`, and the feature the rest: 21 bits of each up to 2,097,152 parts, so
that identities of such models never change; 24, 24 and 15 bits for 16 million. The uppermost bit of the feature is a
mark; two boxes have features of 15 bits, so that some of theirs are the same in models of more than 8 million parts.
"""

from __future__ import annotations

from signorini.kernels.compile import inlined

BITS = 63
"""Of an identity, which is not negative."""
PART_BITS = 21
"""Of each of the two parts, at least."""
FEATURE_BITS = BITS - 2 * PART_BITS
"""Of the feature, at most."""
MOST_PARTS = 1 << PART_BITS
"""Parts of a model whose identities have `PART_BITS`; of one with flexible bodies, at most."""
MOST_PART_BITS = 26
"""Eleven bits are left for the feature and its mark."""
SWEPT = 1 << (FEATURE_BITS - 1)
"""`swept_mark` of models of up to `MOST_PARTS`."""


def part_bits(parts: int) -> int:
    """Bits that identities of a model have for each of its parts."""
    return max(PART_BITS, (parts - 1).bit_length())


@inlined
def feature_bits(bits):
    """Bits that are left for a feature, beside parts of so many."""
    return BITS - 2 * bits


@inlined
def swept_mark(bits):
    """Mark in the identity of contacts that turning bodies meet along their way (see `stepping.swept_contacts`)."""
    return 1 << (feature_bits(bits) - 1)


@inlined
def pair_key(first, second, bits):
    """The identity of a pair of parts without its feature."""
    return (first << bits) | second


@inlined
def identity_of(first, second, feature, bits):
    """The identity of a feature of a pair of parts; of features that are too large the lower bits count."""
    return (pair_key(first, second, bits) << feature_bits(bits)) | (feature & (swept_mark(bits) - 1))


@inlined
def pair_of(identity, bits):
    """The pair key of an identity."""
    return identity >> feature_bits(bits)


@inlined
def first_part(identity, bits):
    """The first part of an identity."""
    return pair_of(identity, bits) >> bits


@inlined
def second_part(identity, bits):
    """The second part of an identity."""
    return pair_of(identity, bits) & ((1 << bits) - 1)

"""Contacts with their identities, which rise, chosen from and merged with others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.step.record import HEAD, put
from signorini.kernels.step.tables import Contacts


class Listed(NamedTuple):
    """Contacts in the order of their identities."""

    contacts: Contacts
    identity: np.ndarray


@kernel
def given_contacts(numbers, integers):
    """Contacts and identities from arrays, in the order of `record`."""
    c, f, i = len(integers) // 3, numbers, integers
    contacts = Contacts(
        i[c : 2 * c], i[2 * c :], f[: 3 * c].reshape(c, 3), f[3 * c : 6 * c].reshape(c, 3),
        f[6 * c : 9 * c].reshape(c, 3), f[9 * c : 10 * c], f[10 * c :],
    )  # fmt: skip
    return contacts, i[:c]


@kernel
def as_given(listed):
    """The arrays that `given_contacts` reads."""
    c, n = listed.contacts, len(listed.identity)
    numbers, integers, at = np.empty(11 * n), np.empty(3 * n, np.int64), 0
    for vectors in (c.point_a, c.point_b, c.normal):
        at = put(numbers, at, vectors.reshape(-1))
    put(numbers, put(numbers, at, c.gap), c.friction)
    put(integers, put(integers, put(integers, 0, listed.identity), c.body_a), c.body_b)
    return numbers, integers


@kernel
def contacts_of_record(numbers, integers, at, count):
    """The contacts of a record, whose points begin at a place."""
    contacts, identity = given_contacts(numbers[at : at + 11 * count], integers[HEAD : HEAD + 3 * count])
    return Listed(contacts, identity)


@kernel
def room_for_contacts(count):
    """So many contacts, to be filled in."""
    contacts = Contacts(
        np.empty(count, np.int64), np.empty(count, np.int64), np.empty((count, 3)), np.empty((count, 3)),
        np.empty((count, 3)), np.empty(count), np.empty(count),
    )  # fmt: skip
    return Listed(contacts, np.empty(count, np.int64))


@kernel
def put_contact(source, k, out, at):
    """Copy contact k to a place of others."""
    one, two = source.contacts, out.contacts
    two.body_a[at], two.body_b[at] = one.body_a[k], one.body_b[k]
    for j in range(3):
        two.point_a[at, j], two.point_b[at, j] = one.point_a[k, j], one.point_b[k, j]
        two.normal[at, j] = one.normal[k, j]
    two.gap[at], two.friction[at], out.identity[at] = one.gap[k], one.friction[k], source.identity[k]


@kernel
def chosen(listed, marks):
    """Those that are marked."""
    count = 0
    for mark in marks:
        count += mark
    out, at = room_for_contacts(count), 0
    for k in range(len(marks)):
        if marks[k]:
            put_contact(listed, k, out, at)
            at += 1
    return out


@kernel
def merged(one, two):
    """Both, in the order of their identities; of equal ones the first come first."""
    n, m = len(one.identity), len(two.identity)
    out, i, j = room_for_contacts(n + m), 0, 0
    for at in range(n + m):
        if j == m or (i < n and one.identity[i] <= two.identity[j]):
            put_contact(one, i, out, at)
            i += 1
        else:
            put_contact(two, j, out, at)
            j += 1
    return out

"""A loop cut into parts that the threads of a team take.

The numbers of a team lie in one array: the job (its number and how many parts it has, in one word), the address of the
function and of its arguments, how many parts are done, and for each thread how many parts of its share are taken, with
the number of the job. A part is taken by swapping that word for its successor, of one's own share first, then of those
of others. So every part is done once, late threads find nothing to take, and no one waits for a sleeping thread. The
thread that owns a job waits until all parts are done, so that addresses stay valid while any part is running.
"""

from __future__ import annotations

import numba
import numpy as np

from signorini.kernels.compile import Kernel, kernel, part_of_callers
from signorini.kernels.threads.atomics import (
    add,
    address_of,
    call_job,
    job_of,
    load,
    nap,
    pause,
    store,
    swap,
)

JOB, FUNCTION, ARGUMENTS, DONE, BUSY, THREADS, STOP, WAITS, TAKEN = 0, 8, 9, 16, 24, 32, 40, 41, 48
"""Places in the array of a team, by cache lines of eight numbers; `TAKEN` is that of the first thread."""
LINE = 8
PART_BITS = 20
MASK = (1 << PART_BITS) - 1
MOST_PARTS = 1 << (PART_BITS - 1)
SPINS, NAPS = 2000, 200
"""How often a thread polls for work: spinning (some 100 us), then with sleeps in between (20 ms)."""
LONG_SPINS = 10_000
"""How often the owner of a job polls for its end before it sleeps in between (some 500 us)."""
CHECKED = bool(getattr(numba.config, "BOUNDSCHECK", None))
"""Whether indices are checked: errors in a part do not reach the caller, so the caller then does all parts itself."""


@kernel
def take_part(team, owner, number, size):
    """The next part of a share of `size` parts, -1 if none of this job is left."""
    while True:
        word = load(team, TAKEN + LINE * owner)
        taken = word & MASK if word >> PART_BITS == number else 0
        if word >> PART_BITS > number or taken >= size:
            return -1
        if swap(team, TAKEN + LINE * owner, word, (number << PART_BITS) | (taken + 1)):
            return taken


@kernel
def take_parts(team, rank, job):
    """Do parts of a job until none is left: those of one's own share first, which are the same in every job."""
    parts, number, threads, done = job & MASK, job >> PART_BITS, team[THREADS], 0
    for k in range(threads):
        owner = rank + k if rank + k < threads else rank + k - threads
        first, last = owner * parts // threads, (owner + 1) * parts // threads
        part = take_part(team, owner, number, last - first)
        while part >= 0:
            call_job(team[FUNCTION], team[ARGUMENTS], first + part)
            done += 1
            part = take_part(team, owner, number, last - first)
    if done > 0:
        add(team, DONE, done)


@kernel
def serve(team, rank):
    """Take parts of the jobs of a team until there are none for a while; returns whether the team has ended."""
    job, idle = 0, 0
    while idle < SPINS + NAPS:
        now = load(team, JOB)
        if now != job:
            job, idle = now, 0
            take_parts(team, rank, job)
            continue
        idle += 1
        if idle < SPINS:
            pause()
        else:
            if load(team, STOP) != 0:
                return True
            nap()
    return load(team, STOP) != 0


@kernel
def wait_for(team, parts):
    """Wait until all parts are done; counts naps."""
    looks = 0
    while load(team, DONE) < parts:
        looks += 1
        if looks < LONG_SPINS:
            pause()
        else:
            nap()
            team[WAITS] += 1


def shared(function: Kernel) -> Kernel:
    """`run(team, parts, arguments)` of a kernel: `function(part, *arguments)` for all parts, by the threads of a team.

    Parts must not depend on one another. An empty team is the caller alone; so is a team that is busy with a job of
    another Python thread.
    """
    job_address = job_of(function)

    @part_of_callers
    def run(team, parts, arguments):
        if CHECKED or len(team) == 0 or parts < 2 or parts > MOST_PARTS or not swap(team, BUSY, 0, 1):
            for part in range(parts):
                function(part, *arguments)
            return
        job = (((load(team, JOB) >> PART_BITS) + 1) << PART_BITS) | parts
        team[FUNCTION], team[ARGUMENTS] = job_address(arguments), address_of(arguments)
        store(team, DONE, 0)
        store(team, JOB, job)
        take_parts(team, 0, job)
        wait_for(team, parts)
        store(team, BUSY, 0)

    return run


@kernel
def parts_of(items, least):
    """Number of parts of a loop over so many items, each of `least` items or more; depends on the items only."""
    return max(1, min(items // least, LARGEST_CUT))


LARGEST_CUT = 128


@kernel
def first_of(part, parts, items):
    """The first item of a part, and of the one after the last part the number of items."""
    return part * items // parts


SOLO = np.zeros(0, dtype=np.int64)
"""The team of one."""

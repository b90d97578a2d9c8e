"""The numbers that steer Newton's method on the exact law, shared by its compiled and its general loop.

They were chosen while looking at the FCLIB collection and at steps captured from piles of 280 and 1190 balls (settling
and at rest). Figures measured on those problems are therefore not independent of them.
"""

from __future__ import annotations

FAMILIAR, FAMILIAR_DENSE = 0.01, 0.1
"""Semismooth steps are tried from a guess with an error below this, in the compiled loop below the second,"""
FINISH_BELOW, FINISH_AGAIN = 1e-4, 0.01
"""and from the interior path below the first; after a failed try the error must shrink by the second."""
GAIN = 0.3
"""A semismooth step is kept when it shrinks the error at least by this factor."""
FRACTION = 0.99
"""Share of the way to the boundary of the cones."""
CORRECTORS, CORRECTORS_DENSE = 1, 2
"""Most centrality correctors per step, one solve each; in the compiled loop as many as the second."""
SHARES = (1.0, 0.95, 0.9, 0.8, 0.65, 0.5, 0.25, 0.0)
"""Compiled loop: shares of the de Saxce term's derivative that are counted, one after another while steps are short."""
RECENTRE = 0.1
"""Compiled loop: least centring while less than all of it is counted."""
SHORT, LONG = 0.3, 0.7
"""Steps shorter than the first count less of the term's derivative, steps longer than the second more."""
FARTHEST, DISCOUNTS, RECOVERY = 0.5, 3, 0.5
"""General loop: it is not counted at contacts whose direction reaches this share of the farthest one, so many times in
one step at most, and comes back by the third in a long step."""
LEAST_TARGET, BARRIER_SHARE = 0.03, 1e-3
"""General loop: the barrier aims at no less than this share of itself, nor of the square of the natural-map error."""
REFINEMENTS = 3
"""Most refinements of a linear solve against the exact system."""
ACCURATE = 1e-3
"""Residuals of the linear system below this share of the right-hand side need no refinement."""
ENTER, CLOSE = 0.5, 0.05
"""From a guess with an error below the second, the path begins as far from the boundary of the cones as the first share
of its error,"""
GUESS_SWEEPS, ENTER_SWEPT = 100, 30.0
"""after so many sweeps from it, where they are cheap, as far as the second,"""
ENTER_DENSE = 0.1
"""in the compiled loop of small problems as far as this,"""
COLD = 0.3
"""from no impulses at all as far as this,"""
LIFT = 3.0
"""and where that led nowhere, as far as this from the best point."""
MOST_RESTARTS = 3
PATH_PATIENCE, SWEEP_PATIENCE = 15, 16
"""Factorisations in which the least error must be halved: of the interior path, of proximal steps with sweeps,"""
FOLD_PATIENCE, FOLD_PATIENCE_LARGE = (120, 120), (20, 50)
"""and of continuation past folds, above and below the error from which it tries semismooth steps; the second where a
factorisation takes long."""
SMOOTH_BELOW, SMOOTH_SWEEPS = 30.0, 30
"""From iterates with an error below this multiple of the tolerance so many sweeps are tried, where they are cheap;"""
NEARLY, MORE_SWEEPS, MOST_MORE, LEAST_GAIN = 10.0, 50, 10, 0.85
"""where they come below the first multiple, batches of the second number go on from there, so many at most, while each
shrinks the error by the last."""
EXTRA_STEPS, EXTRA_GAIN = 12, 0.1
"""Most factorisations to improve on an answer that is good enough; after a guess, as in a run, only while each shrinks
the error by the second."""
FOLD_ENTER = (1.0, 30.0)
"""Continuation past folds begins as far inside the cones as these multiples of the guess's error, in turn,"""
FOLD_FINISH, FOLD_FINISH_AGAIN = 1e-3, 0.3
"""and tries semismooth steps below the first error, then each time it has shrunk by the second."""
FALL, RISE = 0.95, 3.0
"""Largest share by which the barrier falls in one of its steps, and by which it rises past a fold."""
MOVE_SHARE, CENTRE_SHARE = 0.9, 0.9
"""Shares of the way to the boundary of the cones: of the whole step, and of its part across the curve."""
SHRINK, LEAST_MOVE = 0.8, 1e-6
"""Steps are shortened by the first until they stay inside, down to the second."""
FIRST_SWEEPS, SWEEPS = 80, 80
"""Sweeps before the first proximal step and after each."""
PROXIMAL, PROXIMAL_LEAST = 1e-3, 1e-5
"""Weight of a proximal step, in units where the diagonal of N is 1: the first, which is the largest, and the least."""
CONTRACTS = 0.7
"""It is halved after a round that shrinks the error by this factor, and doubled after one that does not shrink it."""
TOO_FAR = 4.0
"""A round that multiplies the error by this is undone; sweeps alone take its place."""
STANDSTILL = 0.9, 1.02
"""So it is where the error stays between these: impulses then drift along a direction that hardly changes the slips."""

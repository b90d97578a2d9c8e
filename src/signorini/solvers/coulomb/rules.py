"""The numbers that steer Newton's method on the exact law, shared by its compiled and its general loop.

They were chosen while looking at the FCLIB collection and at steps captured from piles of 280 and 1190 balls (settling
and at rest). Figures measured on those problems are therefore not independent of them.
"""

from __future__ import annotations

FAMILIAR = 0.1
"""Semismooth steps are tried from a guess with an error below this,"""
FINISH_BELOW, FINISH_AGAIN = 1e-4, 0.01
"""and from the interior path below the first; after a failed try the error must shrink by the second."""
GAIN = 0.3
"""A semismooth step is kept when it shrinks the error at least by this factor."""
FRACTION = 0.99
"""Share of the way to the boundary of the cones."""
CORRECTORS = 2
"""Most centrality correctors per step, one solve each."""
SHARES = (1.0, 0.95, 0.9, 0.8, 0.65, 0.5, 0.25, 0.0)
"""Shares of the de Saxce term's derivative that are counted, one after another while steps are short."""
RECENTRE = 0.1
"""Least centring while less than all of it is counted."""
SHORT, LONG = 0.3, 0.7
"""Steps shorter than the first go down the list of shares, steps longer than the second up again."""
REFINEMENTS = 3
"""Most refinements of a linear solve against the exact system."""
ACCURATE = 1e-3
"""Residuals of the linear system below this share of the right-hand side need no refinement."""
ENTER, CLOSE = 1.0, 0.05
"""From a guess with an error below the second, the path begins as far from the boundary of the cones as the first share
of its error,"""
ENTER_DENSE = 0.1
"""in the compiled loop of small problems as far as this,"""
COLD = 0.3
"""from no impulses at all as far as this,"""
LIFT = 3.0
"""and where that led nowhere, as far as this from the best point."""
MOST_RESTARTS = 3
PATH_PATIENCE, FOLD_PATIENCE, SWEEP_PATIENCE = 6, 120, 25
"""Factorisations in which the least error must be halved: of the interior path, of continuation past folds, of proximal
steps with sweeps between."""
EXTRA_STEPS = 6
"""Most factorisations to improve on an answer that is good enough."""
FOLD_ENTER = 30.0
"""Continuation past folds begins as far from the boundary as this multiple of the guess's error,"""
FOLD_FINISH, FOLD_FINISH_AGAIN = 1e-3, 0.3
"""and tries semismooth steps below the first error, then each time it has shrunk by the second."""
FALL, RISE = 0.95, 3.0
"""Largest share by which the barrier falls in one of its steps, and by which it rises past a fold."""
MOVE_SHARE, CENTRE_SHARE = 0.9, 0.9
"""Shares of the way to the boundary of the cones: of the whole step, and of its part across the curve."""
SHRINK, LEAST_MOVE = 0.8, 1e-6
"""Steps are shortened by the first until they stay inside, down to the second."""
FIRST_SWEEPS, SWEEPS = 1000, 300
"""Gauss-Seidel sweeps before the first proximal step and after each."""
PROXIMAL, PROXIMAL_LEAST = 1e-3, 1e-5
"""Weight of a proximal step, in units where the diagonal of N is 1: the first, which is the largest, and the least."""
CONTRACTS = 0.7
"""It is halved after a round that shrinks the error by this factor, and doubled after one that does not shrink it."""
TOO_FAR = 4.0
"""A round that multiplies the error by this is undone; sweeps alone take its place."""

"""Parameters of the interior points; kernels get those they need as arguments."""

from __future__ import annotations

from signorini.kernels.interior.starts import WarmRules

ENOUGH = 0.985
"""Steps longer than this need no centrality corrector."""
LONGER = 0.3
"""A centrality corrector aims at a step longer by this."""
PAYS = 0.1
"""It is kept when it gains this share of what it aimed at."""
CENTRAL_LOW, CENTRAL_HIGH = 0.1, 10.0
"""Complementarity products are central between these multiples of their target."""
LEAST_CENTRING = 1e-3
"""The target is at least this share of the barrier."""
SHORT = 0.3
"""Steps shorter than this while the impulses grow mean that the start was too small."""
GROWTH = 1.5
"""Impulses that grow by this in one step."""
MOST_LIFTS = 8
"""How often the start may be corrected."""
STUCK = 1e-10
"""Steps shorter than this make no progress."""
FINISH_GAIN = 0.3
"""A semismooth Newton step is kept when it shrinks the error at least by this factor."""
FINISH_AGAIN = 0.3
"""After a failed one the error must shrink by this factor before the next try."""
SMALLEST_SCALE = 1e-3
"""The start keeps at least this distance from the boundary (the largest slip without impulses is 1)."""
ACCURATE = 1e-13
"""Residuals of the linear system below this need no refinement."""
NEWTON_SHARE = 1e-4
"""Nor those below this share of the present error: the next iteration corrects what remains."""
WARM_SHARE = 0.5
"""Distance of a warm start from the boundary, as a share of its natural-map error."""
WARM_LEAST = 1e-6
"""Least distance of a warm start from the boundary, as a share of the largest impulse and slip."""
FAR = 0.5
"""Above this natural-map error, as a share of impulses and slips, an old solution is not used."""
RAY = 1e7
"""Impulses beyond this (the largest slip without impulses is 1) are tested for being a proof of infeasibility."""
LARGE_STEP = 1.0
"""So are steps of the impulses beyond this."""
RAY_ACCURACY = 1e-7
"""They are one when only velocities larger than the inverse of this could meet the constraints,"""
RAY_ROUND_OFF = 1e-15
"""or when the Delassus matrix cannot tell them from impulses that move nothing."""
RAY_WORK = 1e-5
"""Infeasibility below this share of the largest slip cannot be told from round-off."""
WORTH_WHILE = 0.5
"""Refinement goes on while it shrinks the residual at least by this factor."""
ROUND_OFF = 1e-12
"""Stationarity below this share of its terms is round-off."""
SETTLED, NEARLY_FULL = 0.75, 0.95
"""After a predictor and a step this long, the active set of contacts has settled."""
SLOW = 0.15
"""Full steps that leave more than this share of the error indicate degenerate contacts, with neither slip nor
impulse."""
FINISH_EARLY = 3e-2
"""Error from which semismooth Newton steps are tried on such problems, if they have no friction: contacts on the edge
between stick and slip settle later."""
SETTLE_BELOW, UNDECIDED = 1e-4, 300.0
"""Below this error of such problems, contacts whose impulse and slip are within this factor of each other count as
open in the first of these steps."""
NOT_FAR, DETOUR = 300.0, 2
"""A semismooth step that raises the error may multiply it by this at most, for this many steps."""
NEAR_ANSWER = 1e-4
"""From guesses below this error, semismooth Newton steps are tried first."""

WARM_RULES = WarmRules(SMALLEST_SCALE, FAR, WARM_SHARE, WARM_LEAST)

"""Points that stand for a flat round face of radius r pressed against something flat.

They lie on three circles about the centre, those of the rim first. Under an even pressure each carries its share; with
these, the mean distance from the centre is 2/3 r and the mean square 1/2 r^2, as those of a disc: the torque that
resists spinning is 2/3 mu N r, sliding is resisted by mu N, and where the face slides and spins, the power of friction
is that of a disc within 1 %. The rim bears the load before the face tips.
"""

from __future__ import annotations

import numpy as np

AROUND = 8
"""Points on the rim."""
CIRCLES = ((8, 1.0, 0.0, 13.0 / 63.0), (8, 0.7, 0.5, 5.0 / 9.0), (4, 0.3, 0.5, 5.0 / 21.0))
"""Points, radius relative to the rim's, first point relative to their distance, and share of each circle."""
COUNTS = [count for count, _, _, _ in CIRCLES]
ANGLE = np.concatenate([2.0 * np.pi * (np.arange(count) + first) / count for count, _, first, _ in CIRCLES])
"""[rad]."""
PLACE = np.repeat([[radius] for _, radius, _, _ in CIRCLES], COUNTS, axis=0) * np.stack(
    (np.cos(ANGLE), np.sin(ANGLE)), axis=1
)
"""Of each point, relative to the radius of the rim, shape (points, 2)."""
SHARE = np.repeat([share / count for count, _, _, share in CIRCLES], COUNTS)
"""Of an even pressure that each point carries, shape (points,)."""
RIM_SHARE = float(SHARE[0])
"""Of a point of the rim."""
LEANING = 1e-6
"""Tilt from which on the lowest point of the rim has a whole share [rad]. Below, its share goes to 0 with the tilt: it
moves along the rim as a face at rest tilts by round-off, and would otherwise rock it for ever."""
CROSSING_SHARE = 2e-3
"""Share of points where another face ends below a round one: they carry load before the face tips."""

"""Cohesion: a closed contact resists a tension of up to F_c.

The law is `lambda_n + h F_c >= 0` in the place of `lambda_n >= 0`, and friction is bounded by `mu (lambda_n + h F_c)`:
the cone is moved by `s = h F_c` along the normal. With `lambda = lambda' - s n` the problem has its old cones, and

    c' = c + D_n' s,        b' = b + E s.

A bond that yields stretches at the tension F_c, by `cohesion_range` at most, then breaks (`plasticity`).
"""

from __future__ import annotations

import numpy as np

from signorini.assembly.laws.contact_snapshot import ContactSnapshot
from signorini.math.sparse import Array


def pulls(snapshot: ContactSnapshot) -> Array:
    """s of each contact [N s], shape (contacts,)."""
    return np.where(snapshot.bonded, snapshot.h * snapshot.laws.cohesion, 0.0)

"""Where the first-order step takes the elastic forces of a flexible body.

Velocities of that step stand between positions, `q1 = q0 + h v1`, and its rule
`M (v1 - v0) = h F(q0 + h (new v1 - old v0))` is

- `new = 1, old = 0`: implicit Euler. Vibrations that the step does not resolve die out within a few steps.
- `new = old = 1/4`: `F` at `(q1 + 2 q0 + q_before) / 4`, the average-acceleration rule of Newmark in two-step form.
  Keeps the energy of a linear body at any step.
- `new = old = 0`: central differences. Keeps energy for h up to 2 over the highest frequency; a wave in a row of equal
  linear elements that runs through one element per step keeps its shape exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from signorini.model.component import ElasticWeights

ElasticStepName = Literal["euler", "trapezoidal", "explicit"]
WEIGHTS: Mapping[ElasticStepName, ElasticWeights] = {
    "euler": ElasticWeights(1.0, 0.0),
    "trapezoidal": ElasticWeights(0.25, 0.25),
    "explicit": ElasticWeights(0.0, 0.0),
}

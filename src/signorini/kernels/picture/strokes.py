"""Straight lines over a picture."""

from __future__ import annotations

import math

from signorini.kernels.compile import kernel


@kernel
def paint_strokes(ends, width, colour, image):
    """Lines with round ends, from (column, row) to (column, row), `width` wide [pixels]; edges are smooth.

    `ends` has shape (lines, 2, 2), `colour` (lines, 4): red, green, blue in [0, 255] and opacity.
    """
    rows, columns = image.shape[0], image.shape[1]
    for k in range(len(ends)):
        x0, y0, x1, y1 = ends[k, 0, 0], ends[k, 0, 1], ends[k, 1, 0], ends[k, 1, 1]
        half = 0.5 * width[k]
        dx, dy = x1 - x0, y1 - y0
        length = max(dx * dx + dy * dy, 1e-12)
        room = half + 1.0
        for j in range(max(0, int(min(y0, y1) - room)), min(rows, int(max(y0, y1) + room) + 1)):
            for i in range(max(0, int(min(x0, x1) - room)), min(columns, int(max(x0, x1) + room) + 1)):
                px, py = i + 0.5 - x0, j + 0.5 - y0
                along = min(max((px * dx + py * dy) / length, 0.0), 1.0)
                away = math.sqrt((px - along * dx) ** 2 + (py - along * dy) ** 2)
                cover = min(max(half + 0.5 - away, 0.0), min(1.0, 2.0 * half)) * colour[k, 3]
                if cover > 0.0:
                    for n in range(3):
                        image[j, i, n] = int(image[j, i, n] + cover * (colour[k, n] - image[j, i, n]) + 0.5)

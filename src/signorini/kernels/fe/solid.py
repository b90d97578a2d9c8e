"""Energy, forces, stiffness and stress of solid elements, all elements at once, for any isotropic material.

An element of k nodes has quadrature points with the gradients of its shape functions (elements, points, k, 3) and
weights (elements, points) [m3]. With `F = sum x_a g_a'` at a point: energy `w psi(F)`, force `-w P g_a` on node a.
"""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.fe.stretch import decompose, energy_density, gradient, second_derivatives


@kernel
def deformation(position, cell, g, F):
    """F of one quadrature point; g has shape (k, 3)."""
    for i in range(3):
        for j in range(3):
            F[i, j] = 0.0
    for a in range(len(cell)):
        for i in range(3):
            x = position[cell[a], i]
            for j in range(3):
                F[i, j] += x * g[a, j]


@kernel
def energies(position, cells, gradients, weights, material, out):
    """Elastic energy of each element [J]; material is (kind, lambda, mu)."""
    kind, lam, mu = material
    F, U, V, B, s = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    for e in range(len(cells)):
        out[e] = 0.0
        for p in range(weights.shape[1]):
            deformation(position, cells[e], gradients[e, p], F)
            decompose(F, U, s, V, B)
            out[e] += weights[e, p] * energy_density(kind, lam, mu, s)


@kernel
def add_forces(position, cells, gradients, weights, material, out):
    """out -= d energy / d position, shape (nodes, 3) [N]."""
    kind, lam, mu = material
    F, U, V, B = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    s, stress = np.empty(3), np.empty(3)
    for e in range(len(cells)):
        for p in range(weights.shape[1]):
            deformation(position, cells[e], gradients[e, p], F)
            decompose(F, U, s, V, B)
            gradient(kind, lam, mu, s, stress)
            w = weights[e, p]
            for a in range(cells.shape[1]):
                g = gradients[e, p, a]
                for k in range(3):
                    along = w * stress[k] * (V[0, k] * g[0] + V[1, k] * g[1] + V[2, k] * g[2])
                    for i in range(3):
                        out[cells[e, a], i] -= U[i, k] * along


@kernel
def add_stiffness(position, cells, gradients, weights, material, mode, first, stride, out):
    """out += d2 energy / d position2 [N/m], into the data of a matrix of 3 x 3 blocks.

    Entry (i, j) of the block of nodes a and b of element e is at `first[e, a, b] + i stride[cells[e, a]] + j`.
    """
    kind, lam, mu = material
    k = cells.shape[1]
    F, U, V, B = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    G, straight, crossed = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    s, stress, work = np.empty(3), np.empty(3), (np.empty((3, 3)), np.empty(3))
    local, block = np.empty((k, 3)), np.empty((3, 3))
    for e in range(len(cells)):
        for p in range(weights.shape[1]):
            deformation(position, cells[e], gradients[e, p], F)
            decompose(F, U, s, V, B)
            gradient(kind, lam, mu, s, stress)
            second_derivatives(kind, lam, mu, mode, s, stress, work, G, straight, crossed)
            for a in range(k):
                g = gradients[e, p, a]
                for m in range(3):
                    local[a, m] = V[0, m] * g[0] + V[1, m] * g[1] + V[2, m] * g[2]
            for a in range(k):
                for b in range(a, k):
                    _block(local[a], local[b], weights[e, p], U, G, straight, crossed, B, block)
                    at, step = first[e, a, b], stride[cells[e, a]]
                    for i in range(3):
                        for j in range(3):
                            out[at + i * step + j] += block[i, j]
                    if a == b:
                        continue
                    at, step = first[e, b, a], stride[cells[e, b]]
                    for i in range(3):
                        for j in range(3):
                            out[at + j * step + i] += block[i, j]


@kernel
def _block(g, h, w, U, G, straight, crossed, M, out):
    """w U M U' with `M[k, m] = sum_ln g_l D[kl, mn] h_n`: the stiffness between two nodes."""
    for k in range(3):
        for m in range(3):
            if k == m:
                i, j = (k + 1) % 3, (k + 2) % 3
                M[k, k] = w * (G[k, k] * g[k] * h[k] + straight[k, i] * g[i] * h[i] + straight[k, j] * g[j] * h[j])
            else:
                M[k, m] = w * (G[k, m] * g[k] * h[m] + crossed[k, m] * g[m] * h[k])
    for k in range(3):
        x = M[k, 0] * U[0, 0] + M[k, 1] * U[0, 1] + M[k, 2] * U[0, 2]
        y = M[k, 0] * U[1, 0] + M[k, 1] * U[1, 1] + M[k, 2] * U[1, 2]
        z = M[k, 0] * U[2, 0] + M[k, 1] * U[2, 1] + M[k, 2] * U[2, 2]
        M[k, 0], M[k, 1], M[k, 2] = x, y, z
    for j in range(3):
        for i in range(3):
            out[i, j] = U[i, 0] * M[0, j] + U[i, 1] * M[1, j] + U[i, 2] * M[2, j]


@kernel
def stresses(position, cells, gradients, weights, material, stress, strain):
    """Mean Cauchy stress [Pa] and Biot strain `R (S - I) R'` [-] of each element, both of shape (elements, 3, 3)."""
    kind, lam, mu = material
    F, U, V, B = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    s, g = np.empty(3), np.empty(3)
    for e in range(len(cells)):
        stress[e] = 0.0
        strain[e] = 0.0
        total = 0.0
        for p in range(weights.shape[1]):
            deformation(position, cells[e], gradients[e, p], F)
            decompose(F, U, s, V, B)
            gradient(kind, lam, mu, s, g)
            volume = s[0] * s[1] * s[2]
            total += weights[e, p]
            for k in range(3):
                # P F' / J = U diag(g s / J) U'.
                pressure = weights[e, p] * (g[k] * s[k] / volume if volume != 0.0 else 0.0)
                for i in range(3):
                    for j in range(3):
                        stress[e, i, j] += pressure * U[i, k] * U[j, k]
                        strain[e, i, j] += weights[e, p] * (s[k] - 1.0) * U[i, k] * U[j, k]
        for i in range(3):
            for j in range(3):
                stress[e, i, j] /= total
                strain[e, i, j] /= total


@kernel
def smallest_stretches(position, cells, gradients, out):
    """Smallest principal stretch of each element over its quadrature points; negative where it is inverted."""
    F, U, V, B, s = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    for e in range(len(cells)):
        out[e] = np.inf
        for p in range(gradients.shape[1]):
            deformation(position, cells[e], gradients[e, p], F)
            decompose(F, U, s, V, B)
            out[e] = min(out[e], s[0], s[1], s[2])

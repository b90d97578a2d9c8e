"""Records of contacts for the sweeps, straight from points and normals.

A record is that of `sweeps.compact_records` (32 numbers: directions, turned levers, share, offsets, friction), stored
number by number over all contacts, so that neighbouring threads read neighbouring memory. `rank` orders movable bodies
as they lie in space; it is -1 for others.
"""

from __future__ import annotations

import math

from signorini.kernels.bodies import contact_jacobian as cpu
from signorini.kernels.cones.block_scales import LARGEST_EIGENVALUE
from signorini.kernels.cuda.door import cuda, on_device
from signorini.kernels.sweeps.compact_records import FRICTION, OFFSET, SHARE

tangents = on_device(cpu.tangents)
turned_lever, turned, speeds = on_device(cpu._turned_lever), on_device(cpu._turned), on_device(cpu._speeds)


@cuda.jit(device=True)
def lever_frame(frame, position, orientation, body, x, y, z):
    """R' (arm x d) of one body for the three directions d, at the world point (x, y, z)."""
    m = turned_lever(orientation, body, x - position[body, 0], y - position[body, 1], z - position[body, 2])
    return turned(m, frame[0]), turned(m, frame[1]), turned(m, frame[2])


@cuda.jit(device=True)
def weighted(d, w, b):
    """Three numbers times the angular weights of a body."""
    return d[0] * w[b, 3], d[1] * w[b, 4], d[2] * w[b, 5]


@cuda.jit(device=True)
def times(factor, d):
    """A multiple of three numbers."""
    return factor * d[0], factor * d[1], factor * d[2]


@cuda.jit(device=True)
def dot(a, b):
    """a'b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@cuda.jit(device=True)
def put(record, j, k, factor, d):
    """Three numbers of record k."""
    record[j, k], record[j + 1, k], record[j + 2, k] = factor * d[0], factor * d[1], factor * d[2]


@cuda.jit(device=True)
def scales(nn, ss, tt, ns, nt, st):
    """Factors of the normal and the tangents, the rule `anisotropic` of `block_scales`, by the bound of eigenvalues."""
    trace = nn + ss + tt
    floor = 1e-6 * trace
    normal, tangent = 1.0 / math.sqrt(max(nn, floor)), 1.0 / math.sqrt(max(0.5 * (trace - nn), floor))
    cross, square = normal * tangent, tangent * tangent
    a, b, c = cross * abs(ns), cross * abs(nt), square * abs(st)
    bound = max(normal * normal * nn + a + b, max(a + square * ss + c, b + c + square * tt))
    if bound > LARGEST_EIGENVALUE:
        shrink = math.sqrt(LARGEST_EIGENVALUE / bound)
        normal, tangent = normal * shrink, tangent * shrink
    return normal, tangent


@cuda.jit(device=True)
def known_slip(frame, fa, fb, velocity, rank, a, b):
    """What b takes from the velocities of bodies that do not move freely."""
    bn, bs, bt = 0.0, 0.0, 0.0
    if rank[a] < 0:
        bn, bs, bt = speeds(frame, fa, velocity[0], velocity[1], a)
        bn, bs, bt = -bn, -bs, -bt
    if rank[b] < 0:
        x, y, z = speeds(frame, fb, velocity[0], velocity[1], b)
        bn, bs, bt = bn + x, bs + y, bt + z
    return bn, bs, bt


@cuda.jit(device=True)
def put_record(record, k, directions, levers, sign, factors, share, b, friction):
    """Record k: directions and whitened levers of both bodies times their factors, and the rest of it."""
    normal, tangent = factors
    put(record, 0, k, normal, directions[0])
    put(record, 3, k, sign * normal, levers[0][0])
    put(record, 6, k, -sign * normal, levers[0][1])
    put(record, 9, k, tangent, directions[1])
    put(record, 12, k, sign * tangent, levers[1][0])
    put(record, 15, k, -sign * tangent, levers[1][1])
    put(record, 18, k, tangent, directions[2])
    put(record, 21, k, sign * tangent, levers[2][0])
    put(record, 24, k, -sign * tangent, levers[2][1])
    record[SHARE, k], record[OFFSET, k] = share, -b[0] * normal
    record[OFFSET + 1, k], record[OFFSET + 2, k] = -b[1] * tangent, -b[2] * tangent
    record[FRICTION, k] = friction * normal / tangent


@cuda.jit
def records(bodies, data, friction, state, weight, rank, now, law, out):
    """Records, scales, pairs (ranks of bodies) and traces of N of the contacts.

    bodies are those of the two shapes; state (position, orientation, velocity, spin) and weight (six roots of inverse
    masses, 0 for bodies that do not move freely) by body; now is (step, fastest recovery). law has offsets, diagonal
    of E and pulls of `laws`; without entries contacts are rigid. Then out has no scaled E nor normal mobilities.
    """
    position, orientation, velocity, spin = state
    record, scale, pair, diagonal, soft, mobility = out
    offset, compliance, pull = law
    for i in range(cuda.grid(1), len(friction), cuda.gridsize(1)):
        k, a, b = i, bodies[0, i], bodies[1, i]
        n = (data[i, 6], data[i, 7], data[i, 8])
        ux, uy, uz, wx, wy, wz = tangents(n[0], n[1], n[2])
        frame = (n, (ux, uy, uz), (wx, wy, wz))
        fa = lever_frame(frame, position, orientation, a, data[i, 0], data[i, 1], data[i, 2])
        fb = lever_frame(frame, position, orientation, b, data[i, 3], data[i, 4], data[i, 5])
        bn, bs, bt = known_slip(frame, fa, fb, (velocity, spin), rank, a, b)
        if len(pull) == 0:
            bn += min(-data[i, 9] / now[0], now[1])
        else:
            bn += offset[0, i] + compliance[0, i] * pull[i]
            bs, bt = bs + offset[1, i], bt + offset[2, i]
        sign, f, g, p, q = 1.0, fa, fb, a, b
        if rank[a] < 0:
            sign, f, g, p, q = -1.0, fb, fa, b, a
        share = -weight[q, 0] / weight[p, 0]
        both, mass = 1.0 + share * share, sign * weight[p, 0]
        n, s, t = times(mass, frame[0]), times(mass, frame[1]), times(mass, frame[2])
        nr, sr, tr = weighted(f[0], weight, p), weighted(f[1], weight, p), weighted(f[2], weight, p)
        nq, sq, tq = weighted(g[0], weight, q), weighted(g[1], weight, q), weighted(g[2], weight, q)
        nn = both * dot(n, n) + dot(nr, nr) + dot(nq, nq)
        ss = both * dot(s, s) + dot(sr, sr) + dot(sq, sq)
        tt = both * dot(t, t) + dot(tr, tr) + dot(tq, tq)
        # The levers of the second body count with the other sign; both signs cancel in the diagonal block.
        ns = both * dot(n, s) + dot(nr, sr) + dot(nq, sq)
        nt = both * dot(n, t) + dot(nr, tr) + dot(nq, tq)
        st = both * dot(s, t) + dot(sr, tr) + dot(sq, tq)
        if len(pull):
            mobility[k] = nn
            nn, ss, tt = nn + compliance[0, i], ss + compliance[1, i], tt + compliance[2, i]
        normal, tangent = scales(nn, ss, tt, ns, nt, st)
        diagonal[k] = nn + ss + tt
        scale[0, k], scale[1, k] = normal, tangent
        if len(pull):
            soft[0, k] = compliance[0, i] * normal * normal
            soft[1, k], soft[2, k] = compliance[1, i] * tangent * tangent, compliance[2, i] * tangent * tangent
        pair[0, k], pair[1, k] = rank[p], rank[q]
        levers = ((nr, nq), (sr, sq), (tr, tq))
        put_record(record, k, (n, s, t), levers, sign, (normal, tangent), share, (bn, bs, bt), friction[i])

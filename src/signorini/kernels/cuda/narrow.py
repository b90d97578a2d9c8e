"""Contacts of near pairs: the pair kernels of the CPU, called for one pair by one thread."""

from __future__ import annotations

from signorini.kernels.collision import box, identity, plane
from signorini.kernels.collision import round as round_shapes
from signorini.kernels.collision.conventions import BOX, CAPSULE, HALF_SPACE, SPHERE
from signorini.kernels.collision.table import Found, Placement, ShapeArrays
from signorini.kernels.cuda.door import cuda, on_device

put_balls = on_device(round_shapes.put_balls)
sphere_capsule, capsule_capsule = on_device(round_shapes.sphere_capsule), on_device(round_shapes.capsule_capsule)
sphere_box = on_device(box.sphere_box)
sphere_half_space, capsule_half_space = on_device(plane.sphere_half_space), on_device(plane.capsule_half_space)
box_half_space = on_device(plane.box_half_space)
first_part, second_part = on_device(identity.first_part), on_device(identity.second_part)

MOST = {
    (SPHERE, SPHERE): 1, (SPHERE, CAPSULE): 1, (CAPSULE, CAPSULE): 2, (SPHERE, BOX): 1, (SPHERE, HALF_SPACE): 1,
    (CAPSULE, HALF_SPACE): 2, (BOX, HALF_SPACE): 8,
}  # fmt: skip
"""Pairs of kinds that the device knows, and how many contacts such a pair may have."""


@cuda.jit(device=True)
def most_contacts(a, b):
    """Of shapes of the kinds a <= b."""
    if a == SPHERE:
        return 1
    if a == CAPSULE:
        return 2
    return 8


@cuda.jit
def room(kind, first, second, rooms):
    """How many contacts each pair may have."""
    for p in range(cuda.grid(1), len(first), cuda.gridsize(1)):
        a, b = kind[first[p]], kind[second[p]]
        rooms[p] = most_contacts(min(a, b), max(a, b))


@cuda.jit
def pair_contacts(shapes, placed, pairs, place, identity, data):
    """Contacts of pair p from place[p] on; places that stay empty keep the identity -1."""
    table = ShapeArrays(
        shapes[0], shapes[1], shapes[2], shapes[3], shapes[4], shapes[5], shapes[6], shapes[7], shapes[8], shapes[9],
        shapes[10], shapes[11], 0,
    )  # fmt: skip
    where = Placement(placed[0], placed[1], placed[2], placed[3])
    found = Found(identity, data)
    kind, param, origin = shapes[0], shapes[2], placed[0]
    for p in range(cuda.grid(1), len(place), cuda.gridsize(1)):
        i, j, limit = pairs[0][p], pairs[1][p], pairs[2][p]
        k = place[p]
        if kind[i] == SPHERE and kind[j] == SPHERE:
            put_balls(
                found, k, i, j, 0, limit, origin[i, 0], origin[i, 1], origin[i, 2], param[i, 0],
                origin[j, 0], origin[j, 1], origin[j, 2], param[j, 0],
            )  # fmt: skip
            continue
        one, two, within = pairs[0][p : p + 1], pairs[1][p : p + 1], pairs[2][p : p + 1]
        if kind[i] > kind[j]:
            one, two = two, one
        a, b = min(kind[i], kind[j]), max(kind[i], kind[j])
        if b == HALF_SPACE:
            if a == SPHERE:
                sphere_half_space(table, where, one, two, within, found, k)
            elif a == CAPSULE:
                capsule_half_space(table, where, one, two, within, found, k)
            else:
                box_half_space(table, where, one, two, within, found, k)
        elif b == BOX:
            sphere_box(table, where, one, two, within, found, k)
        elif a == SPHERE:
            sphere_capsule(table, where, one, two, within, found, k)
        else:
            capsule_capsule(table, where, one, two, within, found, k)


@cuda.jit
def bodies_of(body, friction, identity, rank, bodies, ranks, coefficient):
    """Bodies of each contact, that of the shape with the smaller number first; their ranks, a movable one first."""
    for k in range(cuda.grid(1), len(identity), cuda.gridsize(1)):
        i, j = first_part(identity[k]), second_part(identity[k])
        a, b = body[i], body[j]
        bodies[0, k], bodies[1, k] = a, b
        p, q = rank[a], rank[b]
        ranks[0, k], ranks[1, k] = (p, q) if p >= 0 else (q, p)
        coefficient[k] = min(friction[i], friction[j])

"""Contacts of near pairs: the pair kernels of the CPU, called for one pair by one thread."""

from __future__ import annotations

from signorini.kernels.collision import box, identity, mesh, plane
from signorini.kernels.collision import round as round_shapes
from signorini.kernels.collision.conventions import BOX, CAPSULE, HALF_SPACE, MESH, SPHERE
from signorini.kernels.collision.table import Found, Placement, ShapeArrays
from signorini.kernels.cuda.door import cuda, on_device

put_balls = on_device(round_shapes.put_balls)
sphere_capsule, capsule_capsule = on_device(round_shapes.sphere_capsule), on_device(round_shapes.capsule_capsule)
sphere_box = on_device(box.sphere_box)
sphere_half_space, capsule_half_space = on_device(plane.sphere_half_space), on_device(plane.capsule_half_space)
box_half_space = on_device(plane.box_half_space)
sphere_on_mesh = on_device(mesh.sphere_on_mesh)
first_part, second_part = on_device(identity.first_part), on_device(identity.second_part)


@cuda.jit(device=True)
def most_contacts(a, b):
    """Most contacts of a pair of shapes of the kinds a <= b."""
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
        rooms[p] = most_contacts(min(a, b), max(a, b)) if a != MESH and b != MESH else 0


@cuda.jit
def pair_contacts(shapes, placed, pairs, place, identity, data, bits):
    """Contacts of pair p from place[p] on; places that stay empty keep the identity -1, in which parts have so many
    bits."""
    table = ShapeArrays(
        shapes[0], shapes[1], shapes[2], shapes[3], shapes[4], shapes[5], shapes[6], shapes[7], shapes[8], shapes[9],
        shapes[10], shapes[11], 0,
    )  # fmt: skip
    where = Placement(placed[0], placed[1], placed[2], placed[3])
    found = Found(identity, data, bits)
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
        if b == MESH:
            continue
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


@cuda.jit(device=True)
def put_on_mesh(shapes, placed, pairs, p, meshes, found, k):
    """Contacts of pair p, if one of its shapes is a mesh, from place k on; returns the place after the last.

    meshes are the arrays of all of them one after the other: the number of the mesh of each shape, the first leaf and
    the first triangle of each mesh, whether it is solid, boxes of nodes (two for each leaf), leaves, corners.
    """
    table = ShapeArrays(
        shapes[0], shapes[1], shapes[2], shapes[3], shapes[4], shapes[5], shapes[6], shapes[7], shapes[8], shapes[9],
        shapes[10], shapes[11], 0,
    )  # fmt: skip
    where = Placement(placed[0], placed[1], placed[2], placed[3])
    number, start, solid, low, high, leaf, corners = meshes
    i, j = pairs[0][p], pairs[1][p]
    if shapes[0][i] == MESH:
        i, j = j, i
    if shapes[0][j] != MESH:
        return k
    m = number[j]
    a, b = start[m, 0], start[m + 1, 0]
    surface = (low[2 * a : 2 * b], high[2 * a : 2 * b], leaf[a:b], corners[start[m, 1] : start[m + 1, 1]], solid[m])
    return sphere_on_mesh(table, where, i, j, pairs[2][p], surface, found, k)


@cuda.jit
def mesh_room(shapes, placed, pairs, meshes, identity, data, bits, rooms):
    """How many contacts pairs with a mesh have; identity and data have no room."""
    for p in range(cuda.grid(1), len(rooms), cuda.gridsize(1)):
        rooms[p] += put_on_mesh(shapes, placed, pairs, p, meshes, Found(identity, data, bits), 0)


@cuda.jit
def mesh_contacts(shapes, placed, pairs, meshes, place, identity, data, bits):
    """Contacts of pairs with a mesh, from place[p] on."""
    for p in range(cuda.grid(1), len(place), cuda.gridsize(1)):
        put_on_mesh(shapes, placed, pairs, p, meshes, Found(identity, data, bits), place[p])


@cuda.jit
def bodies_of(body, friction, identity, bits, rank, bodies, ranks, coefficient):
    """Bodies of each contact, that of the shape with the smaller number first; their ranks, a movable one first."""
    for k in range(cuda.grid(1), len(identity), cuda.gridsize(1)):
        i, j = first_part(identity[k], bits), second_part(identity[k], bits)
        a, b = body[i], body[j]
        bodies[0, k], bodies[1, k] = a, b
        p, q = rank[a], rank[b]
        ranks[0, k], ranks[1, k] = (p, q) if p >= 0 else (q, p)
        coefficient[k] = min(friction[i], friction[j])

"""Models of Signorini as MuJoCo models: the same bodies, joints, limits, motors, springs and contacts.

Bodies hang on the first joint that leads to them from the world; joints that close loops become equality constraints.
Motors that prescribe a coordinate are equality constraints of one joint, whose target is set before each step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import mujoco
import numpy as np

import signorini as sg
from signorini.math.rotations import conjugate, multiply, rotate
from signorini.model.coordinate import ANGLE, WORLD
from signorini.model.forces.spring import Spring
from signorini.model.joints.dry_friction import CoordinateFriction
from signorini.model.joints.fixed import Fixed
from signorini.model.joints.limit import CoordinateLimit
from signorini.model.joints.prismatic import Prismatic
from signorini.model.joints.revolute import Revolute
from signorini.model.joints.spherical import Spherical
from signorini.model.motors.coordinate_motor import CoordinateMotor
from signorini.model.motors.drive import Drive

KINDS = {
    Revolute: mujoco.mjtJoint.mjJNT_HINGE,
    Prismatic: mujoco.mjtJoint.mjJNT_SLIDE,
    Spherical: mujoco.mjtJoint.mjJNT_BALL,
}
EQUALITY = len(mujoco.MjSpec().add_equality().data)
"""Numbers that describe an equality constraint."""
STIFF = {"solref": [0.01, 1.0], "solimp": [0.99, 0.999, 0.001, 0.5, 2.0]}
"""Of contacts, limits and constraints."""


@dataclass
class Twin:
    """A MuJoCo model with its data, and what has to be set before a step."""

    model: Any
    data: Any
    drives: list[Callable[[float], None]] = field(default_factory=list)

    def drive(self) -> None:
        """Set targets and forces of motors for the coming step."""
        time = self.data.time
        for drive in self.drives:
            drive(time)

    @property
    def penetration(self) -> float:
        """Deepest [m]."""
        gaps = self.data.contact.dist[: self.data.ncon]
        return max(0.0, -float(gaps.min(initial=0.0)))


class Builder:
    """Turns one model into a `Twin`."""

    def __init__(self, model: sg.Model, step: float, solver: str = "newton") -> None:
        self.source, self.spec = model, mujoco.MjSpec()
        option = self.spec.option
        option.timestep, option.gravity, option.cone = step, model.gravity, mujoco.mjtCone.mjCONE_ELLIPTIC
        option.solver = {"newton": mujoco.mjtSolver.mjSOL_NEWTON, "cg": mujoco.mjtSolver.mjSOL_CG}[solver]
        option.iterations = 100
        self.spec.memory = 1 << 28
        self.bodies: dict[int, Any] = {WORLD: self.spec.worldbody}
        self.parent: dict[int, int] = {}
        self.joints: dict[tuple[int, int], Any] = {}
        self.drives: list[tuple[str, Any]] = []

    def build(self) -> Twin:
        """The model, with the velocities of the source."""
        self._tree()
        for i, body in enumerate(self.source.bodies):
            for placed in body.shapes:
                self._geometry(i, placed)
        self._exclude()
        self._limits()
        self._springs()
        self._motors()
        model = self.spec.compile()
        data = mujoco.MjData(model)
        self._velocities(model, data)
        return Twin(model, data, [self._drive(model, data, name, item) for name, item in self.drives])

    # --- bodies ----------------------------------------------------------------------------------------------------

    def _tree(self) -> None:
        joints = [joint for joint in self.source.joints if type(joint) in KINDS or isinstance(joint, Fixed)]
        fixed = [i for i, body in enumerate(self.source.bodies) if body.fixed]
        for i in fixed:
            self._body(i, WORLD, None)
        left = sorted(joints, key=lambda joint: WORLD not in (joint.a, joint.b))
        while True:
            for joint in left:
                known = [side for side in (joint.a, joint.b) if side in self.bodies]
                if len(known) == 1:
                    child = joint.b if known[0] == joint.a else joint.a
                    self._body(child, known[0], joint)
                    left.remove(joint)
                    break
            else:
                loose = [i for i in range(len(self.source.bodies)) if i not in self.bodies]
                if not loose:
                    break
                self._body(loose[0], WORLD, None)
        for joint in left:
            self._close(joint)

    def _body(self, i: int, parent: int, joint: Any) -> None:
        body = self.source.bodies[i]
        place, turn = self._relative(parent, body.position, body.orientation)
        new = self.bodies[parent].add_body(name=body.name, pos=place, quat=turn)
        self.bodies[i], self.parent[i] = new, parent
        if body.fixed:
            return
        inertia = body.inertia
        full = [inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2], inertia[1, 2]]
        new.mass, new.fullinertia, new.explicitinertial, new.ipos = body.mass, full, True, [0, 0, 0]
        if joint is None:
            new.add_freejoint()
        elif not isinstance(joint, Fixed):
            own = joint.frame_b if joint.b == i else joint.frame_a
            sign = 1.0 if joint.b == i else -1.0
            axis = sign * rotate(own.orientation, np.array([0.0, 0.0, 1.0]))
            added = new.add_joint(name=joint.name, type=KINDS[type(joint)], pos=own.position, axis=axis)
            self.joints[(min(joint.a, joint.b), max(joint.a, joint.b))] = (joint, added)

    def _relative(self, parent: int, position: Any, orientation: Any) -> tuple[Any, Any]:
        if parent == WORLD:
            return position, orientation
        body = self.source.bodies[parent]
        back = conjugate(body.orientation)
        return rotate(back, position - body.position), multiply(back, orientation)

    def _close(self, joint: Any) -> None:
        """The last joint of a loop: hinges of planar loops become a point that is held, slides a weld."""
        names = [self.source.bodies[i].name if i != WORLD else "world" for i in (joint.b, joint.a)]
        kind = mujoco.mjtEq.mjEQ_WELD if isinstance(joint, Prismatic | Fixed) else mujoco.mjtEq.mjEQ_CONNECT
        if isinstance(joint, Prismatic):
            raise ValueError(f"loop closed by the slide {joint.name!r}; give the joints in another order")
        data = np.zeros(EQUALITY)
        data[:3] = joint.frame_b.position
        self.spec.add_equality(type=kind, name1=names[0], name2=names[1], data=data,
                               objtype=mujoco.mjtObj.mjOBJ_BODY, **STIFF)  # fmt: skip

    # --- contact -----------------------------------------------------------------------------------------------------

    def _geometry(self, i: int, placed: Any) -> None:
        body, shape = self.source.bodies[i], placed.shape
        options: dict[str, Any] = {
            "pos": placed.position, "quat": placed.orientation, "friction": [body.material.friction, 0, 0], "condim": 3,
            **STIFF,
        }  # fmt: skip
        geom = mujoco.mjtGeom
        if isinstance(shape, sg.Sphere):
            kind, options["size"] = geom.mjGEOM_SPHERE, [shape.radius, 0, 0]
        elif isinstance(shape, sg.Box):
            kind, options["size"] = geom.mjGEOM_BOX, [0.5 * side for side in shape.size]
        elif isinstance(shape, sg.Capsule):
            kind, options["size"] = geom.mjGEOM_CAPSULE, [shape.radius, 0.5 * shape.length, 0]
        elif isinstance(shape, sg.HalfSpace):
            kind, options["size"] = geom.mjGEOM_PLANE, [0, 0, 1]
            options["quat"] = multiply(placed.orientation, _turn_z_to(np.array(shape.normal)))
        else:
            kind, name = geom.mjGEOM_MESH, f"mesh-{len(self.spec.meshes)}"
            self.spec.add_mesh(name=name, uservert=shape.vertices.reshape(-1), userface=shape.triangles.reshape(-1))
            options["meshname"] = name
        self.bodies[i].add_geom(type=kind, **options)

    def _exclude(self) -> None:
        """Pairs that do not collide by groups, masks or joints."""
        bodies, tied = self.source.bodies, {tuple(sorted(joint.bodies)) for joint in self.source.joints}
        for i, j in combinations(range(len(bodies)), 2):
            a, b = bodies[i], bodies[j]
            may = a.group & b.mask and b.group & a.mask and not (a.fixed and b.fixed)
            if a.shapes and b.shapes and not (may and (i, j) not in tied):
                self.spec.add_exclude(bodyname1=a.name, bodyname2=b.name)

    # --- limits, springs, motors -------------------------------------------------------------------------------------

    def _joint_of(self, coordinate: Any) -> tuple[Any, Any]:
        return self.joints[(min(coordinate.a, coordinate.b), max(coordinate.a, coordinate.b))]

    def _limits(self) -> None:
        for limit in self.source.limits:
            assert isinstance(limit, CoordinateLimit)
            if limit.coordinate.kind == ANGLE or limit.coordinate.axes == (2, 0):
                _, joint = self._joint_of(limit.coordinate)
                joint.limited, joint.range = 1, np.degrees([limit.low, limit.high])
                joint.solref_limit, joint.solimp_limit = STIFF["solref"], STIFF["solimp"]
                continue
            self._tendon(limit.name, limit.coordinate, limited=1, range=[0.0, limit.high], solref_limit=STIFF["solref"],
                         solimp_limit=STIFF["solimp"])  # fmt: skip
        for friction in self.source.dry_frictions:
            assert isinstance(friction, CoordinateFriction)
            self._joint_of(friction.coordinate)[1].frictionloss = friction.limit.value(0.0)

    def _springs(self) -> None:
        for spring in self.source.stiff_forces:
            assert isinstance(spring, Spring)
            self._tendon(spring.name, spring.coordinate, stiffness=spring.stiffness, damping=spring.damping,
                         springlength=[spring.length, spring.length])  # fmt: skip

    def _tendon(self, name: str, coordinate: Any, **options: Any) -> None:
        tendon = self.spec.add_tendon(name=name)
        for key, value in options.items():
            if key in ("stiffness", "damping"):
                current = getattr(tendon, key)
                value = np.array([value, *np.zeros(np.size(current) - 1)]) if np.size(current) > 1 else value
            setattr(tendon, key, value)
        sides = ((coordinate.a, coordinate.frame_a), (coordinate.b, coordinate.frame_b))
        for k, (body, frame) in enumerate(sides):
            site = f"{name}-{k}"
            self.bodies[body].add_site(name=site, pos=frame.position)
            tendon.wrap_site(site)

    def _motors(self) -> None:
        for item in [*self.source.joints, *self.source.forces]:
            if isinstance(item, CoordinateMotor):
                joint, added = self._joint_of(item.coordinate)
                self.spec.add_equality(name=item.name, type=mujoco.mjtEq.mjEQ_JOINT, name1=added.name,
                                       data=np.zeros(EQUALITY), objtype=mujoco.mjtObj.mjOBJ_JOINT, **STIFF)  # fmt: skip
                self.drives.append((joint.name, item))
            elif isinstance(item, Drive):
                self.drives.append((self._joint_of(item.coordinate)[0].name, item))

    def _drive(self, model: Any, data: Any, joint: str, item: Any) -> Callable[[float], None]:
        if isinstance(item, CoordinateMotor):
            row = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_EQUALITY, item.name)

            def target(time: float) -> None:
                model.eq_data[row, 0] = item.target.value(time + model.opt.timestep)

            return target
        dof = model.joint(joint).dofadr[0]

        def effort(time: float) -> None:
            data.qfrc_applied[dof] = item.effort.value(time)

        return effort

    def _velocities(self, model: Any, data: Any) -> None:
        """Of free bodies; joints of mechanisms get the turn of their child against its parent."""
        for i, body in enumerate(self.source.bodies):
            if body.fixed or not (body.velocity.any() or body.angular_velocity.any()):
                continue
            own = model.body(body.name)
            if self.parent[i] == WORLD and own.dofnum[0] == 6:
                first = own.dofadr[0]
                data.qvel[first : first + 3], data.qvel[first + 3 : first + 6] = body.velocity, body.angular_velocity


def _turn_z_to(normal: Any) -> Any:
    """The quaternion that turns z to a unit vector."""
    w = 1.0 + normal[2]
    if w < 1e-9:
        return np.array([0.0, 1.0, 0.0, 0.0])
    q = np.array([w, -normal[1], normal[0], 0.0])
    return q / np.linalg.norm(q)


def twin(model: sg.Model, step: float, solver: str = "newton") -> Twin:
    """The MuJoCo twin of a model."""
    return Builder(model, step, solver).build()

"""A step with material laws: impacts first, then the contact problem with the terms of the laws."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from signorini.assembly.laws.contact_laws import ContactLaws, slips
from signorini.assembly.laws.contact_snapshot import ContactSnapshot
from signorini.assembly.laws.energy import stored_energy
from signorini.assembly.laws.memory import YIELDING, LawMemory
from signorini.assembly.laws.plasticity import ContactResponse, next_pinned, remembered
from signorini.assembly.laws.terms import Terms, changed
from signorini.collision.contacts import Contacts
from signorini.math.sparse import Array, canonical
from signorini.model.motion import velocity_at
from signorini.model.state import State
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers.base import Solver
from signorini.stepping.contact_model import Detected, StepSolution
from signorini.stepping.impacts.bounce import Bounce, FreeMotion, Impacts
from signorini.stepping.impacts.impact_solver import ImpactSolver
from signorini.stepping.impacts.instants import Approach
from signorini.stepping.impacts.strike_geometry import StrikeGeometry
from signorini.stepping.rigid_contact import StepSettings
from signorini.stepping.warm_start import Memory

MOST_YIELDS = 12
"""Most iterations over the set of yielding contacts; after them the last answer is returned with status STALLED."""

NOBODY = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class MaterialContact:
    """Contacts that follow the laws of their materials."""

    settings: StepSettings
    laws: ContactLaws
    impacts: Impacts | None
    """None where nothing bounces."""
    geometry: StrikeGeometry | None = None
    """Detects contacts where they strike; None takes them as they are at the beginning of the step."""
    mid_step: bool = False
    """Whether steps to second order take springs in their middle."""

    def assemble(
        self, state: State, detected: Detected, memory: Memory | None, bounce: Bounce | None = None
    ) -> MaterialStep:
        """The problem of the step from `state`, with the contacts yielding that did so in the last step; after a
        `bounce`, whose velocities the bodies of the state have, with what it gave to nodes."""
        inputs = self._inputs(state, detected, memory)
        if bounce is not None and bounce.momentum.any():
            inputs = replace(inputs, plain=inputs.plain.changed(c=inputs.plain.c - bounce.momentum))
        snapshot = inputs.snapshot
        yielding = snapshot.memory.has(YIELDING) & np.isfinite(snapshot.laws.yield_force)
        step = self.yielding(inputs, yielding, np.zeros(snapshot.count, dtype=np.bool_))
        return step if bounce is None else replace(step, bounce=bounce)

    def hard(self, contacts: Contacts) -> NDArray[np.bool_]:
        """Those without springs, bonds and dents."""
        laws = self.laws.table.laws(contacts.body_a, contacts.body_b)
        return np.asarray((laws.compliance == 0.0) & (laws.cohesion == 0.0) & np.isinf(laws.yield_force))

    def yielding(
        self,
        inputs: LawInputs,
        pinned: NDArray[np.bool_],
        released: NDArray[np.bool_],
        earlier: tuple[Solution, ...] = (),
    ) -> MaterialStep:
        """The problem with the `pinned` contacts at their yield forces."""
        terms = self.laws.terms(inputs.snapshot, inputs.state, pinned)
        problem = changed(inputs.plain, inputs.known, terms)
        guess = self.settings.guess(inputs.memory, inputs.detected, inputs.state, problem)
        return MaterialStep(self, inputs, terms, problem, guess, released, earlier)

    def bounce_from(self, state: State, detected: Detected, memory: Memory | None, solver: Solver) -> Bounce | None:
        """What impacts do in the step from `state`; None without any."""
        return self.bounce(self._inputs(state, detected, memory), solver)

    def bounce(self, inputs: LawInputs, solver: Solver) -> Bounce | None:
        """What impacts do before the step; None without any."""
        plain, memory = inputs.plain, inputs.memory
        if self.impacts is None:
            return None
        velocity = self.settings.velocity(inputs.state)
        kick = plain.free_velocity - velocity
        if not self.impacts.may_bounce(inputs.snapshot, _push(inputs, kick)):
            return None
        led, inputs = self._led(inputs), self._struck(inputs, velocity, kick)
        snapshot = inputs.snapshot
        terms = self.laws.surfaces(snapshot, inputs.state)
        bare = self._without_springs(inputs.plain)
        level = changed(bare, inputs.known, terms)
        gain = None if led is None else changed(bare, inputs.known + led, terms).b_lambda - level.b_lambda
        loads = np.zeros(snapshot.count) if memory is None else memory.loads(snapshot.contacts)
        exact = ImpactSolver.of(solver, self.settings.law)
        masses, flexible = self.settings.assembler.masses, self.settings.assembler.flexible
        nodes, late = 3 * len(masses.free), None if flexible is None or flexible.keeps_energy else masses.H
        free = FreeMotion(velocity, kick, self._bound(plain), nodes, late)
        return self.impacts.bounce(level, snapshot, terms, free, loads, exact, gain)

    def _led(self, inputs: LawInputs) -> Array | None:
        """By how much known velocities change in b over the step [m/s], shape (contacts, 3); None without motions."""
        state, assembler = inputs.state, self.settings.assembler
        motions = assembler.model.motions
        if not motions:
            return None
        known = []
        for time in (state.time, state.time + self.settings.h):
            there = state.copy()
            for i, motion in motions:
                there.velocity[i], there.angular_velocity[i] = velocity_at(motion, time)
            contacts = inputs.detected.contacts
            known.append(assembler.contact_rows(there, contacts, np.zeros(3 * contacts.count))[1])
        return np.asarray((known[1] - known[0]).reshape(-1, 3))

    def _bound(self, plain: ContactProblem) -> NDArray[np.bool_]:
        """Velocities that springs or dampers act on, shape (n,)."""
        masses = self.settings.assembler.masses
        if plain.mass is masses.matrix:
            return np.zeros(plain.velocities, dtype=np.bool_)
        if not len(masses.free):
            return np.ones(plain.velocities, dtype=np.bool_)
        bound = np.asarray(abs(plain.H - masses.H).sum(axis=1) > 0.0)
        bound[6 * len(masses.movable) :] = True  # by the nodes around them, also where these forces are explicit
        return bound

    def _struck(self, inputs: LawInputs, velocity: Array, kick: Array) -> LawInputs:
        """The same with contacts as they are where bodies strike, and gaps that close there at the velocities there."""
        snapshot = inputs.snapshot
        if self.geometry is None or self.impacts is None:
            return inputs
        lag = self.impacts.lag
        approach = Approach(snapshot.gap, snapshot.slip[:, 0], _push(inputs, kick), lag)
        strike = self.geometry.at(inputs.state, snapshot, velocity, kick, approach)
        if strike is None:
            return inputs
        there = self._inputs(strike.state, replace(inputs.detected, contacts=strike.contacts, bend=None), inputs.memory)
        mean = there.snapshot.slip[:, 0] + (lag + 0.5 * strike.share) * _push(there, kick)
        closing = strike.contacts.gap - strike.share * snapshot.h * mean
        contacts = replace(strike.contacts, gap=np.where(strike.seen, closing, strike.contacts.gap))
        return replace(there, snapshot=replace(there.snapshot, contacts=contacts))

    def _inputs(self, state: State, detected: Detected, memory: Memory | None) -> LawInputs:
        settings, contacts = self.settings, detected.contacts
        fastest = settings.max_recovery_speed
        bend, curved = detected.bend, None
        if bend is not None:
            bend, curved = replace(bend, contacts=None), bend.contacts
        plain = settings.assemble(state, replace(detected, bend=bend))
        known = self.laws.known(plain, contacts, state, settings.h, fastest)
        slip = slips(plain, known, settings.velocity(state))
        law = None if memory is None else memory.law
        snapshot = self.laws.snapshot(contacts, state, law, slip, settings.h, fastest, curved)
        if bend is not None and self.mid_step and (snapshot.laws.compliance > 0).any():
            snapshot = replace(snapshot, mobility=normal_mobility(plain, contacts.count))
        return LawInputs(state, detected, memory, plain, known, snapshot)

    def _without_springs(self, plain: ContactProblem) -> ContactProblem:
        """The problem with the masses of rigid bodies alone: an impact is too short for springs and dampers to act.

        Elastic forces between the nodes of a flexible body act in it all the same: without them its surface would
        bounce, and the mass behind it would go on.
        """
        masses = self.settings.assembler.masses
        if plain.mass is masses.matrix:
            return plain
        if not len(masses.free):
            return plain.changed(H=masses.matrix)
        first = 6 * len(masses.movable)
        blocks = (masses.H[:first, :first], plain.H[first:, first:])
        return plain.changed(H=canonical(sp.block_diag(blocks, format="csr")))

    def with_velocity(self, state: State, velocity: Array) -> State:
        """The state with other velocities of the movable bodies, in the order of the problem."""
        movable = self.settings.assembler.masses.movable
        v, w = state.velocity.copy(), state.angular_velocity.copy()
        new = velocity[: 6 * len(movable)].reshape(-1, 6)
        v[movable], w[movable] = new[:, :3], new[:, 3:]
        return replace(state, velocity=v, angular_velocity=w)


@dataclass(frozen=True, eq=False)
class LawInputs:
    """The inputs of contact laws in a step."""

    state: State
    detected: Detected
    memory: Memory | None
    plain: ContactProblem
    """Of rigid contacts with friction."""
    known: Array
    """What known velocities of bodies and belts add to b [m/s], shape (contacts, 3)."""
    snapshot: ContactSnapshot


def normal_mobility(plain: ContactProblem, contacts: int) -> Array:
    """diag N of the normal rows [1/kg], shape (contacts,)."""
    return np.asarray(plain.N_diagonal[: 3 * contacts].reshape(contacts, 3)[:, 0])


def _push(inputs: LawInputs, kick: Array) -> Array:
    """Change of the normal speeds of contacts by a change of velocity [m/s], shape (contacts,)."""
    return slips(inputs.plain, np.zeros_like(inputs.known), kick)[:, 0]


@dataclass(frozen=True, eq=False)
class MaterialStep:
    """The problem of a step with some contacts at their yield forces."""

    contact: MaterialContact
    inputs: LawInputs
    terms: Terms
    problem: ContactProblem
    guess: Guess | None
    released: NDArray[np.bool_]
    """Contacts that have stopped yielding in this step once already, shape (contacts,)."""
    earlier: tuple[Solution, ...] = ()
    """Of the problems that this one revises."""
    bounce: Bounce | None = None
    """Impacts before the step."""

    def after_impacts(self, solver: Solver) -> MaterialStep:
        """The problem from the velocities that impacts leave; itself where nothing bounces."""
        bounce = self.contact.bounce(self.inputs, solver)
        if bounce is None:
            return self
        state = self.contact.with_velocity(self.inputs.state, bounce.velocity)
        contacts = self.inputs.detected.contacts
        detected = replace(self.inputs.detected, contacts=replace(contacts, gap=contacts.gap + bounce.opening))
        return self.contact.assemble(state, detected, self.inputs.memory, bounce)

    def interpret(self, solution: Solution) -> StepSolution:
        """Impulses, memory and energy of the contacts, and the revised problem where others have to yield."""
        inputs, terms = self.inputs, self.terms
        n = inputs.snapshot.count
        mobility = normal_mobility(inputs.plain, n)
        slip = slips(inputs.plain, inputs.known, solution.velocity)
        response = ContactResponse.of(terms, slip, self.problem, solution, mobility)
        revised = self._revised(response, solution)
        if revised is not None and len(revised.earlier) == MOST_YIELDS:
            solution, revised = replace(solution, status=Status.STALLED), None
        law = remembered(inputs.snapshot, terms, response)
        stored = stored_energy(inputs.snapshot, response, law)
        memory = inputs.memory
        old = LawMemory.fresh(NOBODY) if memory is None or memory.law is None else memory.law
        impulses, earlier = response.impulses, self.earlier
        contacts, shift = replace(inputs.detected.contacts, friction=terms.friction), None
        if self.bounce is not None:
            impulses, earlier = impulses + self.bounce.impulses, self.bounce.solutions + earlier
            contacts, shift = replace(contacts, gap=contacts.gap - self.bounce.opening), self.bounce.shift
        return StepSolution(
            contacts, self.problem, solution, impulses, old.followed_by(law), stored, earlier, revised, shift
        )

    def _revised(self, response: ContactResponse, solution: Solution) -> MaterialStep | None:
        """The problem with the set of yielding contacts of the solution; None if it has not changed."""
        pinned, hertz = self.terms.pinned, self.contact.laws.hertz
        if hertz is not None:
            now = self.inputs.snapshot
            deep = -(now.gap + now.h * response.slip[:, 0])
            pressed = response.impulses[:, 0] + self.terms.pull > 0.0
            laws = hertz.next_laws(now.laws, now.contacts, deep, pressed)
            if laws is not None and len(self.earlier) < MOST_YIELDS - 1:
                inputs = replace(self.inputs, snapshot=replace(now, laws=laws))
                again = self.contact.yielding(inputs, pinned, self.released, (*self.earlier, solution))
                return replace(again, bounce=self.bounce)
        # The lift of a sliding contact may require more than the yield force: then it stays pinned.
        wanted = next_pinned(self.inputs.snapshot, self.terms, response) | (pinned & self.released)
        if np.array_equal(wanted, pinned):
            return None
        released = self.released | (pinned & ~wanted)
        revised = self.contact.yielding(self.inputs, wanted, released, (*self.earlier, solution))
        return replace(revised, bounce=self.bounce)

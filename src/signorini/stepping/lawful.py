"""A step under contact laws: impacts first, then the problem that the laws make of the contacts."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from signorini.assembly.laws.contact_laws import ContactLaws, slips
from signorini.assembly.laws.contact_snapshot import ContactSnapshot
from signorini.assembly.laws.energy import stored_energy
from signorini.assembly.laws.memory import YIELDING, LawMemory
from signorini.assembly.laws.plasticity import ContactResponse, next_pinned, remembered
from signorini.assembly.laws.terms import changed
from signorini.assembly.near_limits import NearLimits
from signorini.collision.contacts import Contacts
from signorini.math.sparse import Array
from signorini.model.state import State
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Solution, Status
from signorini.stepping.answer import Answer, Solve, StepSettings
from signorini.stepping.impacts.bounce import Bounce, Impacts
from signorini.stepping.step import Stopwatch
from signorini.stepping.warm_start import Memory

MOST_YIELDS = 12
"""Rounds in search of the contacts that yield; then the last answer stands, and its status says so."""

NOBODY = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class LawfulContact:
    """Contacts that follow the laws of their materials."""

    settings: StepSettings
    laws: ContactLaws
    impacts: Impacts | None
    """None where nothing bounces."""

    def answer(
        self,
        state: State,
        contacts: Contacts,
        limits: NearLimits,
        memory: Memory | None,
        solve: Solve,
        watch: Stopwatch,
    ) -> Answer:
        """The velocities after a step from `state`."""
        plain = watch.time("assemble", self.settings.assemble, state, contacts, limits)
        known, snapshot = watch.time("assemble", self._look, plain, contacts, state, memory)
        bounce = watch.time("solve", self._bounce, plain, known, snapshot, state, memory, solve)
        if bounce.impulses is not None:
            state = self._with_velocity(state, bounce.velocity)
            plain = watch.time("assemble", self.settings.assemble, state, contacts, limits)
            known, snapshot = watch.time("assemble", self._look, plain, contacts, state, memory)
        answer = self._solved(plain, known, snapshot, limits, state, memory, solve, watch)
        if bounce.impulses is None:
            return answer
        return replace(answer, impulses=answer.impulses + bounce.impulses, earlier=bounce.solutions + answer.earlier)

    def _look(
        self, plain: ContactProblem, contacts: Contacts, state: State, memory: Memory | None
    ) -> tuple[Array, ContactSnapshot]:
        settings = self.settings
        known = self.laws.known(plain, contacts, state, settings.h, settings.max_recovery_speed)
        slip = slips(plain, known, settings.velocity(state))
        law = None if memory is None else memory.law
        return known, self.laws.snapshot(contacts, state, law, slip, settings.h, settings.max_recovery_speed)

    def _bounce(
        self,
        plain: ContactProblem,
        known: Array,
        snapshot: ContactSnapshot,
        state: State,
        memory: Memory | None,
        solve: Solve,
    ) -> Bounce:
        velocity = self.settings.velocity(state)
        if self.impacts is None or not self.impacts.may_bounce(snapshot):
            return Bounce(velocity)
        terms = self.laws.surfaces(snapshot, state)
        level = changed(self._without_springs(plain), known, terms)
        loads = np.zeros(snapshot.count) if memory is None else memory.loads(snapshot.contacts)
        kick = plain.free_velocity - velocity
        return self.impacts.bounce(level, snapshot, terms, velocity, kick, loads, solve)

    def _solved(
        self,
        plain: ContactProblem,
        known: Array,
        snapshot: ContactSnapshot,
        limits: NearLimits,
        state: State,
        memory: Memory | None,
        solve: Solve,
        watch: Stopwatch,
    ) -> Answer:
        """Solve, and again while contacts have to yield or need not."""
        contacts, n = snapshot.contacts, snapshot.count
        pinned = snapshot.memory.has(YIELDING) & np.isfinite(snapshot.laws.yield_force)
        mobility = plain.N_diagonal[: 3 * n].reshape(n, 3)[:, 0]
        earlier: list[Solution] = []
        released = np.zeros(n, dtype=np.bool_)
        for _ in range(MOST_YIELDS):
            terms = watch.time("assemble", self.laws.terms, snapshot, state, pinned)
            problem = watch.time("assemble", changed, plain, known, terms)
            guess = self.settings.guess(memory, contacts, limits, state, problem)
            solution, rank = watch.time("solve", solve, problem, guess)
            slip = slips(plain, known, solution.velocity)
            response = ContactResponse.of(terms, slip, problem, solution, mobility)
            # The lift of a sliding contact may ask for more than the yield force: then it stays pinned.
            wanted = next_pinned(snapshot, terms, response) | (pinned & released)
            if np.array_equal(wanted, pinned):
                break
            released |= pinned & ~wanted
            pinned = wanted
            earlier.append(solution)
        else:
            solution = replace(earlier.pop(), status=Status.STALLED)
        law = remembered(snapshot, terms, response)
        stored = stored_energy(snapshot, response, law)
        old = LawMemory.fresh(NOBODY) if memory is None or memory.law is None else memory.law
        contacts = replace(contacts, friction=terms.friction)
        return Answer(
            contacts, problem, solution, rank, response.impulses, old.followed_by(law), stored, tuple(earlier)
        )

    def _without_springs(self, plain: ContactProblem) -> ContactProblem:
        """The problem with the masses alone: an impact is too short for springs and dampers to act."""
        mass = self.settings.assembler.masses.matrix
        return plain if plain.mass is mass else plain.changed(H=mass)

    def _with_velocity(self, state: State, velocity: Array) -> State:
        movable = self.settings.assembler.masses.movable
        v, w = state.velocity.copy(), state.angular_velocity.copy()
        new = velocity.reshape(-1, 6)
        v[movable], w[movable] = new[:, :3], new[:, 3:]
        return replace(state, velocity=v, angular_velocity=w)

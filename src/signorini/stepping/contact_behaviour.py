"""The contact model that the materials of a model require."""

from __future__ import annotations

from signorini.assembly.displace import Displacer
from signorini.assembly.laws.contact_laws import ContactLaws
from signorini.collision.detector import Detector
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.stepping.contact_model import ContactModel
from signorini.stepping.impacts.bounce import Impacts
from signorini.stepping.impacts.strike_geometry import StrikeGeometry
from signorini.stepping.material_contact import MaterialContact
from signorini.stepping.rigid_contact import RigidContact, StepSettings

CLOSED = 1e-3
"""Gaps up to this share of the smallest margin are closed, as far as bonds are concerned."""


def contact_model(
    model: Model, settings: StepSettings, margin: float, lag: float = 0.5, detector: Detector | None = None
) -> ContactModel:
    """Rigid contacts with friction where materials have nothing else, otherwise the laws of the materials.

    `lag` is the time, in steps, by which velocities are behind positions (see `impacts.instants`). With a detector,
    contacts are detected where they strike.
    """
    laws = ContactLaws.of(model, settings.assembler.masses, CLOSED * margin, settings.law == "coulomb")
    if laws is None:
        return RigidContact(settings)
    bouncing, mid_step = any(one.restitution > 0 for one in _materials(model)), not stores_energy(model)
    if not bouncing:
        return MaterialContact(settings, laws, None, mid_step=mid_step)
    impacts = Impacts(model.impact, settings.law == "coulomb", lag)
    displacer = Displacer.of(model, settings.assembler.masses)
    geometry = None if detector is None else StrikeGeometry(detector, displacer, min(margin, 1.0))
    return MaterialContact(settings, laws, impacts, geometry, mid_step)


def stores_energy(model: Model) -> bool:
    """Whether contacts are springs by Hertz's law or in shear, or bonds.

    These are taken at the end of a step, as in implicit Euler: it is the energy there that they never raise. Models
    whose springs are all linear ones along the normal take them in its middle (see `assembly.laws.springs`).
    """
    return any(one.young is not None or one.tangential_compliance > 0 or one.cohesion > 0 for one in _materials(model))


def has_springs(model: Model) -> bool:
    """Whether contacts may hold energy at the start of a run."""
    return stores_energy(model) or any(one.compliance > 0 for one in _materials(model))


def _materials(model: Model) -> list[Material]:
    """Of bodies, flexible ones included, and of pairs."""
    known = [body.material for _, _, body in model.bodies.kinds] + [pair.material for pair in model.pair_materials]
    return known + [body.material for body in model.flexibles]

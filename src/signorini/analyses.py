"""Analyses of mechanisms without a simulation, and of the granular flow in a run."""

from __future__ import annotations

from signorini.simulation.analyses.assembling import assemble_positions as assemble_positions
from signorini.simulation.analyses.flow import crossings as crossings
from signorini.simulation.analyses.flow import grid_averages as grid_averages
from signorini.simulation.analyses.kinematics import kinematic_analysis as kinematic_analysis
from signorini.simulation.analyses.mobility import mobility as mobility
from signorini.simulation.analyses.modes import modes as modes
from signorini.simulation.analyses.reactions import joint_reactions as joint_reactions
from signorini.simulation.analyses.statics import static_equilibrium as static_equilibrium

__all__ = [
    "assemble_positions",
    "crossings",
    "grid_averages",
    "joint_reactions",
    "kinematic_analysis",
    "mobility",
    "modes",
    "static_equilibrium",
]

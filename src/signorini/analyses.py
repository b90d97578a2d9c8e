"""Analyses of mechanisms without a simulation."""

from __future__ import annotations

from signorini.simulation.analyses.assembling import assemble_positions as assemble_positions
from signorini.simulation.analyses.kinematics import kinematic_analysis as kinematic_analysis
from signorini.simulation.analyses.mobility import mobility as mobility
from signorini.simulation.analyses.modes import modes as modes
from signorini.simulation.analyses.reactions import joint_reactions as joint_reactions
from signorini.simulation.analyses.statics import static_equilibrium as static_equilibrium

__all__ = ["assemble_positions", "joint_reactions", "kinematic_analysis", "mobility", "modes", "static_equilibrium"]

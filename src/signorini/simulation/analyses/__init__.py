"""Analyses of mechanisms besides simulation in time: assembly, mobility, statics, kinematics, reactions."""

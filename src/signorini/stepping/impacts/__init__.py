"""Impacts: with restitution before the step, without it at its end."""

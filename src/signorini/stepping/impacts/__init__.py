"""Impacts with restitution, before the step."""

"""Impacts: what restitution gives back, before the step goes on."""

"""Drives steps, handles failed solves, feeds the recorder."""

"""Drives steps, decides what to do about failed solves, feeds the recorder."""

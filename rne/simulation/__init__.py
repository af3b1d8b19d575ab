"""Simulation in time."""

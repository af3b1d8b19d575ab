"""Simulation of motions over time."""

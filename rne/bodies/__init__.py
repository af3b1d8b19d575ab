"""Rigid bodies: inertia, shapes, motion of a free body."""

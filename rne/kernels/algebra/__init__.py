"""Vectors, rotations and inertias in kernels."""

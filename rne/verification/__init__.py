"""Verification of the fast functions on a given robot."""

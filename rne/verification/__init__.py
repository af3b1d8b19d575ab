"""Checks of the fast functions on the user's own robot."""

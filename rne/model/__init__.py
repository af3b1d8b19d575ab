"""Robots: trees of bodies and joints as files give them, and the link table they become."""

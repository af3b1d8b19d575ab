"""Robots: trees of bodies and joints as given in files, and the link table compiled from them."""

"""Regressor, base parameters, excitation, and identification of parameters."""

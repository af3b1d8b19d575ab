"""Pytest looks into every module for examples; this one cannot be imported where CasADi is not installed."""

collect_ignore = ["casadi_c.py"]

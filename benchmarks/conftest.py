"""Pytest searches every module for doctests; this one cannot be imported unless CasADi is installed."""

collect_ignore = ["casadi_c.py"]

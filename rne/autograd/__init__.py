"""Dynamics as operations that can be differentiated, for the automatic differentiation of other libraries.

`operations` describes each function on numpy arrays together with its pullback (vector times Jacobian), which is
written in terms of other operations. `functions` makes the public functions of them. `rne.torch` and `rne.jax` only
register an operation with their library and convert arrays.
"""

"""Names of the operations that a straight line of code is made of; no numba here.

A node is a tuple of an operation and its operands, which are places of earlier nodes; but `CONST` has its value, and
`INPUT` the name of an argument and an index.
"""

from __future__ import annotations

CONST, INPUT, ADD, SUB, MUL, DIV, NEG = "const", "input", "add", "sub", "mul", "div", "neg"
# Of operands a, b and c: a * b + c, c - a * b and a * b - c, rounded once.
FMA, FNMA, FMS = "fma", "fnma", "fms"
# Sine, cosine and exponential of a; b, c or zero by the sign of a; whether a is b or less.
SIN, COS, EXP, SIGN, BELOW = "sin", "cos", "exp", "sign", "below"
# Of a reduced angle: sine and cosine turned by the quarter turns in the low bits of a; whether a is beyond b in size.
QUARTER_SIN, QUARTER_COS, BEYOND = "quarter sin", "quarter cos", "beyond"

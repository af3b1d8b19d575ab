"""The columns of the flat table that every kernel reads: one row a link, row 0 the base, then one row a coupling.

Numbers only, no numba. `rne.model.link_table` writes the table and the kernels read it; all others ask the link table
by name. One array argument costs 60 ns a call, eight cost 480; hence one array, with the few integers kept as floats.

Frames are in normal form: from the frame of the parent to that of the link it is

    move by P . Rz(TURN) . Rx(ALPHA) . Rz(OFFSET) . joint motion along or about z

where TURN is zero for one child of every link, so that a rotation between neighbors costs 8 multiply-adds a vector,
not 9 plus more (Khalil and Kleinfinger 1986). P is given in the axes of the parent.
"""

from __future__ import annotations

# Row 0, the base.
LINKS = 0  # number of links
COORDINATES = 1  # number of coordinates; less than LINKS where joints mimic others
GRAVITY = 2  # acceleration of free fall in base axes, columns 2 to 4, m/s^2
MIMIC = 5  # 1 if any joint is not a coordinate of its own, one to one
COUPLINGS = 6  # number of springs and dampers between joints

# Rows 1 to LINKS. Structure:
PARENT = 0  # row of the parent; parents stand before their children
KIND = 1  # REVOLUTE or PRISMATIC
COORDINATE = 2  # which entry of q this joint reads; with MIMIC, of the expanded q
FOLLOWS = 3  # 1 if the parent is the row before: its state is still at hand
KEEP = 4  # 1 if the state must be kept, for a child that is not the row after (row 0 has it, too)
# Frames:
COS_TURN, SIN_TURN, HAS_TURN = 5, 6, 7
PX, PY, PZ = 8, 9, 10
COS_ALPHA, SIN_ALPHA = 11, 12
COS_OFFSET, SIN_OFFSET = 13, 14
# What is left of the body after regrouping (Gautier and Khalil 1990): all of it that the joint cannot feel apart from
# the body of the parent has moved there. A revolute link keeps its first moments HX, HY and second moments XX, YY, XY,
# XZ, YZ (integrals of x x dm and so on, about the origin); a prismatic link keeps its mass alone.
MASS = 15
HX, HY = 16, 17
XX, YY, XY, XZ, YZ = 18, 19, 20, 21, 22
# Drive, on the joint side:
ROTOR = 23
VISCOUS, COULOMB_PLUS, COULOMB_MINUS = 24, 25, 26
STIFFNESS, REST = 27, 28
# Coordinate reduction: q_joint = RATIO * q[LEADER] + SHIFT.
RATIO, SHIFT, LEADER = 29, 30, 31
# The complete body in the same frame: mass, first moments, second moments.
FULL_MASS = 32
FULL_HX, FULL_HY, FULL_HZ = 33, 34, 35
FULL_XX, FULL_YY, FULL_ZZ, FULL_XY, FULL_XZ, FULL_YZ = 36, 37, 38, 39, 40, 41
# No larger inertia is ever felt by the joint while slides keep their limits, kg m^2 or kg: the measure of a tiny one.
BOUND = 42

WIDTH = 43

# Rows LINKS + 1 to LINKS + COUPLINGS: what a coupling sees is OF_FIRST times the joint of row FIRST and OF_SECOND times
# that of row SECOND. Spring and friction stand in the columns of a drive, as if this were a joint.
FIRST, SECOND = 0, 1
OF_FIRST, OF_SECOND = 2, 3

REVOLUTE = 0.0
PRISMATIC = 1.0

# Loads of a joint besides the rigid bodies, to be added up in the argument `loads`.
FRICTION = 1
SPRINGS = 2

# What the mass matrix is to be, added up in the argument `kind`.
WITH_ROTORS = 1
INVERSE = 2

# The table of sites, points of links where wrenches act or motion is wanted: row of the link, 1 if what is given or
# wanted is in the frame's own axes, rotation (row by row) and origin of the frame in that of the link.
SITE_ROW, SITE_OWN_AXES, SITE_ROTATION, SITE_ORIGIN = 0, 1, 2, 11
SITE_WIDTH = 14

# The rows of a state, a column a joint: what is given of a motion, what is asked for, sine and cosine of the positions.
Q, QD, QDD, TAU, SIN_Q, COS_Q = range(6)
STATE = 6

# The columns of scratch, a row a link, that all sweeps in link frames share: cosine and sine of the turn of the joint,
# force and moment about the origin of the link.
COS, SIN, FORCE, MOMENT = 0, 1, 2, 5
SWEEP = 8

# Starting a thread's share of a batch costs some 20 us; below this many samples times joints it has too little to do.
WORTH_A_THREAD = 20_000

"""The columns of the table that every kernel reads: row 0 for the base, a row per link, then a row per coupling.

Numbers only, no numba. `rne.model.link_table` writes the table and the kernels read it; other modules use the named
accessors of the link table. One array argument costs 60 ns per call, eight cost 480 ns; hence one array, in which the
few integers are stored as floats.

Frames are in normal form. The frame of the parent becomes that of the link by

    translation P . Rz(TURN) . Rx(ALPHA) . Rz(OFFSET) . joint motion along or about z

where TURN is zero for one child of every link, so that a rotation between neighbors costs 8 multiply-adds per vector
instead of more than 9 (Khalil and Kleinfinger 1986). P is given in the axes of the parent.
"""

from __future__ import annotations

# Row 0, the base.
LINKS = 0  # number of links
COORDINATES = 1  # number of coordinates; less than LINKS where joints mimic others
GRAVITY = 2  # gravitational acceleration in base axes, columns 2 to 4, m/s^2
INDIRECT = 5  # 1 if the columns of a state are not the coordinates of the caller: with MIMIC, and if the base floats
COUPLINGS = 6  # number of springs and dampers between joints
BASE = 7  # columns of a state in front of those of the joints: 7 if the base floats, otherwise 0
MIMIC = 8  # 1 if any joint is not identical with one coordinate
# The regrouped body of a base that floats: mass, first and second moments, ten numbers in the order of FULL_MASS on.
BASE_MASS = 15

# Rows 1 to LINKS. Structure:
PARENT = 0  # row of the parent; parents come before their children
KIND = 1  # REVOLUTE or PRISMATIC
COORDINATE = 2  # column of this joint in a state: with MIMIC, by rows; BASE columns come before those of joints
FOLLOWS = 3  # 1 if the parent is the previous row: its state is still in registers
KEEP = 4  # 1 if the state must be stored, for a child that is not the next row (also in row 0)
# Frames:
COS_TURN, SIN_TURN, HAS_TURN = 5, 6, 7
PX, PY, PZ = 8, 9, 10
COS_ALPHA, SIN_ALPHA = 11, 12
COS_OFFSET, SIN_OFFSET = 13, 14
# The body after regrouping (Gautier and Khalil 1990): what the joint cannot distinguish from the body of the parent has
# moved to the parent. A revolute link keeps its first moments HX, HY and second moments XX, YY, XY, XZ, YZ (integrals
# of x x dm and so on, about the origin); a prismatic link keeps its mass only.
MASS = 15
HX, HY = 16, 17
XX, YY, XY, XZ, YZ = 18, 19, 20, 21, 22
# Drive, on the joint side:
ROTOR = 23
VISCOUS, COULOMB_PLUS, COULOMB_MINUS = 24, 25, 26
STIFFNESS, REST = 27, 28
# Coordinate reduction: q_joint = RATIO * q[LEADER] + SHIFT. LEADER is the index in qd; if the base floats, q has one
# number more than qd.
RATIO, SHIFT, LEADER = 29, 30, 31
# The complete body in the same frame: mass, first moments, second moments.
FULL_MASS = 32
FULL_HX, FULL_HY, FULL_HZ = 33, 34, 35
FULL_XX, FULL_YY, FULL_ZZ, FULL_XY, FULL_XZ, FULL_YZ = 36, 37, 38, 39, 40, 41
# Upper bound of the inertia seen by the joint while prismatic joints are within their limits, kg m^2 or kg.
BOUND = 42

# Friction beyond viscous and Coulomb friction, see `rne.Drive`: 1 if there is any; the offset; factors of the square
# and the cube of the velocity; the Stribeck friction and one over its velocity; one over the velocity of tanh.
CURVED, OFFSET, QUADRATIC, CUBIC, STRIBECK, STRIBECK_RATE, SMOOTH_RATE = 43, 44, 45, 46, 47, 48, 49

WIDTH = 50

# Rows LINKS + 1 to LINKS + COUPLINGS: the stretch of a coupling is OF_FIRST times the joint of row FIRST plus OF_SECOND
# times that of row SECOND. Spring and friction are in the columns of a drive, as for a joint.
FIRST, SECOND = 0, 1
OF_FIRST, OF_SECOND = 2, 3

REVOLUTE = 0.0
PRISMATIC = 1.0

# Loads of a joint besides the rigid bodies; the argument `loads` is a sum of these.
FRICTION = 1
SPRINGS = 2

# Variants of the mass matrix; the argument `kind` is a sum of these.
WITH_ROTORS = 1
INVERSE = 2

# The table of sites, the points of links where wrenches act or motion is calculated: row of the link, 1 if vectors are
# in the axes of the frame (0: of the base), rotation (row by row) and origin of the frame in that of the link.
SITE_ROW, SITE_OWN_AXES, SITE_ROTATION, SITE_ORIGIN = 0, 1, 2, 11
SITE_WIDTH = 14

# The rows of a state, one column per joint: the given motion, the result, sine and cosine of the positions. Where the
# base floats, its columns come first: x y z qx qy qz qw in row Q, linear and angular components from column 1 on in QD,
# QDD and TAU.
Q, QD, QDD, TAU, SIN_Q, COS_Q = range(6)
STATE = 6
BASE_POSITION, BASE_QUATERNION = 0, 3
BASE_LINEAR, BASE_ANGULAR = 1, 4

# The columns of scratch, one row per link, that all sweeps in link frames share: cosine and sine of the joint rotation,
# force and moment about the origin of the link.
COS, SIN, FORCE, MOMENT = 0, 1, 2, 5
SWEEP = 8

# Starting a thread costs about 20 us; with fewer samples times joints than this, that is not worthwhile.
WORTH_A_THREAD = 20_000

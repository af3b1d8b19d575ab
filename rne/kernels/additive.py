"""Coefficients of the additive Runge-Kutta method that integrates damping implicitly and everything else explicitly.

Source: Kennedy, Carpenter, "Additive Runge-Kutta schemes for convection-diffusion-reaction equations", Applied
Numerical Mathematics 44 (2003), ARK4(3)6L[2]SA: six stages, fourth order, implicit part L-stable and stiffly accurate.
"""

from __future__ import annotations

import numpy as np

STAGES = 6
GAMMA = 0.25
NODES = (0.0, 1 / 2, 83 / 250, 31 / 50, 17 / 20, 1.0)
WEIGHTS = (82889 / 524892, 0.0, 15625 / 83664, 69875 / 102672, -2260 / 8211, 1 / 4)
EXPLICIT = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [1 / 2, 0.0, 0.0, 0.0, 0.0],
        [13861 / 62500, 6889 / 62500, 0.0, 0.0, 0.0],
        [
            -116923316275 / 2393684061468, -2731218467317 / 15368042101831, 9408046702089 / 11113171139209,
            0.0, 0.0,
        ],
        [
            -451086348788 / 2902428689909, -2682348792572 / 7519795681897, 12662868775082 / 11960479115383,
            3355817975965 / 11060851509271, 0.0,
        ],
        [
            647845179188 / 3216320057751, 73281519250 / 8382639484533, 552539513391 / 3454668386233,
            3354512671639 / 8306763924573, 4040 / 17871,
        ],
    ]
)  # fmt: skip
# Without the diagonal, which is zero in the first row and GAMMA in the others.
IMPLICIT = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [1 / 4, 0.0, 0.0, 0.0, 0.0],
        [8611 / 62500, -1743 / 31250, 0.0, 0.0, 0.0],
        [5012029 / 34652500, -654441 / 2922500, 174375 / 388108, 0.0, 0.0],
        [15267082809 / 155376265600, -71443401 / 120774400, 730878875 / 902184768, 2285395 / 8070912, 0.0],
        [82889 / 524892, 0.0, 15625 / 83664, 69875 / 102672, -2260 / 8211],
    ]
)

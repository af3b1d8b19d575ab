"""Independent reference: Lagrangian dynamics with homogeneous transforms and pseudo-inertias, in plain numpy.

Based on R. P. Paul, "Robot Manipulators" (MIT Press 1981), chapter 6; the same equations are in Cai, "Robotics", and in
Fu, Gonzalez, Lee, "Robotics" (1987), section 3.2. T_p places the frame of body p in the base, J_p is its 4x4
pseudo-inertia, and with L = K - P the Lagrange equations of all coordinates q_i are

    tau_i = sum_j D_ij qdd_j + Ia_i qdd_i + sum_jk D_ijk qd_j qd_k + D_i

    D_ij  = sum_p Tr( dT_p/dq_j  J_p  dT_p^T/dq_i )             effective and coupling inertias
    D_ijk = sum_p Tr( d2T_p/dq_j dq_k  J_p  dT_p^T/dq_i )       centripetal (j = k) and Coriolis coefficients
    D_i   = - sum_p m_p g^T dT_p/dq_i rbar_p                    gravity

No calculation is shared with the fast functions of `rne`: the starting point is the tree of the file, every body keeps
its own frame, and a fixed joint is a constant transform. The purpose is verification and readability, not speed: the
cost grows as n^4, and D_ijk of a batch takes memory of n^3 per sample.

Drives are added joint by joint: the reflected inertia Ia_i of the rotor, the spring k_i (q_i - rest_i), and friction on
request; then springs and dampers between joints.
"""

from rne.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)

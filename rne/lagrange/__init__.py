"""The second opinion: the same robot by Lagrange, with homogeneous transforms and pseudo-inertias, in plain numpy.

After R. P. Paul, "Robot Manipulators" (MIT Press 1981), chapter 6; the same equations stand in Cai, "Robotics", and in
Fu, Gonzalez, Lee, "Robotics" (1987), section 3.2. T_p places the frame of body p in the base, J_p is its 4x4
pseudo-inertia, and with L = K - P the Lagrange equations of all coordinates q_i are

    tau_i = sum_j D_ij qdd_j + Ia_i qdd_i + sum_jk D_ijk qd_j qd_k + D_i

    D_ij  = sum_p Tr( dT_p/dq_j  J_p  dT_p^T/dq_i )             effective and coupling inertias
    D_ijk = sum_p Tr( d2T_p/dq_j dq_k  J_p  dT_p^T/dq_i )       centripetal (j = k) and Coriolis coefficients
    D_i   = - sum_p m_p g^T dT_p/dq_i rbar_p                    gravity

It shares no calculation with the fast functions of `rne`: it starts from the tree that the file describes, takes every
body in its own frame, and a fixed joint as a constant transform. It is there to check them and to be read, not to be
fast: the work grows as n^4, and D_ijk of a batch takes room as n^3 a sample.

Drives are added joint by joint: the reflected inertia Ia_i of the rotor, the spring k_i (q_i - rest_i), and friction
where it is asked for; then springs and dampers between joints.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

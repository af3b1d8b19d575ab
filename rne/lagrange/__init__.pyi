"""The public names of rne.lagrange, each written once."""

from .chain import transform_derivatives as transform_derivatives
from .chain import transforms as transforms
from .dynamics import coriolis_vector as coriolis_vector
from .dynamics import forward_dynamics as forward_dynamics
from .dynamics import friction_torque as friction_torque
from .dynamics import inverse_dynamics as inverse_dynamics
from .dynamics import spring_torque as spring_torque
from .energy import kinetic_energy as kinetic_energy
from .energy import potential_energy as potential_energy
from .paul import differential_operator as differential_operator
from .paul import differential_vectors as differential_vectors
from .paul import paul_gravity_vector as paul_gravity_vector
from .paul import paul_inertia_matrix as paul_inertia_matrix
from .pseudo import inertia_to_pseudo as inertia_to_pseudo
from .pseudo import pseudo_inertia as pseudo_inertia
from .pseudo import pseudo_to_inertia as pseudo_to_inertia
from .terms import christoffel as christoffel
from .terms import coriolis_matrix as coriolis_matrix
from .terms import gravity_vector as gravity_vector
from .terms import inertia_matrix as inertia_matrix

"""The drive of a joint: rotor, friction and spring."""

from __future__ import annotations

from dataclasses import dataclass

OF_CURVES = {"offset": 1, "smoothing": -1, "stribeck": 1, "stribeck_velocity": -1, "quadratic": 3, "cubic": 4}
"""Numbers of friction beyond viscous and Coulomb friction, with the powers of the gear ratio from motor to joint."""


def at_joint(key: str, ratio: float) -> float:
    """Return the factor of one of `OF_CURVES` from the motor side to the joint side; an offset has a direction."""
    return ratio if key == "offset" else float(abs(ratio) ** OF_CURVES[key])


@dataclass(frozen=True)
class Drive:
    """Rotor, friction and spring of the drive of a joint, in SI units.

    Friction is on the joint side here; in a DH row it is on the motor side, like the rotor inertia. With v the velocity
    and C `coulomb_plus` or `coulomb_minus`, the torque that overcomes it is::

        viscous v + quadratic v abs(v) + cubic v^3 + offset
            + sign(v) (C + stribeck exp(-abs(v) / stribeck_velocity)) tanh(abs(v) / smoothing)

    where a `smoothing` of zero stands for a hyperbolic tangent of one: then the joint may stick at rest. Armstrong-
    Hélouvry, Dupont, Canudas de Wit, Automatica 30 (1994), survey such laws.

    Parameters
    ----------
    rotor_inertia : inertia of the rotor on the motor side, kg m^2 (for a prismatic joint an equivalent mass, kg).
    gear_ratio : motor revolutions per joint revolution; the inertia at the joint is `gear_ratio**2 * rotor_inertia`,
        whatever the sign.
    viscous : viscous friction on the joint side, N m s/rad or N s/m.
    coulomb_plus, coulomb_minus : magnitude of the Coulomb friction on the joint side for positive and for negative
        velocity, N m or N.
    offset : torque that does not depend on the velocity, N m or N.
    smoothing : velocity over which Coulomb and Stribeck friction rise, rad/s or m/s; zero for a jump.
    stribeck, stribeck_velocity : additional friction where motion starts, N m or N, and the velocity over which it
        fades, rad/s or m/s.
    quadratic, cubic : factors of v abs(v), N m s^2/rad^2 or N s^2/m^2, and of v^3.
    stiffness, rest : joint spring `stiffness * (q - rest)`, N m/rad or N/m.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml").with_drives({"elbow": rne.Drive(viscous=0.5)})
    >>> rne.friction_torque(arm, [1.0, 2.0])
    array([0., 1.])
    >>> smooth = rne.Drive(coulomb_plus=2.0, coulomb_minus=2.0, smoothing=0.1)
    >>> rne.friction_torque(arm.with_drives({"elbow": smooth}), [0.0, 0.05]).round(6)
    array([0.      , 0.924234])
    """

    rotor_inertia: float = 0.0
    gear_ratio: float = 1.0
    viscous: float = 0.0
    coulomb_plus: float = 0.0
    coulomb_minus: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    offset: float = 0.0
    smoothing: float = 0.0
    stribeck: float = 0.0
    stribeck_velocity: float = 0.0
    quadratic: float = 0.0
    cubic: float = 0.0

    @property
    def reflected_inertia(self) -> float:
        """Inertia of the rotor reflected to the joint."""
        return self.gear_ratio * self.gear_ratio * self.rotor_inertia  # ** raises an error where it overflows

    @property
    def curved(self) -> bool:
        """Whether there is more friction than viscous friction and Coulomb friction that jumps."""
        return any(getattr(self, key) for key in OF_CURVES)

    @property
    def curves_at_motor(self) -> dict[str, float]:
        """Numbers of friction beyond viscous and Coulomb friction that are not zero, on the motor side."""
        numbers = {key: getattr(self, key) / at_joint(key, self.gear_ratio) for key in OF_CURVES}
        return {key: value for key, value in numbers.items() if value}

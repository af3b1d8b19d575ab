"""The methods of a robot that write it to files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rne.check import check_choice
from rne.export import dh, mjcf, urdf
from rne.export.document import finished
from rne.model.floating import OF_POSITION, OF_VELOCITY, refuse_floating

if TYPE_CHECKING:
    from rne.model.tree import Tree


class Writing:
    """A robot that can be written: a tree, and the order of its coordinates."""

    __slots__ = ()

    tree: Tree
    joint_names: tuple[str, ...]

    def to_urdf(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the robot as URDF, and write it to a file if one is named.

        Payloads are links, locked joints are fixed ones. Rotors and springs are in the elements of Drake and Gazebo,
        which `rne.load` reads on request. A base that floats hangs on a floating joint under a link for the world.

        Parameters
        ----------
        path : file to write, ``.urdf`` or ``.xml``; complete or absent.

        Raises
        ------
        ArgumentError
            The path is not that of a URDF file.
        ModelError
            A name is not allowed in XML.

        Warns
        -----
        ModelWarning
            What URDF cannot hold, by joint: gravity, rotors, springs, friction that differs by direction, couplings.

        Examples
        --------
        >>> import rne
        >>> arm = rne.load("models/panda/robot.urdf", lock={"panda_finger_joint1": 0.02}).with_payload(
        ...     1.0, frame="panda_hand"
        ... )
        >>> again = rne.load_urdf(arm.to_urdf())
        >>> abs(rne.gravity_vector(again, [0.1] * 7) - rne.gravity_vector(arm, [0.1] * 7)).max() < 1e-12
        np.True_
        """
        text, losses = urdf.urdf_of(self.tree, self.joint_names)
        finished(text, path, urdf.SUFFIXES)
        losses.tell(2)
        return text

    def to_mjcf(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the robot as MJCF, the format of MuJoCo, and write it to a file if one is named.

        Rotors, springs, friction and limits of effort are attributes of the joints, mimics are equalities, and springs
        and dampers between joints are tendons. Damping and friction act in `mj_inverse` always. A base that floats has
        a free joint.

        Parameters
        ----------
        path : file to write, ``.xml`` or ``.mjcf``; complete or absent.

        Raises
        ------
        ArgumentError
            The path is not that of an MJCF file.
        ModelError
            A name is not allowed in XML, or is that of MuJoCo's own world.

        Warns
        -----
        ModelWarning
            What MJCF cannot hold, by joint or link: limits of velocity, friction that differs by direction, inertias
            that MuJoCo refuses.

        Examples
        --------
        >>> import rne
        >>> arm = rne.load("models/planar2/robot.dh.toml")
        >>> arm.to_mjcf().splitlines()[1]
        '<mujoco model="planar2">'
        """
        text, losses = mjcf.mjcf_of(self.tree, self.joint_names, (*OF_POSITION, *OF_VELOCITY))
        finished(text, path, mjcf.SUFFIXES)
        losses.tell(2)
        return text

    def to_dh(self, path: str | os.PathLike[str] | None = None, *, convention: str = "modified") -> str:
        """Return the robot as a DH table in TOML, and write it to a file if one is named.

        Every tree has one in the modified convention, with Khalil and Kleinfinger's two parameters for branches; in the
        standard one joints behind the same link have to turn about the same axis. What is bolted together becomes one
        body.

        Parameters
        ----------
        path : file to write, ``.toml``; complete or absent.
        convention : "modified" or "standard", as in `rne.from_dh`.

        Raises
        ------
        ArgumentError
            The path is not that of a TOML file, or the convention is unknown.
        ModelError
            Nothing moves, or a joint that no row of the standard convention can hold, because of where it is.

        Warns
        -----
        ModelWarning
            What a DH table cannot hold: names and frames of links, a base that weighs.

        Examples
        --------
        >>> import rne
        >>> arm = rne.load("models/planar2/robot.dh.toml")
        >>> arm.to_dh(convention="standard").splitlines()[:2]
        ['name = "planar2"', 'convention = "standard"']
        """
        check_choice("convention", convention, dh.CONVENTIONS)
        refuse_floating(self.tree)
        text, losses = dh.dh_of(self.tree, self.joint_names, convention)
        finished(text, path, dh.SUFFIXES)
        losses.tell(2)
        return text

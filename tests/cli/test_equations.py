"""`rne equations`: what the function writes."""

from __future__ import annotations

import numpy as np
from trajectories import Run

import rne

ARM = "models/planar2/robot.dh.toml"


def test_text_latex_and_python(run: Run) -> None:
    equations = rne.equations(rne.load(ARM))
    assert run("equations", ARM).stdout == f"{equations}\n"
    assert run("equations", ARM, "--latex").stdout == f"{equations.latex()}\n"
    assert run("equations", ARM, "--python").stdout == f"{equations.python()}\n"


def test_options_of_the_robot(run: Run) -> None:
    code = run("equations", ARM, "--python", "--lock", "elbow=0.5", "--payload", "2").stdout
    space: dict = {}
    exec(code, space)
    robot = rne.load(ARM, lock={"elbow": 0.5}).with_payload(2.0)
    *_, tau = space["dynamics"]([0.3], [1.0], [2.0])
    np.testing.assert_allclose(tau, rne.inverse_dynamics(robot, [0.3], [1.0], [2.0]), rtol=1e-12)


def test_one_form_at_a_time(run: Run) -> None:
    assert run("equations", ARM, "--latex", "--python").exit_code == 2

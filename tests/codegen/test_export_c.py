"""C of a robot: it compiles without a warning, as C and as C++, and its own test and ours find the right numbers."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import oracles
import pytest
import reference
from c_code import ALL, COMPILERS, call, library, passes
from checks import assert_near, random_tree

import rne

pytestmark = [
    pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning"),
    pytest.mark.skipif(not COMPILERS, reason="there is no compiler"),
]


def all_of(robot):
    frame = robot.frame_names[-1]
    return [*ALL, f"forward_kinematics:{frame}", f"jacobian:{frame}"]


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("model", ["planar2/robot.dh.toml", "scara/robot.dh.toml", "ur5e/robot.urdf"])
def test_all_functions_compile_without_a_warning_and_pass_their_test(compiler, model, tmp_path):
    robot = rne.load(f"models/{model}")
    said = passes(rne.export_c(robot, tmp_path, all_of(robot), name="arm"), compiler, "-O1")
    assert len(said.splitlines()) == len(all_of(robot)) + 1


@pytest.mark.parametrize("flags", [["-O3", "-march=native"], ["-O2", "-ffast-math"]])
def test_fused_or_not_the_numbers_are_the_same(flags, tmp_path):
    passes(rne.export_c(rne.load("models/puma560/robot.dh.toml"), tmp_path), COMPILERS[0].values[0], *flags)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_float(compiler, tmp_path):
    robot = rne.load("models/ur5e/robot.urdf")
    paths = rne.export_c(robot, tmp_path, all_of(robot), dtype="float32", friction=True)
    passes(paths, compiler, "-O1", "-Wdouble-promotion")
    assert "double" not in paths[1].read_text().replace("-Wdouble", "").split("#include", 1)[1]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_payload_and_gravity_as_arguments(compiler, tmp_path):
    robot = rne.load("models/panda/robot.urdf", lock={"panda_finger_joint1": 0.0})
    names = all_of(robot)[:4]
    paths = rne.export_c(robot, tmp_path, names, parameters=("gravity", "payload:panda_hand"), friction=True)
    passes(paths, compiler, "-O1")
    assert "const double gravity[3], const double payload[10], double tau[7]);" in paths[0].read_text()


@pytest.mark.parametrize("seed", range(4))
def test_random_robots_against_plain_numpy(seed, tmp_path):
    """Trees with slides, followers, rotors, springs and dampers, whose names are no names in C."""
    tree = random_tree(seed, 5, couplings=0.4, one_sided=True)
    robot = rne.Robot(tree)
    paths = rne.export_c(robot, tmp_path, ["inverse_dynamics", "mass_matrix"], name="tree", friction=True)
    passes(paths, COMPILERS[0].values[0], "-O1")
    code, rng = library(paths), np.random.default_rng(seed)
    for _ in range(3):
        q, qd, qdd = rng.normal(size=(3, robot.n))
        tau, _ = call(code.tree_inverse_dynamics, robot.n, q, qd, qdd)
        assert_near(tau, reference.torques(tree, q, qd, qdd, friction=True))
        M, _ = call(code.tree_mass_matrix, (robot.n, robot.n), q)
        assert_near(M, reference.mass_matrix(tree, q))


def test_forward_dynamics_is_that_of_pinocchio(tmp_path):
    import pinocchio as pin

    path = oracles.example_urdf("ur10_robot.urdf")
    robot, model = rne.load(path), pin.buildModelFromUrdf(str(path))
    code, data = library(rne.export_c(robot, tmp_path, ["forward_dynamics"], name="ur")), model.createData()
    q, qd, tau = np.random.default_rng(3).normal(size=(3, 6))
    qdd, status = call(code.ur_forward_dynamics, 6, q, qd, tau)
    assert_near(qdd, pin.aba(model, data, q, qd, tau), rtol=1e-11)
    assert status == 0


def test_a_singular_mass_matrix_is_told(tmp_path):
    """Two joints on one axis move the same body, unless the first lies off the axis."""
    rows = [{"joint": "revolute"}, {"joint": "revolute", "a": 1.0, "mass": 1.0}]
    with pytest.raises(rne.SingularError):
        rne.export_c(rne.from_dh(rows, convention="standard"), tmp_path, ["forward_dynamics"])
    rows[0]["a"] = 1.0
    robot = rne.from_dh(rows, convention="standard", gravity=(0, -9.81, 0))
    code = library(rne.export_c(robot, tmp_path, ["forward_dynamics"], name="arm"))
    _, status = call(code.arm_forward_dynamics, 2, [0.3, 0.0], [0.0, 0.0], [1.0, 0.0])
    assert status == 1
    _, status = call(code.arm_forward_dynamics, 2, [0.3, 1.0], [0.0, 0.0], [1.0, 0.0])
    assert status == 0


def test_a_result_may_take_the_place_of_an_argument(tmp_path):
    robot = rne.load("models/planar2/robot.dh.toml")
    code = library(rne.export_c(robot, tmp_path, ["inverse_dynamics"], name="arm"))
    q = (ctypes.c_double * 2)(0.3, 0.5)
    code.arm_inverse_dynamics(q, q, q, q)
    assert_near(list(q), rne.inverse_dynamics(robot, [0.3, 0.5], [0.3, 0.5], [0.3, 0.5]))


def test_what_the_files_say(tmp_path):
    robot = rne.load("models/panda/robot.urdf", lock={"panda_finger_joint1": 0.0})
    header, source, test, cmake = (path.read_text() for path in rne.export_c(robot, tmp_path, name="panda"))
    for text in (header, source):
        assert f"rne {rne.__version__}" in text
        assert "SI units" in text
        assert "panda: 7 joints (7 revolute)" in text
    assert re.findall(r"^#include <(.*)>$", source, re.MULTILINE) == ["math.h"]
    assert "malloc" not in source
    assert "static" not in source
    assert '"panda_joint1"' in source
    assert "panda_upper_limit[7] = {2.8973" in source
    assert "panda.c" in cmake
    assert "int main(void)" in test


def test_names_that_are_none_in_c(tmp_path):
    row = {"joint": "revolute", "a": 1.0, "mass": 1.0, "name": 'a "bent" *\\/ joint?'}
    for name, prefix in (("2-link arm*/", "robot_2_link_arm__"), ("double", "robot_double"), ("Ärm", "_rm")):
        robot = rne.from_dh([row], convention="standard", name=name)
        paths = rne.export_c(robot, tmp_path / prefix)
        passes(paths, COMPILERS[0].values[0])
        assert paths[1].name in (f"{prefix}.c", f"robot_{prefix}.c")


@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no cmake")
def test_cmake_builds_and_tests_it(tmp_path):
    rne.export_c(rne.load("models/planar2/robot.dh.toml"), tmp_path, name="arm")
    build = tmp_path / "build"
    for command in (["cmake", "-S", tmp_path, "-B", build], ["cmake", "--build", build]):
        subprocess.run(command, check=True, capture_output=True)
    done = subprocess.run(["ctest", "--output-on-failure"], cwd=build, check=True, capture_output=True, text=True)
    assert "100% tests passed" in done.stdout


def test_a_wrong_number_fails_the_test_of_the_export(tmp_path):
    """Without a look at what it compares, it could not fail."""
    paths = rne.export_c(rne.load("models/planar2/robot.dh.toml"), tmp_path, ["inverse_dynamics"], name="arm")
    text = paths[1].read_text()
    changed = re.sub(r"(tau\[0\] = )", r"\g<1>1e-9 + ", text)
    assert changed != text
    paths[1].write_text(changed)
    with pytest.raises(AssertionError, match="FAILED"):
        passes(paths, COMPILERS[0].values[0])


def test_what_cannot_be_written(tmp_path):
    robot = rne.load("models/planar2/robot.dh.toml")
    file = Path(tmp_path, "file")
    file.write_text("")
    with pytest.raises(OSError, match="file"):
        rne.export_c(robot, file)
    with pytest.raises(rne.UnknownNameError, match=r"'inverse_dynamic'.*forward_kinematics:FRAME"):
        rne.export_c(robot, tmp_path, ["inverse_dynamic"])
    with pytest.raises(rne.ArgumentError, match="no joint that moves"):
        rne.export_c(robot.with_locked({"shoulder": 0.0, "elbow": 0.0}), tmp_path)
    two = rne.load("models/panda/robot.urdf")
    with pytest.raises(rne.ArgumentError, match=r"parameters: .* 2 tips.*payload:FRAME"):
        rne.export_c(two, tmp_path, parameters=["payload"])

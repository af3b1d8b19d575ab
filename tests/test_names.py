"""A public name is written once, is found without what is not installed, and says what to use where it is another's."""

from __future__ import annotations

import inspect
import os
import pickle
import subprocess
import sys
from operator import attrgetter
from pathlib import Path

import mujoco
import pinocchio
import pytest

import rne
import rne.control
import rne.dask
import rne.doctor
import rne.names
from rne.errors import MissingExtraError, needing

ROOT = Path(__file__).parents[1]

EXTRAS = (
    "pyarrow",
    "matplotlib",
    "dask",
    "viser",
    "trimesh",
    "scipy",
    "sympy",
    "xacro",
    "mujoco",
    "jax",
    "torch",
)
BARE = f"import sys; sys.modules.update(dict.fromkeys({EXTRAS}))\n"  # what None stands for cannot be imported


def python(code: str, *options: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error", *options, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "code",
    [
        "from rne import *; print(inverse_dynamics.__name__, 'dask' in globals())",
        "import rne, pydoc; text = pydoc.render_doc(rne); print('inverse_dynamics' in text, 'LookupError' in text)",
        "import rne; print('inverse_dynamics' in dir(rne), '__version__' in rne.__all__)",
        "import rne, inspect; found = dict(inspect.getmembers(rne)); print('files' in found, 'rnea' in found)",
        "import rne; print(hasattr(rne, 'files'), hasattr(rne, 'rnea'))",
    ],
)
def test_the_core_alone_shows_all_names(code):
    assert python(BARE + code).split() in (["inverse_dynamics", "False"], ["True", "False"])


def test_every_name_can_be_imported_at_once():
    """As SPEC 1 has it: names that lead nowhere are found by importing all of them early."""
    code = "import os; os.environ['EAGER_IMPORT'] = '1'; import rne, rne.doctor; print(len(rne.__all__))"
    assert int(python(code)) == len(rne.__all__)


def test_numba_is_not_imported_to_load_and_look_at_a_robot():
    command = "main(args, standalone_mode=False)"
    code = f"""
import contextlib, os, sys
import rne
assert "numpy" not in sys.modules, "importing rne imports nothing"
rne.load("models/panda/robot.urdf")
from rne.cli import main
with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
    for args in (["info", "models/panda/robot.urdf"], ["check", "models/panda/robot.urdf"]):
        {command}
print("numba" in sys.modules)
"""
    assert python(code) == "False\n"


def test_python_m_rne_is_the_command_line():
    command = [sys.executable, "-m", "rne", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: rne ")


ARM = "arm = rne.load('models/planar2/robot.dh.toml')\n"


@pytest.mark.parametrize(
    ("extra", "package", "code"),
    [
        ("files", "pyarrow", "rne.files.Trajectory"),
        ("files", "pyarrow", "from rne.files.csv_fast import Csv"),
        ("plot", "matplotlib", "rne.plot.torques(arm, None, [[0.0, 0.0]])"),
        ("dask", "dask", "rne.dask.gravity_vector(arm, [0.0, 0.0])"),
        ("jax", "jax", "rne.jax.potential_energy(arm, [0.0, 0.0])"),
        ("torch", "torch", "rne.torch.potential_energy(arm, [0.0, 0.0])"),
        ("view", "viser", "rne.view(arm, browser=False)"),
        ("scipy", "scipy", "rne.simulate(arm, [0.0, 0.0], t=[0.0, 0.1], method='adaptive')"),
        ("sympy", "sympy", "rne.equations(arm)"),
        ("xacro", "xacro", "rne.load('x.urdf.xacro', args={})"),
        ("mujoco", "mujoco", "rne.load_mjcf(arm.to_mjcf())"),
    ],
)
def test_a_missing_extra_is_one_error(extra, package, code, tmp_path):
    (tmp_path / "x.urdf.xacro").write_text("<robot name='x'/>")
    missing = f"""
import rne, os
{ARM}os.chdir({str(tmp_path)!r})
try:
    {code}
except rne.MissingExtraError as error:
    assert isinstance(error, rne.RneError) and isinstance(error, ImportError)
    print(error.extra, error.name.split(".")[0], error)
"""
    told = python(BARE + missing)
    assert told.startswith(f"{extra} {package} ")
    assert told.endswith(f" {package}, which is not installed (pip install 'rne[{extra}]')\n")


def test_a_missing_extra_survives_pickling():
    with pytest.raises(MissingExtraError) as caught, needing("files", "trajectory files need"):
        raise ModuleNotFoundError("No module named 'pyarrow.csv'", name="pyarrow.csv")
    back = pickle.loads(pickle.dumps(caught.value))
    assert (str(back), back.extra, back.name) == (str(caught.value), "files", "pyarrow.csv")


def test_a_package_that_is_broken_says_so_itself():
    with pytest.raises(ImportError, match="undefined symbol") as caught, needing("plot", "rne.plot needs"):
        raise ImportError("undefined symbol")
    assert not isinstance(caught.value, rne.RneError)


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("rnea", "inverse_dynamics"),
        ("crba", "mass_matrix"),
        ("aba", "forward_dynamics"),
        ("inertia", "mass_matrix"),
        ("gravload", "gravity_vector"),
        ("massMatrix", "mass_matrix"),
        ("mj_inverse", "inverse_dynamics"),
        ("fkine", "forward_kinematics"),
        ("GeometricJacobian", "jacobian"),
    ],
)
def test_a_name_of_another_program_says_what_to_use_here(name, here):
    with pytest.raises(AttributeError, match=rf"no attribute '{name}'; \w+ of [\w ]+ is rne\.{here}$"):
        getattr(rne, name)


def test_a_misspelled_name_is_guessed_and_a_strange_one_is_not():
    with pytest.raises(AttributeError, match=r"'mass_matrx'; did you mean 'rne\.mass_matrix'\?$"):
        rne.mass_matrx  # noqa: B018
    for name in ("qwertyuiop", "__wrapped__", "_mass_matrix"):
        with pytest.raises(AttributeError, match=rf"^module 'rne' has no attribute '{name}'$"):
            getattr(rne, name)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("inverse_kinematics", "rne has no inverse kinematics; .*rne.jacobian"),
        ("ikine_LM", "rne has no inverse kinematics"),
        ("njoints", "robot.n is the number of coordinates"),
        ("collision", "rne has no collision detection"),
    ],
)
def test_what_is_not_there_is_told_and_not_guessed(name, told):
    for owner in (rne, rne.load_model("planar2")):
        with pytest.raises(AttributeError, match=f"no attribute '{name}'; {told}"):
            getattr(owner, name)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("mass_matrix", r"; it is a function, rne\.mass_matrix\(robot, \.\.\.\)"),
        ("gravload", r"; gravload of Robotics Toolbox is rne\.gravity_vector"),
        ("joint_name", r"; did you mean 'joint_names'\?"),
        ("qwertyuiop", ""),
        ("_repr_svg_", ""),
    ],
)
def test_an_attribute_that_robots_do_not_have_says_what_to_use(name, told):
    robot = rne.load_model("planar2")
    with pytest.raises(AttributeError, match=f"^a robot has no attribute '{name}'{told}$") as caught:
        getattr(robot, name)
    assert (caught.value.name, caught.value.obj) == (name, robot)
    assert not hasattr(robot, name)


def test_nothing_that_is_there_is_told_to_be_missing():
    words = " ".join(rne.names.ABSENT).split()
    assert len({word.casefold() for word in words}) == len(words)
    theirs = {word.casefold() for row in rne.names.NAMES.values() for words in row for word in words.split()}
    for word in words:
        assert not hasattr(rne.Robot, word)
        assert word not in rne.__all__
        assert word.casefold() not in theirs, word


def test_the_table_names_what_is_there():
    for here in rne.names.NAMES:
        assert attrgetter(here)(rne) is not None
    theirs = list(zip(*rne.names.NAMES.values(), strict=True))
    words = dict(zip(rne.names.LIBRARIES, (" ".join(column).split() for column in theirs), strict=True))
    for name in words["Pinocchio"]:
        assert hasattr(pinocchio, name) or hasattr(pinocchio.robot_wrapper, name), name
    for name in words["MuJoCo"]:
        assert hasattr(mujoco, name) or hasattr(mujoco.MjData, name), name
    for library, names in words.items():
        assert len({name.casefold() for name in names}) == len(names), f"{library}: a name means one function"


def test_the_page_of_names_is_up_to_date():
    """Where it is not: `Path("docs/names.md").write_text(rne.names.as_markdown())`."""
    assert (ROOT / "docs" / "names.md").read_text(encoding="utf-8") == rne.names.as_markdown()


def test_lists_of_jit_and_dask_are_what_they_define():
    assert {"inverse_dynamics", "model", "regressor"} < set(rne.jit.__all__)
    assert {"inverse_dynamics", "mass_matrix", "regressor"} < set(rne.dask.__all__)
    for name in rne.dask.__all__:
        assert getattr(rne.dask, name).by_blocks is getattr(rne, name)
    for name in set(rne.jit.__all__) - {"model", "site", "sites", "joint_sites"}:
        assert callable(getattr(rne, name)), "named as its sister in rne"
    for module in (rne.jit, rne.dask, rne.control):
        assert dir(module) == sorted(module.__all__), "what completion offers"
        defined = [name for name, value in vars(module).items() if inspect.isfunction(value) and name[0] != "_"]
        own = {name for name in defined if getattr(module, name).__module__ == module.__name__}
        assert own - set(module.__all__) == set(), module


@pytest.mark.parametrize("package", [rne, rne.doctor, rne.files, rne.lagrange, rne.plot])
def test_no_module_has_the_name_of_a_public_function_beside_it(package):
    """Importing it would put it in the place of the function."""
    beside = {path.stem for path in Path(package.__file__).parent.iterdir()}
    assert not {name for name in beside & set(package.__all__) if not inspect.ismodule(getattr(package, name))}

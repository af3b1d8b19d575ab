"""Reports are alike: a table when printed, one honest line as a value, plain data for JSON."""

from __future__ import annotations

import dataclasses
import inspect
import json
import pickle
import re
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

import rne
from rne.tables import Report, plain

ARM = rne.load("models/planar2/robot.dh.toml")
Q, QD, QDD = np.random.default_rng(0).normal(size=(3, 40, 2))

MOVED = rne.quintic([0.0, 0.0], [1.0, -1.0], np.linspace(0.0, 1.0, 400), duration=1.0)


def reports():
    base = rne.base_parameters(ARM)
    servo = rne.control.pid(ARM, kp=[40.0, 10.0], goal=[0.5, 0.2])
    simulated = rne.simulate(ARM, [0.0, 0.0], t=np.linspace(0.0, 0.1, 11), tau=servo)
    significance = rne.significance(ARM, Q, QD, QDD)
    yield rne.torque_breakdown(ARM, Q, QD, QDD)
    yield rne.coefficients(ARM, Q)
    yield rne.contact_forward_dynamics(ARM, Q, QD, contacts={"link2": [0]})
    yield rne.contact_impulse(ARM, Q, QD, {"link2": [0]})
    yield rne.contact_inverse_dynamics(ARM, Q, QD, contacts=["link2"], passive=[1])
    yield rne.differentiate(np.arange(40) / 100, Q)
    yield rne.diagnose("models/planar2/robot.dh.toml")
    yield rne.effective_inertia(ARM, Q)
    yield rne.forward_dynamics_derivatives(ARM, Q, QD)
    yield rne.inertia_ellipsoid(ARM, Q[0], "link2")
    yield rne.energy_balance(ARM, Q, QD)
    yield rne.excitation(base, samples=50, tries=2)
    found = rne.identify(ARM, Q, QD, QDD, rne.inverse_dynamics(ARM, Q, QD, QDD) + 0.1 * np.sin(Q))
    yield found
    yield rne.identify_payload(ARM, "link2", Q, QD, QDD, rne.inverse_dynamics(ARM.with_payload(0.5), Q, QD, QDD))
    log = tuple(np.concatenate([x, x[::-1]]) for x in (Q, QD, QDD, QDD))
    yield rne.identify_gains(ARM, ARM.with_payload(1.0), log, log)
    yield rne.identify(ARM, *MOVED, rne.inverse_dynamics(ARM, *MOVED), delay=0.0).delay
    yield found.validate(Q, QD, QDD, rne.inverse_dynamics(ARM, Q, QD, QDD))
    yield rne.inverse_dynamics_derivatives(ARM, Q, QD)
    yield rne.inverse_dynamics_vjp(ARM, Q, QD, QDD, Q)
    yield rne.linearize(ARM, Q)
    yield rne.link_forces(ARM, Q)
    yield rne.residual(ARM, Q, QD, QDD, rne.inverse_dynamics(ARM, Q, QD) + 0.1)
    yield rne.newton_euler_table(ARM, Q[0], QD[0], QDD[0])
    yield significance
    yield significance.terms
    yield simulated
    yield rne.simulate(
        rne.load_model("panda"), np.full(8, 0.1), t=[0.0, 0.1]
    ).limits  # the elbow begins beyond its limit
    yield simulated.tracking()
    yield rne.motor_sizing(ARM, Q, QD, QDD)
    yield rne.verify(ARM, samples=2)
    yield base
    yield rne.residual(ARM, Q, QD, QDD, rne.gravity_vector(ARM, Q), t=np.arange(40) / 100)
    yield rne.velocity_torques(ARM, Q, QD)


REPORTS = {type(report).__name__: report for report in reports()}


def fields(report):
    names = [f.name for f in dataclasses.fields(report)] if dataclasses.is_dataclass(report) else report._fields
    return [name for name in names if not name.startswith("_")]


def test_all_reports_are_looked_at():
    public = {name for name in rne.__all__ if inspect.isclass(getattr(rne, name))}
    assert {name for name in public if issubclass(getattr(rne, name), Report)} == set(REPORTS)
    inner = (cls for cls in map(type, REPORTS.values()) if getattr(rne, cls.__name__) is not cls)
    assert not list(inner)


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_has_the_habits_of_all(name):
    report, cls = REPORTS[name], type(REPORTS[name])
    text, line = str(report), repr(report)
    assert len(text.splitlines()) > 1
    assert text != line
    assert cls.__str__ is Report.__str__
    assert re.fullmatch(rf"{name}\(.+\)", line)
    assert all(f"{field}=" in line for field in fields(report))
    assert len(line) < 1500
    page = ElementTree.fromstring(f"<div>{report._repr_html_()}</div>")  # well-formed
    tables = page.findall("table")
    assert tables
    for table in tables:  # every cell has its column
        lengths = {len(row) for row in table.iter("tr")}
        assert len(lengths) == 1
    words = set(" ".join(page.itertext()).split())
    assert not {word for word in words if "<" in word or ">" in word} - set(text.split())
    copy = pickle.loads(pickle.dumps(report))
    assert str(copy) == text


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_becomes_json_without_loss(name):
    report = REPORTS[name]
    data = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert list(data) == [*fields(report), *report.DERIVED]
    for key, value in data.items():
        given = getattr(report, key)
        if isinstance(given, np.ndarray) and given.dtype.kind in "fiu":
            np.testing.assert_array_equal(np.array(value, dtype=given.dtype).reshape(given.shape), given)
        elif isinstance(given, float | str | bool):
            assert value == given
        elif isinstance(given, rne.Robot):
            assert value == given.name


@pytest.mark.parametrize("name", REPORTS)
def test_attributes_of_a_report_are_described(name):
    text = inspect.getdoc(type(REPORTS[name]))
    section = re.search(r"^Attributes\n-+\n(.*?)(?:\n\n[A-Z]|\Z)", text, re.MULTILINE | re.DOTALL)[1]
    assert set(fields(REPORTS[name])) <= set(re.findall(r"\w+", section))
    for derived in type(REPORTS[name]).DERIVED:
        assert inspect.getdoc(getattr(type(REPORTS[name]), derived))


def test_the_numbers_of_the_page_are_those_of_the_text():
    """Where the page is a table alone, HTML and text have the same words in the same order."""
    for name in ("TorqueBreakdown", "EffectiveInertia", "LinkForces", "MotorSizing", "Tracking", "VelocityTorques"):
        page = ElementTree.fromstring(f"<div>{REPORTS[name]._repr_html_()}</div>")
        assert " ".join(" ".join(page.itertext()).split()) == " ".join(str(REPORTS[name]).split())


def test_a_robot_is_one_line_and_prints_its_tables():
    panda = rne.load_model("panda")
    assert "\n" not in repr(panda)
    page = ElementTree.fromstring(f"<div>{panda._repr_html_()}</div>")
    joints, links = page.findall("table")[0], page.findall("table")[-1]
    rows = [[cell.text or "" for cell in row] for row in joints.iter("tr")]
    assert rows[0][:6] == ["q", "joint", "kind", "lower [rad, m]", "upper [rad, m]", "velocity [rad/s, m/s]"]
    assert rows[4] == ["3", "panda_joint4", "revolute", "-3.0718", "-0.0698", "2.175", "87", "-"]
    masses = [[cell.text for cell in row][2] for row in links.iter("tr")]
    assert masses[0] == "mass [kg]"
    assert sum(float(mass) for mass in masses[1:] if mass != "-") == pytest.approx(panda.total_mass, abs=1e-4)
    assert str(panda).startswith(repr(panda) + "\n")
    for name in panda.joint_names:
        assert name in str(panda)


def test_what_json_does_not_know():
    value = {"a": np.array([1.0, np.nan, -np.inf]), "b": (np.float32(0.5), np.int64(3), np.bool_(True)), "c": np.inf}
    data = plain(value | {"robot": SimpleNamespace(name="arm"), "of": None})
    assert data == {"a": [1.0, "NaN", "-Infinity"], "b": [0.5, 3, True], "c": "Infinity", "robot": "arm", "of": None}
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    np.testing.assert_array_equal(np.array(data["a"], dtype=float), value["a"])


def test_what_is_not_computed_yet_is_not_computed_to_be_shown():
    da = pytest.importorskip("dask.array")
    parts = rne.dask.velocity_torques(ARM, da.zeros((8, 2), chunks=(4, 2)), [1.0, 0.0])
    assert str(parts) == repr(parts) == "VelocityTorques(centripetal=<float64 (8, 2)>, coriolis=<float64 (8, 2)>)"


def test_small_arrays_are_seen_and_names_tell_tables_apart():
    parts = rne.velocity_torques(ARM, [0.0, np.pi / 2], [1.0, 2.0])
    assert repr(parts) == "VelocityTorques(centripetal=[-2. ,  0.5], coriolis=[-2.,  0.])"
    assert str(parts).splitlines() == [
        "coordinate  centripetal  coriolis",
        "1                    -2        -2",
        "2                   0.5         0",
    ]


def test_a_table_of_many_states_has_the_largest_of_them():
    many = rne.effective_inertia(ARM, [[0.0, 0.0], [0.0, np.pi]])
    head, _, first, _ = str(many).splitlines()
    assert head == "largest sizes of 2 states"
    assert first.split()[1] == f"{rne.mass_matrix(ARM, [0.0, 0.0])[0, 0]:.4g}"
    balance = rne.energy_balance(ARM, [[0.0, 0.0]] * 2, [[1.0, 0.0], [0.0, 0.0]])
    assert str(balance).splitlines()[3].split() == ["potential", "19.62"]

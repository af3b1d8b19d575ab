"""Equations of motion in symbols, as the courses write them; extra `sympy`."""

from __future__ import annotations

from numpy import cos, pi, sin

import rne
from rne.examples.registry import example
from rne.examples.sheet import Sheet


@example("L3 (3.15), (3.18), (3.21) to (3.33)", "two_link_point_mass")
def two_link_equations() -> Sheet:
    """The coefficients of the two-link arm in symbols, beside those of the course."""
    rows = [{"joint": "revolute", "a": f"d{k}", "mass": f"m{k}", "theta": theta} for k, theta in ((1, -pi / 2), (2, 0))]
    course = {
        "D11": "(m1+m2) d1^2 + m2 d2^2 + 2 m2 d1 d2 cos th2",
        "D12": "m2 d2^2 + m2 d1 d2 cos th2",
        "D22": "m2 d2^2",
        "D122": "-m2 d1 d2 sin th2",
        "D211": "m2 d1 d2 sin th2",
        "D112": "-m2 d1 d2 sin th2",
        "D1": "(m1+m2) g d1 sin th1 + m2 g d2 sin(th1+th2)",
        "D2": "m2 g d2 sin(th1+th2)",
    }
    sheet = Sheet("theta1 from the downward vertical, theta2 relative to link 1; q1, q2 are the angles.")
    m1, m2, d1, d2, g, th1, th2 = 2.0, 1.3, 0.8, 0.6, 9.81, -1.2, 2.3
    h, s1, s12 = m2 * d1 * d2 * sin(th2), sin(th1), sin(th1 + th2)
    D12 = m2 * d2**2 + m2 * d1 * d2 * cos(th2)
    D11 = (m1 + m2) * d1**2 + m2 * d2**2 + 2 * m2 * d1 * d2 * cos(th2)
    numbers = [D11, D12, m2 * d2**2, -h, h, -h, (m1 + m2) * g * d1 * s1 + m2 * g * d2 * s12, m2 * g * d2 * s12]
    c = rne.coefficients(rne.load_model("two_link_point_mass"), [th1, th2])
    try:
        found = rne.equations(rows, convention="standard", gravity=[0, "-g", 0])
    except rne.MissingExtraError as error:
        sheet.say(error)
    else:
        lines = [f"{name:6}course  {text}\n      rne     {found.coefficients[name]}" for name, text in course.items()]
        sheet.say("\n".join(lines))
        values = {"m1": m1, "m2": m2, "d1": d1, "d2": d2, "g": g, "q1": th1, "q2": th2}
        put_in = found.subs(values).coefficients
        sheet.say("In numbers, of the equations and of the robot:")
        sheet.rows_of(course, numbers, [float(put_in[name]) for name in course])
    sheet.rows_of(course, numbers, [c[tuple(int(k) for k in name[1:])] for name in course])
    return sheet

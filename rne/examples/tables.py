"""Effective inertia with the other joint locked or free: L3 (3.34), (3.35), tables 3.1 to 3.3."""

from __future__ import annotations

import numpy as np

import rne
from rne.examples.registry import example
from rne.examples.sheet import Sheet

NAMES = ("D11", "D12", "D22", "I_L", "I_f")
TABLES: dict[
    tuple[str, int], dict[int, tuple[int, ...]]
] = {  # by number and m2: per angle theta2 the entries as printed
    ("3.1", 1): {0: (3, 2, 1, 3, 2), 90: (4, 1, 1, 4, 3), 180: (2, 0, 1, 2, 2), 270: (4, 1, 1, 4, 3)},
    ("3.2", 4): {0: (18, 8, 4, 18, 2), 90: (10, 4, 4, 10, 3), 180: (2, 0, 4, 2, 2), 270: (10, 4, 4, 10, 3)},
    ("3.3", 100): {0: (402, 200, 100), 90: (202, 100, 100), 180: (2, 0, 100), 270: (202, 100, 100)},
}


@example("L3 (3.34), (3.35), tables 3.1 to 3.3", "two_link_point_mass_paul_values")
def locked_and_free_inertia() -> Sheet:
    """Tables 3.1 to 3.3: inertia with joint 2 locked, I_L, and free, I_f, four entries misprinted."""
    sheet = Sheet("m1 = 2, d1 = d2 = 1, no gravity. I_L = D11; I_f = D11 - D12^2/D22, the inverse of (M^-1)_11.")
    for (number, m2), table in TABLES.items():
        arm = rne.load_model("two_link_point_mass_paul_values").with_payload(m2 - 1)  # the file has m2 = 1
        sheet.say(f"Table {number}, m2 = {m2}:")
        for degrees, printed in table.items():
            q = [0.0, np.radians(degrees)]
            D = rne.mass_matrix(arm, q)
            locked, free = rne.effective_inertia(arm, q)
            c2 = (1, 0, -1, 0)[degrees // 90]
            D11, D12, D22 = 2 + m2 + m2 + 2 * m2 * c2, m2 + m2 * c2, m2
            right = (D11, D12, D22, D11, D11 - D12**2 / D22)
            ours = [D[0, 0], D[0, 1], D[1, 1], locked[0], free[0]]
            known, at = len(printed), f"at {degrees} deg"
            if printed == right[:known]:
                sheet.row(f"{' '.join(NAMES[:known])} {at}", printed, ours[:known])
            else:
                sheet.misprint(f"{' '.join(NAMES)} {at}", printed=printed, right=right, rne=ours)
            if known < len(NAMES):
                sheet.row(f"{' '.join(NAMES[known:])} {at}, not printed", right[known:], ours[known:])
    arm = rne.load_model("two_link_point_mass_paul_values")
    th2 = np.linspace(0, 2 * np.pi, 73)
    turn = np.column_stack([np.zeros(73), th2])
    locked, free = rne.effective_inertia(arm, turn)
    sheet.say("Over a whole turn of theta2 in steps of 5 degrees, m2 = 1:")
    sheet.row("I_L = 4 + 2 c2", 4 + 2 * np.cos(th2), locked[:, 0])
    sheet.row("I_f = 4 + 2 c2 - (1 + c2)^2", 4 + 2 * np.cos(th2) - (1 + np.cos(th2)) ** 2, free[:, 0])
    sheet.plot(lambda: rne.plot.inertia(arm, turn, over="theta2"))
    return sheet

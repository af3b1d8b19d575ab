"""Speed, measured side by side with other people's programs; see README.md beside this file."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

# The random trees and the readers for Pinocchio and MuJoCo are those of the tests.
SUPPORT = str(ROOT / "tests" / "support")
if SUPPORT not in sys.path:
    sys.path.insert(0, SUPPORT)

"""Benchmarks against other libraries; see README.md in this folder."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

# The random trees and the loaders for Pinocchio and MuJoCo are those of the tests.
SUPPORT = str(ROOT / "tests" / "support")
if SUPPORT not in sys.path:
    sys.path.insert(0, SUPPORT)

"""The recipe of docs/cluster.md as it stands there, on a cluster of processes of which one is killed half-way."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from checks import assert_same_bits
from cluster import OneDies
from distributed import Client, LocalCluster

import rne

ROOT = Path(__file__).parents[1]
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "docs/cluster.md").read_text(encoding="utf-8"), re.DOTALL)
PANDA = ROOT / "models" / "panda" / "robot.urdf"
FILES = 24

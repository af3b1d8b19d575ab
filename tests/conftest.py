"""Hypothesis profiles: "default" is quick and always the same; `--hypothesis-profile deep` is for runs by hand."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

# `import reference`, `import strategies` and `import oracles` work from every sub-folder, however pytest is called.
if str(Path(__file__).parent) not in sys.path:
    sys.path.insert(0, str(Path(__file__).parent))

SLOW_IS_FINE = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile(
    "default", max_examples=30, derandomize=True, deadline=None, database=None, suppress_health_check=SLOW_IS_FINE
)
settings.register_profile("deep", max_examples=2000, deadline=None, suppress_health_check=SLOW_IS_FINE, print_blob=True)
settings.load_profile("default")

"""The public names of rne.doctor, each written once."""

from .diagnosis import diagnose as diagnose
from .repair import repair_inertias as repair_inertias
from .repairs import Repair as Repair
from .report import SEVERITIES as SEVERITIES
from .report import Diagnosis as Diagnosis
from .report import Finding as Finding

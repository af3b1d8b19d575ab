"""The model doctor: what is doubtful about a robot, why, and how to mend it."""

from rne.doctor.diagnosis import diagnose
from rne.doctor.repair import Repair, repair_inertias
from rne.doctor.report import SEVERITIES, Diagnosis, Finding

__all__ = ["SEVERITIES", "Diagnosis", "Finding", "Repair", "diagnose", "repair_inertias"]

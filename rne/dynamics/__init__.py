"""Dynamics and kinematics of a robot: the public functions of a state."""

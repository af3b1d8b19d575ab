"""Reports on the torques of a motion."""

"""MJCF, the robot description of MuJoCo, by way of its own compiler."""

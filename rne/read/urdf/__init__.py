"""URDF and xacro files."""

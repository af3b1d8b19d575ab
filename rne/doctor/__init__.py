"""The model doctor: findings about a robot model, their reasons, and how to correct them."""

from rne.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)

"""The model doctor: findings about a robot model, their reasons, and how to correct them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

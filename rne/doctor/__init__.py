"""The model doctor: what is doubtful about a robot, why, and how to mend it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""A gallery: the systems and formulas of five courses on manipulator dynamics, each beside what `rne` gives.

`rne example` lists them and `rne example NAME` shows one; from Python, ``print(examples.run(NAME))``. L0 to L4 are the
courses; `models/lectures/README.md` tells which example shows which of their pages, how their symbols are called here,
and where they misprint. The functions are there to be read and copied: what they compare is the course's own formula,
written out, with a call of `rne`.

>>> from rne import examples
>>> examples.run("rod_pendulum").ok
True
"""

from importlib import import_module

from rne.examples.registry import EXAMPLES, Example, find, run
from rne.examples.sheet import Row, Sheet
from rne.examples.systems import lecture, model_file

__all__ = ["EXAMPLES", "Example", "Row", "Sheet", "find", "lecture", "model_file", "run"]

# In the order in which the courses build up; each module enters its functions into EXAMPLES.
_MODULES = """
    bodies one_joint carts two_link tables two_link_payload turn_and_slide spatial statics motion control design
"""
for _module in _MODULES.split():
    import_module(f"rne.examples.{_module}")

"""A gallery: systems and formulas of five courses on manipulator dynamics, compared with the results of `rne`.

`rne example` lists them and `rne example NAME` shows one; from Python, use ``print(examples.run(NAME))``. L0 to L4 are
the courses; `models/lectures/README.md` lists the pages that each example covers, the correspondence of symbols, and
misprints. The functions are meant to be read and copied: each compares the written-out formula of the course with a
call of `rne`.

>>> from rne import examples
>>> examples.run("rod_pendulum").ok
True
"""

from importlib import import_module

from rne.examples.program import program
from rne.examples.registry import EXAMPLES, Example, find, run
from rne.examples.sheet import Row, Sheet

__all__ = ["EXAMPLES", "Example", "Row", "Sheet", "find", "program", "run"]

# In the order of the courses; each module registers its functions in EXAMPLES.
_MODULES = """
    bodies one_joint carts two_link symbols tables two_link_payload turn_and_slide spatial statics motion control
    design derivatives legs flight
"""
for _module in _MODULES.split():
    import_module(f"rne.examples.{_module}")

"""A good call of every public function, and for every argument the values that must be refused (`bad.py`).

`test_arguments.py` makes one bad call of each; a public function or argument that is missing here fails it.
"""

from calls.bodies import BODY_CALLS
from calls.call import Call
from calls.design import DESIGN
from calls.loading import LOADING
from calls.motions import MOTIONS
from calls.states import STATES

CALLS: tuple[Call, ...] = (*STATES, *LOADING, *BODY_CALLS, *MOTIONS, *DESIGN)

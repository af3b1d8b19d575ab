"""The public names of rne.plot, each written once."""

from .bars import sizing as sizing
from .identified import friction as friction
from .identified import identification as identification
from .maps import significance as significance
from .picture import save as save
from .postures import inertia as inertia
from .postures import phase as phase
from .series import energy as energy
from .series import power as power
from .series import residual as residual
from .series import states as states
from .series import torques as torques
from .series import tracking as tracking
from .terms import breakdown as breakdown

"""The public names of rne.files, each written once."""

from .chunk import Chunk as Chunk
from .chunk import joined as joined
from .columns import Columns as Columns
from .differentiated import Differentiated as Differentiated
from .pipeline import in_order as in_order
from .recorded import signals as signals
from .results import Results as Results
from .times import seconds as seconds
from .trajectory import Trajectory as Trajectory

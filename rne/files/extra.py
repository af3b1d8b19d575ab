"""The packages of the extra `files`, or the error that says how to get them."""

from rne.errors import needing

with needing("files", "trajectory files need"):
    import pyarrow as pa
    from pyarrow import compute, csv, ipc, parquet

__all__ = ["compute", "csv", "ipc", "pa", "parquet"]

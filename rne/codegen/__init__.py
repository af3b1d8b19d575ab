"""Code of one robot alone: its kernels traced into straight lines; as C, as equations, compiled for this process."""

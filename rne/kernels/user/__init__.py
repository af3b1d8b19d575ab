"""The functions of `rne.jit`, for compiled user code: one state of floats, with shapes checked."""

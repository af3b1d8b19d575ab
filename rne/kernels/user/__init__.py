"""What a user's compiled code calls by way of `rne.jit`: one state of floats, with shapes checked."""

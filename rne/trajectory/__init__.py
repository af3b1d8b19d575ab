"""Motion profiles, reference paths, and derivatives of sampled motions."""

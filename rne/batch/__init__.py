"""Arguments and threads of batched calls."""

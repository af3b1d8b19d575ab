"""`python -m rne.cli` is `rne`."""

from rne.cli import main

main(prog_name="rne")

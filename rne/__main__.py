"""`python -m rne` is `rne`, the command line."""

from rne.cli import main

if __name__ == "__main__":
    main(prog_name="rne")

"""`python -m rne` is `rne`, the command line."""


def main() -> None:
    """Run the command line; the entry point of the command `rne`.

    The commands are imported here, so that Ctrl-C while they are leaves no traceback either.

    Raises
    ------
    SystemExit
        At the end, with the exit code.
    """
    try:
        from rne.cli import main as commands
    except KeyboardInterrupt:
        raise SystemExit("Aborted!") from None
    commands(prog_name="rne")


if __name__ == "__main__":
    main()

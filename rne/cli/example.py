"""`rne example`: the gallery of lecture systems, with the numbers of the courses and of rne."""

from __future__ import annotations

import click

import rne
from rne import examples as gallery
from rne.cli.options import examples, say, show
from rne.errors import ArgumentError
from rne.tables import table


@click.command(
    short_help="Compare systems of lectures with their published numbers.",
    epilog=examples(
        "rne example",
        "rne example two_link_point_mass",
        "rne example rod_pendulum --code > pendulum.py",
        "rne example motor_sizing --plot sizing.png",
        "rne example --all",
    ),
)
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Show all examples.")
@click.option("--plot", "picture", metavar="FILE", help="Save the figure of one example as .png, .svg or .pdf.")
@click.option("--code", is_flag=True, help="Print one example as a program of its own.")
def example(names: tuple[str, ...], everything: bool, picture: str | None, code: bool) -> None:
    """Show systems of the lectures, with the numbers of the course and of rne; without a name, list them.

    Exit code 1 if a number differs.
    """
    if names and everything:
        raise click.UsageError("--all cannot be combined with names")
    if code and picture is not None:
        raise click.UsageError("--code and --plot cannot be combined")
    if (code or picture is not None) and len(names) != 1:
        raise click.UsageError(f"{'--code' if code else '--plot'} requires the name of one example")
    if code:
        show(gallery.program(gallery.find(names[0])))
        return
    chosen = list(gallery.EXAMPLES) if everything else list(names)
    if not chosen:
        show(table(["example", "what it shows"], [[name, entry.title] for name, entry in gallery.EXAMPLES.items()]))
        return
    entries, failed = [gallery.find(name) for name in chosen], []
    for k, entry in enumerate(entries):
        title = f"{entry.name}: {entry.title}"
        lines = [title, "=" * len(title), f"course  {entry.source}"]
        lines += [f"robot   {rne.model_path(name)}" for name in entry.systems]
        show("\n\n" * (k > 0) + "\n".join(lines) + "\n")
        sheet = entry.show()
        show(str(sheet))
        if picture is not None:
            _draw(entry.name, sheet, picture)
        if not sheet.ok:
            failed.append(entry.name)
    if failed:
        say(f"course and rne differ in {', '.join(failed)}")
        raise click.exceptions.Exit(1)


def _draw(name: str, sheet: gallery.Sheet, path: str) -> None:
    if sheet.picture is None:
        raise ArgumentError(f"--plot: example {name!r} has no figure")
    rne.plot.save(sheet.picture(), path)

"""`rne example`: the gallery of lecture systems, the course's numbers beside ours."""

from __future__ import annotations

import inspect

import click

import rne
from rne import examples as gallery
from rne.cli.options import examples, say, show
from rne.cli.table import table
from rne.errors import ArgumentError


@click.command(
    epilog=examples(
        "rne example",
        "rne example two_link_point_mass",
        "rne example locked_and_free_inertia --code",
        "rne example motor_sizing --plot sizing.png",
        "rne example --all",
    )
)
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Show all examples.")
@click.option("--plot", "picture", metavar="FILE", help="Save the picture of one example as .png, .svg or .pdf.")
@click.option("--code", is_flag=True, help="Print the code of the example instead, to be read and copied.")
def example(names: tuple[str, ...], everything: bool, picture: str | None, code: bool) -> None:
    """Show systems of the lectures, the numbers of the course beside those of rne; without a name, list them.

    Exit code 1 if some number differs.
    """
    if names and everything:
        raise click.UsageError("--all needs no names")
    if picture is not None and (len(names) != 1 or code):
        raise click.UsageError("--plot needs the name of one example, and no --code")
    chosen = list(gallery.EXAMPLES) if everything else list(names)
    if not chosen:
        show(table(["example", "what it shows"], [[name, entry.title] for name, entry in gallery.EXAMPLES.items()]))
        return
    entries, failed = [gallery.find(name) for name in chosen], []
    for k, entry in enumerate(entries):
        title = f"{entry.name}: {entry.title}"
        lines = [title, "=" * len(title), f"course  {entry.source}"]
        lines += [f"robot   {gallery.model_file(name)}" for name in entry.systems]
        show("\n\n" * (k > 0) + "\n".join(lines) + "\n")
        if code:
            show(inspect.getsource(entry.show))
            continue
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
        raise ArgumentError(f"--plot: example {name!r} has no picture")
    rne.plot.save(sheet.picture(), path)

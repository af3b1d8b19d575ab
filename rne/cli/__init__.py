"""The command line: a client of the public functions, and the only module that prints."""

from __future__ import annotations

import errno
import platform
import warnings
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import click

from rne.cli import (
    bench,
    check,
    equations,
    example,
    excite,
    export,
    identify,
    info,
    plot,
    residual,
    simulate,
    trajectories,
    view,
)
from rne.cli.options import examples
from rne.errors import RneError


class _Refusal(click.ClickException):
    """An error printed on stderr in the format of compilers, so that editors can find file and line."""

    def show(self, file: Any = None) -> None:
        click.echo(self.message, file=file, err=True)


class _Group(click.Group):
    """Commands that print errors and warnings on stderr without tracebacks. Exit code 1, or 2 for wrong usage."""

    def invoke(self, ctx: click.Context) -> Any:
        with warnings.catch_warnings():
            warnings.showwarning = _say_warning
            try:
                return super().invoke(ctx)
            except RneError as error:
                raise _Refusal(_by_option(self.commands.get(ctx.invoked_subcommand or ""), str(error))) from error
            except OSError as error:
                if error.errno == errno.EPIPE:  # the reader of the pipe has exited; click ends silently
                    raise
                where = f"{error.filename}: " if error.filename else ""
                raise _Refusal(f"{where}{error.strerror or error}") from error


def _by_option(command: click.Command | None, message: str) -> str:
    """Return the message of an error with the option in place of the argument of Python that it starts with."""
    argument, colon, rest = message.partition(": ")
    for parameter in command.params if command is not None else []:
        if colon and parameter.name == argument and isinstance(parameter, click.Option):
            return f"{max(parameter.opts, key=len)}: {rest}"
    return message


def _say_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    click.echo(f"warning: {message}", err=True)


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        others = ", ".join(f"{name} {_version(name)}" for name in ("numpy", "numba"))
        click.echo(f"rne {_version('rne')} (Python {platform.python_version()}, {others})")
        ctx.exit()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"


@click.group(
    cls=_Group,
    epilog=examples(
        "rne info panda.urdf",
        "rne check panda.urdf --verify",
        "rne id panda.urdf motion.csv -o torques.csv",
        "rne residual panda.urdf log.csv --differentiate",
        "rne identify panda.urdf log.parquet --differentiate --friction --validate other.parquet -o found.urdf",
        "rne simulate panda.urdf --torques torques.csv -o motion.csv",
        "rne view panda.urdf motion.csv",
        "rne plot panda.urdf motion.csv -o torques.svg",
        "rne bench panda.urdf",
        "rne export panda.urdf --c panda_c",
        "rne example two_link_point_mass",
    ),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show the version."
)
def main() -> None:
    """Rigid-body dynamics of robots by recursive Newton-Euler.

    A ROBOT is a URDF file (.urdf, .xml; .xacro with the extra xacro), an MJCF file (.xml, .mjcf, with the extra mujoco)
    or a DH table (.toml), or the name of a robot that comes with rne, such as panda.
    Quantities are in SI units and radians.
    """


for command in (
    info.info,
    check.check,
    trajectories.inverse_dynamics,
    trajectories.forward_dynamics,
    trajectories.breakdown,
    residual.residual,
    excite.excite,
    simulate.simulate,
    identify.identify,
    trajectories.convert,
    plot.plot,
    view.show_robot,
    bench.bench,
    export.export,
    equations.show_equations,
    example.example,
):
    main.add_command(command)

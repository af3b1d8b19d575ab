"""Errors and warnings of rne: each says where, what came and what was wanted."""

from __future__ import annotations

from dataclasses import dataclass


class RneError(ValueError):
    """Base of every error that rne raises on purpose."""


class ArgumentError(RneError):
    """An argument of a public function has the wrong shape, type or value."""


class UnknownNameError(ArgumentError):
    """A joint, link or frame name that the robot does not have."""


class FileError(RneError):
    """A trajectory or result file that cannot be read or written as asked."""


class SingularError(RneError):
    """A mass matrix without inverse: some motion of the joints moves no mass."""


class ModelWarning(UserWarning):
    """Something in a robot file that is legal but likely not what was meant."""


@dataclass(frozen=True)
class Problem:
    """One finding in a robot file.

    Attributes
    ----------
    where : file name (or ``<urdf>``, ``<dh>`` for text and rows).
    line : line in the file, ``None`` where there is none (rows given from Python).
    element : the element in question, for example ``joint 'j3'``.
    what : what is wrong, what was expected and how to mend it.
    """

    where: str
    line: int | None
    element: str
    what: str

    def __str__(self) -> str:
        place = self.where if self.line is None else f"{self.where}:{self.line}"
        return f"{place}: {self.element}: {self.what}" if self.element else f"{place}: {self.what}"


class ModelError(RneError):
    """A robot file that cannot become a robot; lists every problem found, not just the first.

    Attributes
    ----------
    problems : tuple of `Problem`, in the order of the file.
    """

    def __init__(self, *problems: Problem) -> None:
        self.problems = problems
        super().__init__(*problems)

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))

"""The directive `gallery`: every example of `rne example`, run while the pages are built, with numbers and picture."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx
from sphinx.util.osutil import ensuredir

from rne import examples


class Gallery(Directive):
    """One section an example."""

    def run(self) -> list[nodes.Node]:
        """Run the examples; one whose numbers differ from those of its course is an error of the build."""
        environment = self.state.document.settings.env
        folder = environment.srcdir / "gallery" / "pictures"
        ensuredir(folder)
        return [self._section(entry, folder) for entry in examples.EXAMPLES.values()]

    def _section(self, entry: Any, folder: Any) -> nodes.Node:
        sheet = entry.show()
        if not sheet.ok:
            raise self.error(f"example {entry.name}: the numbers of the course and of rne differ")
        section = nodes.section(ids=[f"example-{nodes.make_id(entry.name)}"], names=[f"example {entry.name}"])
        section += nodes.title(text=entry.title.rstrip("."))
        command = nodes.paragraph()
        command += nodes.literal(text=f"rne example {entry.name}")
        command += nodes.Text(f" ({entry.source})")
        section += command
        section += nodes.literal_block(str(sheet), str(sheet), language="none")
        if sheet.picture is not None:
            figure = sheet.picture()
            figure.savefig(folder / f"{entry.name}.svg", metadata={"Date": None})
            section += nodes.image(uri=f"pictures/{entry.name}.svg", alt=entry.title)
        return section


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "rne"
    app.add_directive("gallery", Gallery)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

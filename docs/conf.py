"""Settings of the documentation: `python -m sphinx -W -b html docs docs/_build`."""

from __future__ import annotations

import importlib
import os
import sys
from importlib.metadata import version as version_of
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "extensions")]
os.chdir(ROOT)  # examples name files of the repository

MODULES = ("control", "dask", "files", "jax", "jit", "lagrange", "plot", "torch")

project = "rne"
author = "the authors of rne"
release = version = version_of("rne")
copyright = author  # noqa: A001

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "sphinx_click",
    "sphinx-mathjax-offline",
    "sphinx_design",
    "gallery",
    "parameters",
]
exclude_patterns = ["_build", "jupyter_execute", "templates"]
templates_path = ["templates"]
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb", ".ipynb": "myst-nb"}  # autosummary writes the first

myst_enable_extensions = ["amsmath", "colon_fence", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "force"  # the notebooks are kept without their output
nb_execution_raise_on_error = True
nb_execution_timeout = 300

default_role = "py:obj"
autosummary_generate = True
autosummary_context = {
    "public": {f"rne.{name}": sorted(importlib.import_module(f"rne.{name}").__all__) for name in MODULES}
}
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_theme = "pydata_sphinx_theme"
html_title = f"rne {release}"
html_show_sourcelink = False
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}

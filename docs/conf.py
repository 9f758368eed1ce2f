"""The Sphinx configuration of the site (`make docs`). Neither the build nor the pages fetch anything."""

import re
import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

import matplotlib as mpl

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))  # the renderer of formulas, the style of plots

project = "winnowkit"
author = "the winnowkit authors"
copyright = f"{author}; BSD-3-Clause"  # noqa: A001 - Sphinx's name for it
release = version = installed_version("winnowkit")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "finished_reports",
]
exclude_patterns = [
    "_build",
    "_templates",
    "data/README.md",
    "sg_execution_times.rst",
    "gallery/sg_execution_times.rst",
    "gallery/*.py",
]
templates_path = ["_templates"]
nitpicky = False  # parameters are described in words, which are not cross-references

# --- pages ------------------------------------------------------------------------------------------------------------

myst_enable_extensions = ["colon_fence", "dollarmath", "deflist"]
myst_heading_anchors = 3
html_math_renderer = "mathml"
pygments_style = "default"
highlight_language = "none"
smartquotes_action = "qe"  # quotes and ellipses; "--coin" stays as it is

# --- the reference ----------------------------------------------------------------------------------------------------

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False  # the template of classes lists them
numpydoc_class_members_toctree = False

# --- the gallery ------------------------------------------------------------------------------------------------------

mpl.use("Agg")
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "backreferences_dir": "reference/generated/backreferences",  # which examples use a name
    "doc_module": ("winnowkit",),
    "filename_pattern": r"/plot_",
    "abort_on_example_error": True,
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "reset_modules": ("matplotlib", "gallery_style.reset"),
    "min_reported_time": 1e9,  # build times are not meaningful
    "show_signature": False,
    "remove_config_comments": True,
    "capture_repr": ("_repr_html_", "__str__"),
    "plot_gallery": "True",
}

# --- the looks --------------------------------------------------------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_title = "winnowkit"
html_favicon = "_static/logo.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["llms.txt"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "winnowkit", "image_light": "_static/logo.svg", "image_dark": "_static/logo.svg", "alt_text": ""},
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "default",
    "pygments_dark_style": "github-dark",
}
html_sidebars: dict[str, list[str]] = {"index": [], "start": [], "which-learner": []}  # nothing below them


def skip_foreign(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:  # noqa: ARG001
    """Leave inherited methods of scikit-learn to its own reference."""
    home = getattr(obj, "__module__", "") or ""
    if home.startswith(("sklearn.", "river.")) or re.fullmatch(r"set_\w+_request", name):
        return True
    return None


def setup(app: Any) -> None:
    """Connect the hook."""
    app.connect("autodoc-skip-member", skip_foreign)

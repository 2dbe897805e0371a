"""The documentation site: `./test site`, or `sphinx-build -W docs build/site`.

Needs `pip install '.[docs]'` and Doxygen. With SPLITGP_SITE_SOURCE, the address of the repository's
files, links that leave docs/ go there; without it the files are copied into the site.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE / "_ext"))

project = "splitgp"
author = "The splitgp authors"
project_copyright = author
version = re.search(r"project\(splitgp VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
release = version

extensions = [
    "breathe",
    "myst_parser",
    "pages_of_the_root",
    "http_reference",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["**/README.md.tmpl", "gallery/*.ipynb", "gallery/*.zip"]
suppress_warnings = [
    "config.cache",  # sphinx_gallery_conf holds functions
    "ref.python",  # `sequence` is the type of a parameter and a member of two classes
]
default_role = "code"  # as in Markdown
smartquotes_action = "D"  # dashes in lists of parameters; quotation marks stay as they are typed
highlight_language = "none"  # blocks without a language are commands and their output

# Markdown, with GitHub's anchors for headings.
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 6

# Python: what cannot be imported is stood in for, so that a small environment can build the site.
autodoc_mock_imports = [
    name for name in ("casadi", "ray", "river") if not importlib.util.find_spec(name)
]
autodoc_typehints = "none"  # the docstrings have them
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

# C++ and C: Doxygen reads the public headers, Breathe shows what it found.
_xml = ROOT / "build" / "doxygen"
breathe_projects = {"cpp": str(_xml / "cpp" / "xml"), "c": str(_xml / "c" / "xml")}
breathe_default_project = "cpp"
breathe_default_members = ("members",)
breathe_domain_by_extension = {"h": "cpp"}
breathe_show_include = False


def _doxygen(name: str, headers: list[Path], language: str) -> None:
    settings = {
        "PROJECT_NAME": "splitgp",
        "INPUT": " ".join(map(str, headers)),
        "OUTPUT_DIRECTORY": _xml / name,
        "GENERATE_HTML": "NO",
        "GENERATE_LATEX": "NO",
        "GENERATE_XML": "YES",
        "XML_PROGRAMLISTING": "NO",
        "QUIET": "YES",
        "WARN_IF_UNDOCUMENTED": "NO",
        "JAVADOC_AUTOBRIEF": "YES",
        "EXTRACT_ALL": "YES",
        "OPTIMIZE_OUTPUT_FOR_C": "YES" if language == "c" else "NO",
        "MACRO_EXPANSION": "YES",
        "EXCLUDE_SYMBOLS": "splitgp::Internals splitgp::FileInternals",
        # The comments of the C header are plain ones.
        "INPUT_FILTER": f'"sed -f {HERE / "_ext" / "c_comments.sed"}"' if language == "c" else "",
    }
    (_xml / name).mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["doxygen", "-"],
        input="\n".join(f"{key} = {value}" for key, value in settings.items()),
        text=True,
        check=True,
    )


_public = ROOT / "include" / "splitgp"
_doxygen("cpp", sorted(set(_public.glob("*.h")) - {_public / "splitgp_c.h"}), "c++")
_doxygen("c", [_public / "splitgp_c.h"], "c")

sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples" / "gallery"),
    "gallery_dirs": "gallery",
    "filename_pattern": "/plot_",
    "matplotlib_animations": (True, "jshtml"),
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_signature": False,
    "capture_repr": (),  # what is printed is enough
    "show_memory": False,
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "backreferences_dir": None,
}

toc_object_entries_show_parents = "hide"
html_theme = "pydata_sphinx_theme"
html_title = f"splitgp {version}"
html_static_path = ["_static"]
html_css_files = ["splitgp.css"]
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "splitgp"},
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "show_prev_next": False,
    "show_toc_level": 1,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "tango",
    "pygments_dark_style": "github-dark",
}


def setup(app: Sphinx) -> None:
    """Small things that have no setting."""
    app.add_lexer("csv", TextLexer)

    def escape(_app, _what, _name, _object, _options, lines):
        lines[:] = [line.replace("|", "\\|") for line in lines]  # |z| is no substitution

    app.connect("autodoc-process-docstring", escape, priority=900)

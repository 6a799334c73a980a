# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a page for a browser, in one file: styles, programs, and data."""

import base64
import hashlib
import os
import re
from html import escape
from typing import Dict, List

from ws_python.base.text import Failure
from ws_python.show.html.fit import PageData, data_text

LIBRARIES_DIR = os.path.join("lib", "libraries")    # made by the build
# In order: each knows only those before it.
PROGRAMS = ("core.js", "units.js", "range.js", "gestures.js", "plot.js",
            "series.js", "layers.js", "heat.js", "tree.js", "flame.js",
            "samples.js", "whose.js", "page.js")


def page_with(data: PageData) -> str:
    """Make the page that shows the data."""
    library, programs = read(f"{LIBRARIES_DIR}.js"), [*map(read, PROGRAMS)]
    styles = read(f"{LIBRARIES_DIR}.css") + read("page.css")
    # Nothing is loaded, and nothing runs but these scripts.
    policy = ("default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
              "base-uri 'none'; form-action 'none'; script-src "
              + " ".join(map(digest, [library, *programs])))
    texts: Dict[str, str] = {
        "policy": policy, "styles": styles,
        "title": escape(f"ws: {data['title']}"),
        "answer": escape("\n".join(in_text(data))),
        "data": data_text(data),
        # Names of a module are its own; modules run one after another.
        "scripts": "\n".join([f"<script>{library}</script>", *(
            f'<script type="module">{text}</script>' for text in programs)])}
    return re.sub("@([a-z]+)@", lambda match: texts[match[1]],
                  read("page.html"))


def in_text(data: PageData) -> List[str]:
    """Return what is said without a script, about the first report."""
    together, answer = data["processes"], data["reports"][0]["answer"]
    return [*(together["sentences"][:2] if together else []),
            *(condition["line"] for condition in data["conditions"]),
            *answer["warnings"], *answer["lines"]]


def digest(script: str) -> str:
    code = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(code).decode()}'"


def read(name: str) -> str:
    try:
        with open(os.path.join(os.path.dirname(__file__), name),
                  encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        root = os.path.join(os.path.dirname(__file__), *[os.pardir] * 5)
        how = ("make" if os.path.exists(os.path.join(root, "dev", "build"))
               else "make install in ws's source folder")
        raise Failure("a page takes a library that is not here: install npm "
                      f"(Debian: apt install npm), then repeat {how}") from None

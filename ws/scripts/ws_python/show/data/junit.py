# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes conditions as the test cases of a CI system: --junit."""

from typing import Sequence, Tuple, Union
from xml.etree.ElementTree import Element, SubElement, tostring

from ws_python.base.text import Failure
from ws_python.base.view import Finding


def junit(judged: Sequence[Tuple[str, str, Union[Finding, Failure]]],
          seconds: float) -> bytes:
    """Write conditions, names of reports, and results; texts are printable."""
    suites = Element("testsuites")
    suite = SubElement(suites, "testsuite", name="ws_print", skipped="0")
    for condition, name, verdict in judged:
        case = SubElement(suite, "testcase", classname=name, name=condition)
        if isinstance(verdict, Failure):
            kind, text = "error", str(verdict)
        elif verdict.failed:
            kind, text = "failure", "\n".join(verdict.lines())
        else:
            continue
        # Jenkins shows the message, GitLab the text.
        SubElement(case, kind, message=text, type=kind).text = text
    for element in (suites, suite):
        element.attrib.update(
            tests=str(len(suite)), failures=str(len(suite.findall("*/failure"))),
            errors=str(len(suite.findall("*/error"))), time=f"{seconds:.3f}")
    written: bytes = tostring(suites, "UTF-8")
    return written

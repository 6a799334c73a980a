# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes conditions as the test cases of a CI system: --junit."""

from typing import Sequence, Tuple
from xml.sax.saxutils import escape, quoteattr

from ws_python.base.text import Failure
from ws_python.views.conditions import Judged


def case_of(judged: Judged) -> Tuple[str, str]:
    """Return what is wrong, and the case."""
    condition, name, verdict = judged
    kind, text = (("error", str(verdict)) if isinstance(verdict, Failure) else
                  ("failure", "\n".join(verdict.lines())) if verdict.holds else
                  ("", ""))
    case = (f"    <testcase classname={quoteattr(name)} "
            f"name={quoteattr(condition.text)}")
    # Jenkins shows the message, GitLab the text.
    return kind, case + (
        f'>\n      <{kind} message={quoteattr(text)} type="{kind}">'
        f"{escape(text)}</{kind}>\n    </testcase>" if kind else "/>")


def junit(judged: Sequence[Judged], seconds: float) -> str:
    """Write the file; all its texts are printable."""
    kinds, cases = zip(*map(case_of, judged))
    sums = (f'tests="{len(cases)}" failures="{kinds.count("failure")}" '
            f'errors="{kinds.count("error")}" time="{seconds:.3f}"')
    return "\n".join([
        '<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {sums}>",
        f'  <testsuite name="ws_print" {sums} skipped="0">',
        *cases, "  </testsuite>", "</testsuites>", ""])

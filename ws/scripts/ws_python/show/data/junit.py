# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes conditions as the test cases of a CI system: --junit."""

import time
from typing import Optional, Sequence, Tuple, Union
from xml.sax.saxutils import escape, quoteattr

from ws_python.base.failure import Failure
from ws_python.model.report import Report
from ws_python.views.conditions import Condition, judge

# A report, or the reason why it cannot be read; and its name.
Loaded = Tuple[str, Union[Report, Failure]]


def case_of(condition: Condition, first: Union[None, Report, Failure],
            name: str, report: Union[Report, Failure]) -> Tuple[str, str]:
    """Judge a condition; `first` is the first report of compare.  Return what
    is wrong, and the case.
    """
    begin, kind, text = time.monotonic(), "", ""
    try:
        for one in (report, *[first] * (condition.unit == "%")):
            if isinstance(one, Failure):
                raise one
        verdict = judge(condition, report,
                        first if isinstance(first, Report) else None)
        if verdict.holds:
            kind, text = "failure", "\n".join(verdict.lines())
    except Failure as failure:
        kind, text = "error", str(failure)
    case = (f"    <testcase classname={quoteattr(name)} "
            f"name={quoteattr(condition.text)} "
            f'time="{time.monotonic() - begin:.3f}"')
    # Jenkins shows the message, GitLab the text.
    return kind, case + (
        f'>\n      <{kind} message={quoteattr(text)} type="{kind}">'
        f"{escape(text)}</{kind}>\n    </testcase>" if kind else "/>")


def junit(conditions: Sequence[Condition], loaded: Sequence[Loaded],
          diff: bool, begin: float, together: Optional[Report]) -> str:
    """Write the file; all its texts are printable, its time ends now."""
    first = loaded[0][1] if diff else None
    kinds, cases = zip(*(case_of(condition, first, *one)
                         for condition in conditions
                         for one in ([(together.name, together)]
                                     if together and condition.is_of_memory
                                     else loaded[diff:])))
    sums = (f'tests="{len(cases)}" failures="{kinds.count("failure")}" '
            f'errors="{kinds.count("error")}" '
            f'time="{time.monotonic() - begin:.3f}"')
    return "\n".join([
        '<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {sums}>",
        f'  <testsuite name="ws_print" {sums} skipped="0">',
        *cases, "  </testsuite>", "</testsuites>", ""])

# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes conditions as the test cases of a CI system: --junit."""

import time
from typing import List, Optional, Sequence, Tuple, Union
from xml.sax.saxutils import escape, quoteattr

from ws_python.base.failure import Failure
from ws_python.model.report import Report
from ws_python.views.conditions import Condition, Verdict, judge

# A report, or the reason why it cannot be read; and its name.
Loaded = Tuple[str, Union[Report, Failure]]


class Case:
    """A condition and a report."""

    def __init__(self, condition: Condition,
                 first: Union[None, Report, Failure], name: str,
                 report: Union[Report, Failure]):
        """Judge a condition; `first` is the first report of compare."""
        begin = time.monotonic()
        self.condition, self.report = condition, name
        self.verdict: Optional[Verdict] = None
        self.error: Optional[Failure] = None
        try:
            for one in (report, first) if condition.unit == "%" else (report,):
                if isinstance(one, Failure):
                    raise one
            self.verdict = judge(condition, report, first if isinstance(
                first, Report) else None)
        except Failure as failure:
            self.error = failure
        self.seconds = time.monotonic() - begin

    def lines(self) -> List[str]:
        kind, text = ("error", str(self.error)) if self.error else (
            "failure", "\n".join(self.verdict.lines())
            if self.verdict.holds else "")
        attributes = (f"classname={quoteattr(self.report)} "
                      f"name={quoteattr(self.condition.text)} "
                      f'time="{self.seconds:.3f}"')
        if not text:
            return [f"    <testcase {attributes}/>"]
        # Jenkins shows the message, GitLab the text.
        return [f"    <testcase {attributes}>",
                f'      <{kind} message={quoteattr(text)} type="{kind}">'
                f"{escape(text)}</{kind}>", "    </testcase>"]


def junit(conditions: Sequence[Condition], loaded: Sequence[Loaded],
          diff: bool, begin: float, together: Optional[Report]) -> str:
    """Write the file; all its texts are printable, its time ends now."""
    first = loaded[0][1] if diff else None
    cases = [Case(condition, first, *one) for condition in conditions
             for one in ([(together.name, together)]
                         if together and condition.is_of_memory
                         else loaded[diff:])]
    errors = sum(case.error is not None for case in cases)
    failures = sum(case.verdict is not None and case.verdict.holds
                   for case in cases)
    sums = (f'tests="{len(cases)}" failures="{failures}" errors="{errors}" '
            f'time="{time.monotonic() - begin:.3f}"')
    return "\n".join([
        '<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {sums}>",
        f'  <testsuite name="ws_print" {sums} skipped="0">',
        *(line for case in cases for line in case.lines()),
        "  </testsuite>", "</testsuites>", ""])

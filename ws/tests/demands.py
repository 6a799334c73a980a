"""What every good report fulfils, and how it is said that one does not."""

from __future__ import annotations


class BadReport(Exception):
    """The file is not what ws/docs/report-format.md says."""


def demand(good: bool, *what: object) -> None:
    """It is so in every good report."""
    if not good:
        raise BadReport(': '.join(map(str, what)))

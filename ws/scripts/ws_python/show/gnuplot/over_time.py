# SPDX-License-Identifier: GPL-2.0-or-later
"""What pictures of sizes over time have in common: the axis, the windows'
lengths as bars, and bands where there are more samples than pixels.
"""

from typing import List, Sequence, Tuple

from ws_python.base.units import MS, time_text
from ws_python.model.report import after_start, is_estimate
from ws_python.model.runs import Cast, Run
from ws_python.model.sizes import end_of, lateness
from ws_python.show.gnuplot.curves import Points, Range, reduced, tics
from ws_python.show.gnuplot.picture import Picture, quote
from ws_python.show.gnuplot.remarks import FlaggedCurve, Remarks

MOST_THICK = 4          # curves; more of them would hide each other


class OverTime(Picture):
    """Subclasses make the curves, which get their points here."""
    curves: Sequence[FlaggedCurve]
    taus: List[int]
    cast: Cast
    remarks: Remarks

    def scale_time(self) -> None:
        """The axis reaches from the first begin to the last end."""
        runs = self.cast.shown + self.cast.others
        self.left = min(run.begin + run.report.begin for run in runs)
        last = max(run.begin + (run.report.end or max(
            [*run.report.columns["t"][-1:], end_of(run.report) or 0]))
            for run in runs)
        span = last - self.left or max(self.taus, default=0) or 1
        self.right = self.left + 1.01 * span

    @property
    def length_of_axis(self) -> float:
        """With the room at its left end."""
        return 1.01 * (self.right - self.left)

    def place_remarks(self) -> None:
        self.remarks = Remarks(self.medium, self.curves,
                               (self.left, self.right), len(self.taus),
                               len(self.reports) > 1)
        self.row, self.top = self.remarks.row, self.remarks.top

    def trace(self, run: Run, column: str, detail: float = 1
              ) -> Tuple[Points, List[Range]]:
        """A line and a band, with a point for each column of pixels that the
        run covers, or less detail.
        """
        report, begin = run.report, run.begin
        start = after_start(report)
        # What the kernel knew at the start is no sample.
        skip = start if is_estimate(report) else 0
        times = report.columns["t"][skip:]
        part = ((times[-1] - times[0]) / self.length_of_axis if times else 0)
        line, band = reduced(times, report.columns[column][skip:], max(int(
            self.medium.inner_width * part * detail), 1), start - skip)
        scale = run.page if self.bytes else 1
        return ([(begin + time, value * scale) for time, value in line],
                [(begin + time, low * scale, high * scale)
                 for time, low, high in band])

    def bars(self) -> List[str]:
        """A bar of each tau's length, as far as there is room: with several,
        the legend names them, too.
        """
        lines = []
        line = "nohead linewidth 2 linecolor '#000000'"
        tick = 0.18 * self.row * self.remarks.bar_height
        for number, tau in enumerate(self.taus[:self.remarks.bars]):
            height = self.remarks.bar(number)
            text = f"{self.medium.tau} = {self.duration(tau)}"
            end = min(self.left + tau, self.right)
            if end < self.left + tau:
                text += ", longer than the run"
            lines += [f"set arrow from {self.left},graph {height} to "
                      f"{end},graph {height} {line}"]
            lines += [f"set arrow from {x},graph {height - tick} to "
                      f"{x},graph {height + tick} {line}"
                      for x in (self.left, self.left + tau) if x <= end]
            place = f"{end},graph {height} left offset character 1,0"
            if end > (self.left + self.right) / 2:
                place = f"graph 0.5,graph {height} center boxed"
            lines += [f"set label {quote(text)} at {place} front"]
        return lines

    def draw_bands(self) -> None:
        for curve in self.curves:
            if curve.band:
                self.plot(curve.band, self.medium.band_style(curve))

    def draw_curves(self) -> None:
        for number, curve in enumerate(self.curves):
            if curve.points:
                self.plot(curve.points, self.medium.style(
                    number, curve, not curve.band,
                    len(self.curves) > MOST_THICK))

    def extras(self) -> List[str]:
        """The axis of time, the bars, numbers and labels."""
        start = self.left - 0.01 * (self.right - self.left)
        name = f"time ({self.unit})" + (
            " since the first process began" if self.cast.aligned else "")
        return [f"set xrange [{start}:{self.right}]",
                "set xtics " + tics(self.right, self.most_tics(), self.tic,
                                    self.left),
                f"set xlabel {quote(name)}",
                *self.bars(), *self.remarks.lines()]

    def notes(self) -> List[str]:
        """The most important first."""
        return self.warnings() + (
            ["band: lowest to highest"]
            if any(curve.band for curve in self.curves) else []
            ) + self.about_runs()

    def warnings(self) -> List[str]:
        """Where samples are not what one would take them for."""
        late = max(most for _, most in (
            lateness(report) or (0, 0) for report in self.reports))
        if any(1000 * tau < late for tau in self.taus):
            return [f"samples up to {time_text((late + 500) // 1000, MS)} "
                    f"late, more than {self.medium.tau}"]
        return []

    def about_runs(self) -> List[str]:
        """Also what samples cannot show."""
        return super().about_runs() + [
            "peaks in between are missed"] * self.missing_peaks()

    def missing_peaks(self) -> bool:
        """Whether windows are too short for the samples to show them."""
        return False

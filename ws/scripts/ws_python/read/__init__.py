# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes a model of the bytes of reports and page logs: the only place that
knows their formats."""

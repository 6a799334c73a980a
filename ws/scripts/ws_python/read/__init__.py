# SPDX-License-Identifier: GPL-2.0-or-later
"""The bytes of reports and page logs, made a model: the only place that
knows their formats."""

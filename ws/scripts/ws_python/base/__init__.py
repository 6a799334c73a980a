# SPDX-License-Identifier: GPL-2.0-or-later
"""Failures, numbers and their units, text: every package uses these."""

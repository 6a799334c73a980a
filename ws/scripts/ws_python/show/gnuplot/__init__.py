# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws pictures by gnuplot."""

# SPDX-License-Identifier: GPL-2.0-or-later
"""Computations that several views share; they need numpy."""

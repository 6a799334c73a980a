# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints text of some width."""

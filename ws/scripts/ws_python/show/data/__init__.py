# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes views for other programs."""

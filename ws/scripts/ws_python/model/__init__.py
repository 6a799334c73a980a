# SPDX-License-Identifier: GPL-2.0-or-later
"""A run: numbers and names, wherever they were read."""

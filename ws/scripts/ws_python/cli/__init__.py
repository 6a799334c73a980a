# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands: their options, and the functions that answer them."""

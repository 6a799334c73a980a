# SPDX-License-Identifier: GPL-2.0-or-later
"""A page for a browser, with its program in JavaScript."""

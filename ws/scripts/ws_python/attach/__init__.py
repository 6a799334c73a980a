# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures a running process by the kernel's bits, and writes a report."""
